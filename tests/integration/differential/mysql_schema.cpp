#include "tests/integration/differential/mysql_schema.hpp"

namespace isotap::test {
namespace {

constexpr const char* tables = R"(
use shop;
create table customer (id int auto_increment primary key,
    name varchar(20) not null default 'nobody',
    mood enum('sad', 'ok', 'happy') default 'ok', born date, score decimal(8, 2),
    loud varchar(30) as (concat(name, '!')) stored,
    changed timestamp not null default current_timestamp on update current_timestamp,
    unique key who (name, born)) charset utf8mb4;
create table invoice (id bigint auto_increment primary key, customer int, amount int,
    tags set('red', 'blue', 'green') default 'red', paid tinyint(1) default 0,
    twice int as (amount * 2) virtual, key (amount),
    foreign key (customer) references customer (id) on delete cascade on update cascade);
create table line (invoice int, number int, what varchar(12), price double, ratio float,
    primary key (invoice, number)) charset latin1;
create table event (day date, seq int, kind varchar(12), primary key (day, seq))
    partition by range columns (day) (partition old values less than ('2015-01-01'),
    partition young values less than ('2025-01-01'), partition rest values less than maxvalue);
create table plain (a int, b varchar(20), c tinyint(1), d datetime(3));
create table note (code varchar(12) primary key, owner int, body json,
    seen datetime null on update current_timestamp,
    foreign key (owner) references customer (id) on delete set null on update cascade)
    charset utf8mb4 collate utf8mb4_bin;
create table `Odd Table` (`Key;` int primary key, `select` varchar(12) charset ucs2,
    `a``b` int default 7, unique key `u;` (`a``b`, `Key;`));
create table strange (id smallint auto_increment, part int, bits bit(5), old int, made year,
    at time, raw varbinary(16), fixed char(6), small enum('x', 'y') not null,
    primary key (part, id), key (id));
create table changing (id int primary key, v varchar(12), w int);
create table log (what varchar(12), id int);
create view rich as select id, name, score, changed from customer where score > 20;
create view total as select customer, count(*) n, sum(amount) amount from invoice
    group by customer;
create view checked as select a, b from plain where a < 12 with check option;
create view joined as select i.id, i.amount, c.name from invoice i join customer c
    on c.id = i.customer;
create trigger shorten before insert on line for each row set new.what = left(new.what, 10);
create trigger logged after delete on plain for each row insert into log values ('plain', old.a);
delimiter //
create procedure reads_all(least int) begin select * from customer where id > least;
    select count(*) from invoice; end//
create procedure writes_some(which int) begin update customer set score = score + 1
    where id = which; insert into log values ('called', which); end//
create function invoices(whose int) returns int reads sql data
    return (select count(*) from invoice where customer = whose)//
delimiter ;
)";

}  // namespace

const std::vector<MysqlTable>& mysql_tables() {
    using enum MysqlType;
    static const std::vector<MysqlTable> all{
        {"customer",
         {{"id", integer, true, Absent::next_number},
          {"name", text, true, Absent::its_default},
          {"mood", mood},
          {"born", date},
          {"score", number},
          {"loud", text, false},
          {"changed", moment, true, Absent::its_default}},
         "id"},
        {"invoice",
         {{"id", integer, true, Absent::next_number},
          {"customer", integer},
          {"amount", integer},
          {"paid", integer},
          {"twice", integer, false}},
         "id"},
        {"line",
         {{"invoice", integer, true, Absent::refused},
          {"number", integer, true, Absent::refused},
          {"what", text},
          {"price", real},
          {"ratio", real}}},
        {"event",
         {{"day", date, true, Absent::refused},
          {"seq", integer, true, Absent::refused},
          {"kind", text}}},
        {"plain", {{"a", integer}, {"b", text}, {"c", integer}, {"d", moment}}},
        {"note",
         {{"code", text, true, Absent::refused},
          {"owner", integer},
          {"body", document},
          {"seen", moment}}},
        {"`Odd Table`",
         {{"`Key;`", integer, true, Absent::refused}, {"`select`", text}, {"`a``b`", integer}},
         "`Key;`"},
        {"strange",
         {{"id", integer, true, Absent::next_number},
          {"part", integer, true, Absent::refused},
          {"old", integer},
          {"fixed", text}}},
        {"changing", {{"id", integer, true, Absent::refused}, {"v", text}, {"w", integer}}, "id"},
        {"rich",
         {{"id", integer},
          {"name", text, true, Absent::its_default},
          {"score", number},
          {"changed", moment}},
         {},
         true},
        {"total", {{"customer", integer}, {"n", integer}, {"amount", number}}, {}, true},
        {"checked", {{"a", integer}, {"b", text}}, {}, true},
        {"joined", {{"id", integer}, {"amount", integer}, {"name", text}}, {}, true},
    };
    return all;
}

std::string mysql_schema(MysqlFlavour flavour) {
    std::string text = "set global innodb_stats_auto_recalc = off;\n";
    if (flavour == MysqlFlavour::mysql) {
        text += "set global log_bin_trust_function_creators = 1;\n";
    }
    return text + tables;
}

const char* mysql_late_trigger() {
    return "use shop; create trigger shorten_again before update on line for each row set new.what "
           "= "
           "left(new.what, 10);";
}

std::vector<std::string> mysql_first_rows() {
    std::vector<std::string> all{"set foreign_key_checks = 0",
                                 "set sql_mode = ''",
                                 "set timestamp = 1600000000",
                                 "drop view if exists made_view",
                                 "drop table if exists made_a, made_b, changed_name",
                                 "rename table changed_name to changing",
                                 "alter table changing drop column w1",
                                 "alter table changing drop column w2",
                                 "alter table changing drop key w"};
    for (const MysqlTable& table : mysql_tables()) {
        if (!table.view) all.push_back("truncate table " + table.name);
    }
    const std::string numbers =
        "with recursive g (g) as (select 1 union all select g + 1 from g where g < 20) select ";
    all.emplace_back("truncate table log");
    for (const char* rows :
         {"customer (id, name, mood, born, score) $ g, concat('name ', g), g % 3 + 1, "
          "date_add('2000-01-01', interval g day), g * 3.5 from g where g < 13",
          "invoice (customer, amount, paid) $ g % 12 + 1, g, g % 2 from g",
          "line $ ceil(g / 3), g % 3 + 1, concat('thing ', g % 3), g / 2, g / 4 from g",
          "event $ date_add('2010-01-01', interval g * 400 day), g, concat('kind ', g % 3) from g",
          "plain $ g, concat('b', g % 4), g % 3, null from g where g < 11",
          "note $ concat('code ', g), g, concat('{\"k\": ', g, ', \"s\": \"thing ', g, '\"}'), "
          "null "
          "from g where g < 9",
          "`Odd Table` $ g, concat('odd ', g), g % 5 from g where g < 8",
          "strange (part, bits, old, made, at, raw, fixed, small) $ g % 3, g, 2000 + g, 2000 + g, "
          "g * 10000, "
          "concat('raw ', g), concat('f', g), g % 2 + 1 from g where g < 9",
          "changing $ g, concat('v', g), g % 4 from g where g < 8"}) {
        std::string text = "insert into " + std::string(rows);
        text.replace(text.find('$'), 1, numbers);
        all.push_back(text);
    }
    all.emplace_back("analyze table customer, invoice, line, event, plain, note, `Odd Table`");
    return all;
}

}  // namespace isotap::test
