#pragma once

#include <string>
#include <vector>

namespace isotap::test {

/// What applications send. Each runs in every way of sending; both databases see the same.
inline const std::vector<std::string> statements = {
    "select 1",
    "select * from account order by id limit 3",
    "select id, balance from account where id = 7",
    "select a.owner, i.v from account a left join item i on i.a = a.id order by 1, 2",
    "select count(*), sum(balance) from account",
    "select owner, count(*) from account group by owner order by 1",
    "select sum(v) from item",
    "select count(*) from account where false",
    "select owner from account where id in (select a from item) order by 1",
    "select distinct balance from account",
    "select id from account union select a from item order by 1",
    "select id, balance from account where id < 3 union all select a, null from item order by 1, 2",
    "select * from account where id < 3 union all select * from account where id > 18 order by id",
    "(select owner from account order by id limit 2) union all (values ('one'), ('two'))",
    "select balance from account intersect select a from item",
    "select id from account except select a from item order by 1",
    "select id from account where id = 1 except select a from item",
    "select distinct on (balance) balance, id from account order by balance, id",
    "select distinct a, v from item where b = 'nothing'",
    "select balance, count(*) from account group by balance having count(*) > 3 order by 1",
    "select balance from account group by balance having count(*) > 1000",
    "select d.owner from (select owner, balance from account) d where d.balance = 100 order by 1",
    "select * from (select id, owner from account where id < 4) d order by id desc",
    "select sum(d.n), count(*) from (select count(*) n from account group by owner) d",
    "select d.id, i.v from (select id from account) d left join item i on i.a = d.id order by 1, 2",
    "with c as (select id, owner from account) select c.* from c where id < 3 order by 1",
    "with c as (select a, count(*) n from item group by a) select n from c order by a",
    "select owner from account o where exists (select from item i where i.a = o.id) order by 1",
    "select id from account o where not exists (select from item i where i.a = o.id) order by 1",
    "select count(*) from account o where balance > 3 and not exists (select 1 from item i where "
    "i.a = o.id and i.v > 1 limit 1)",
    "select distinct balance from account a where not (id > 3 and exists (select from item where "
    "item.a = a.id))",
    "select id from account a where id = 7 or exists (select 1 from item where a = id) union all "
    "select a from item i where not exists (select from account where id = a) order by 1",
    "select (select max(v) from item where item.a = account.id) from account order by id",
    "select exists (select from account where balance > 5), (select max(b) from item)",
    "select id from account where id not in (select a from item) order by 1",
    "select id from account where id in (select a from item where b = 'nothing')",
    "select balance from account where id > 5 order by id",
    "merge into account t using item s on t.id = s.a and s.b = 'x,y=z;' when matched then update "
    "set balance = balance + 1 when not matched then do nothing",
    "merge into account t using (values (1), (300)) s(k) on t.id = s.k when matched and t.id = 3 "
    "then delete when not matched then insert values (s.k, 'merged', 1)",
    "merge into account t using item s on t.id = s.a when matched then delete",
    "select id, row_number() over (order by id desc) from account order by 1",
    "with c as (select id from account where id < 4) select * from c order by 1",
    "select * from account where id = 3 for update",
    "select a, b from item order by a, b for share",
    "select count(*) from (select distinct balance from account where id < 9) d",
    "select * from (select id from account except select a from item) d order by id",
    "select * from bare",
    "select distinct x from bare order by 1",
    "select count(*), max(x) from bare b where not exists (select from account where id = x)",
    "select * from bare for update",
    "table account",
    "values (1, 'a'), (2, 'b')",
    "insert into account values (100, 'new', 5)",
    "insert into account(id, owner) values (101, null), (102, 'x') returning id, owner",
    "insert into account values (100, 'again', 6)",
    "insert into account values (100, 'up', 7) on conflict (id) do update set balance = 8",
    "insert into account values (100, 'no', 9) on conflict do nothing",
    "insert into item select id, owner, balance from account where id < 3",
    "insert into bare values (3)",
    "update account set balance = balance + 1 where id < 5",
    "update account set balance = balance - 1 where id < 5 returning *",
    "update account set balance = -5000 where id = 2",
    "update account a set balance = v from item i where i.a = a.id and i.v > 1",
    "update item set v = 2 where b = 'zwölf'",
    "update bare set x = x + 1",
    "update bare b set x = x + balance from account where id = x returning b.*",
    "delete from bare where x = 4 returning x",
    "delete from account where id = 100",
    "delete from account where id > 100 returning owner, id",
    "delete from item where v = 100",
    "delete from account where false",
    "delete from account using item i where i.a = account.id and i.v > 100 returning account.id",
    "select id from account where id < 4 order by id for update skip locked",
    "select a.id from account a, item i where i.a = a.id order by 1 for no key update of a nowait",
    "select balance / (id - 4) from account order by id",
    "select nothing(owner) from account where id = 1",
    "select 'zwölf', owner from account where bogus = 1",
    "update account set balance = 1 where bogus = 2",
    "delete from nowhere",
    "insert into account(id, bogus) values (1, 2)",
    "selec 1",
    "select owner from account where",
    "select * from account a natural join bare",
    "explain (costs off) select * from account where id = 1",
    "truncate bare",
    "",
};

/// Statements that only a Query can hold together.
inline const std::vector<std::string> queries = {
    "select 1; select id from account where id < 3; update account set balance = 0 where id = 9",
    "begin; update account set balance = 1 where id = 9; rollback; select balance from account "
    "where id = 9",
    "begin; savepoint a; delete from account where id = 9; rollback to a; select id from account "
    "where id = 9; commit",
    "begin; select nothing(1) from account; select 1",
    "select id from account where id = 1",
    "rollback",
    "select 'ä' from account where id = 1; select 'ö', bogus from account",
    "declare c cursor for select * from account",
    "begin; declare c cursor for select id from account order by id; fetch 3 from c; move 2 in c; "
    "fetch c; update account set balance = 3 where current of c; commit",
    "copy account to stdout",
    "copy (select id from account where id < 3) to stdout",
    "prepare p(int) as select owner from account where id = $1; execute p(3); deallocate p",
    "do $$ begin raise notice 'a word'; update account set balance = 4 where id = 3; end $$",
    "set search_path to public; select id from account where id = 2",
    "create temp table account(z int); insert into account values (1)",
    "select * from account",
    "select * from account, item",
    "discard all",
    "create table made(id int primary key); insert into made values (1); select * from made",
    "select * from made; drop table made",
    "select id into fresh from account where id < 3",
    "select count(*) from fresh; drop table fresh",
};

/// Statements on cursors, one a line.
inline constexpr const char* cursors = R"(begin
declare c scroll cursor for select * from account order by id
fetch 3 from c
fetch backward 1 from c; move 2 in c; fetch from c; fetch absolute 1 from c
close c; fetch c
rollback; begin
declare "C d" no scroll cursor for select owner, id from account where id < 9 for update
fetch "C d"
update account set balance = 3 where current of "C d" returning id
declare "C d" cursor for select 1
rollback; begin
declare c cursor for select nothing from account
rollback; begin
declare c cursor for select count(*) from account
declare d cursor with hold for select id from account where id < 4
fetch all in d; fetch all in c
commit
fetch c; begin
begin
declare c cursor for select * from account where id in (select a from item where v < 2)
fetch c
update account set balance = 5 where current of c
rollback; begin
declare c cursor for select distinct balance from account
fetch all c
rollback
close d
)";

/// PREPARE and EXECUTE, one text a line.
inline constexpr const char* prepared_by_sql =
    R"(prepare p(int) as select owner from account where id = $1
execute p(3)
execute p(4)
prepare p as select 1
execute p(5)
execute p(nothing)
select 1; execute p(6); execute p(7)
select owner from account where id = 1; execute p(nothing)
prepare w(int, numeric(6, 2)) as update account set balance = balance + $2 where id = $1
execute w(2, 1.5)
execute w(2)
prepare back (text) as update account set owner = $1 where id < 3 returning id, owner
execute back('zwölf')
prepare wrong as select nothing from account
execute wrong
prepare counted as select count(*), max(owner) from account
begin; execute counted; rollback
prepare joined as select * from account a join item i on i.a = a.id order by a.id, b
execute joined
execute w(1000, 1)
deallocate p
execute p(1)
prepare p as values (1), (2)
execute p
deallocate prepare p; prepare p as select id from account where id < 3; execute p; select 1 / 0
execute p
begin; deallocate p; prepare p as select owner from account where id = 1
execute p
rollback
execute p
begin
select nothing
prepare late as select id from account
rollback
execute late
prepare late as select id from account order by id limit 2
execute late
select name, parameter_types, result_types is null from pg_prepared_statements where name = 'p'
create temp table account(z int)
execute late
drop table account
deallocate all
execute late
prepare late as delete from account where id = 1000 returning *
execute late
discard all
)";

/// Tables that only this session sees, one statement a line.
inline constexpr const char* own_tables = R"(begin
select 1
create table fresh(id int primary key, v int not null)
insert into fresh values (1, 10), (2, 20)
insert into fresh values (3, 30) returning v, id
savepoint s
insert into fresh values (4, 40) on conflict do nothing
insert into fresh values (null, 1)
rollback to s
insert into fresh values (4, 40)
release s
update fresh f set v = v + 1 where id > 1 returning f.*
delete from fresh where id = 3
alter table fresh add column more text default 'x'
select * from fresh order by id
with c as (select id from fresh) select count(*) from c
declare c cursor for select v from fresh order by id
fetch 2 from c
select balance from account where id = 1
insert into fresh select id + 100, 0 from account where id = 2
create index on fresh (v)
commit
select id, v from fresh order by id
create temp table fresh as select 7 as seven
insert into fresh values (8)
select * from fresh order by 1
update fresh set seven = 9 where seven = 8 returning seven
drop table fresh
select id, v from fresh order by id
begin
drop table fresh
create table fresh(id int)
insert into fresh values (5)
rollback
select id from fresh order by id
drop table fresh
)";

}  // namespace isotap::test
