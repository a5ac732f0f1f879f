"""A small shop with three bugs that programmers really write, on any database with transactions.

- `buy` reads how many are left, waits for the payment, and writes the difference: two customers at
  once, and one of the sales is gone from the books. A lost update.
- `go_home` lets a courier leave when somebody else is on duty: two that look at once both leave.
  A write skew.
- `add_up` reads the till, then the bank, while money is carried from one to the other: a sum that
  never was. A read skew.

Each is correct when its transactions run one after the other.
"""
import random
import threading
import time

PRODUCTS = 3
COURIERS = 2
IN_STOCK = 1_000_000
IN_TILL = 1000
IN_BANK = 1000

SCHEMA = [
    "create table stock (product int primary key, on_hand int not null)",
    "create table roster (courier int primary key, on_duty int not null)",
    "create table account (name varchar(20) primary key, balance int not null)",
]
CONTENTS = [
    "insert into stock values " + ", ".join(f"({n}, {IN_STOCK})" for n in range(PRODUCTS)),
    "insert into roster values " + ", ".join(f"({n}, 1)" for n in range(COURIERS)),
    f"insert into account values ('till', {IN_TILL}), ('bank', {IN_BANK})",
]

READ_COMMITTED = "READ COMMITTED"
REPEATABLE_READ = "REPEATABLE READ"
SERIALIZABLE = "SERIALIZABLE"


class Day:
    """What one day in the shop came to. Threads add to it."""

    def __init__(self):
        self._lock = threading.Lock()
        self.sold = 0
        self.nobody_on_duty = 0
        self.reports = 0
        self.wrong_reports = 0
        self.retries = 0

    def add(self, **numbers):
        with self._lock:
            for name, number in numbers.items():
                setattr(self, name, getattr(self, name) + number)


def wait_for_somebody():
    """A payment service, a person, another query: whatever code waits for in a transaction."""
    time.sleep(random.uniform(0.001, 0.006))


def buy(cursor, day):
    product = random.randrange(PRODUCTS)
    cursor.execute("select on_hand from stock where product = %s", (product,))
    left = cursor.fetchone()[0]
    wait_for_somebody()
    cursor.execute("update stock set on_hand = %s where product = %s", (left - 1, product))
    return lambda: day.add(sold=1)


def go_home(courier):
    def work(cursor, _day):
        cursor.execute("select count(*) from roster where on_duty = 1")
        on_duty = cursor.fetchone()[0]
        wait_for_somebody()
        if on_duty > 1:
            cursor.execute("update roster set on_duty = 0 where courier = %s", (courier,))
        return None
    return work


def come_back(courier):
    def work(cursor, day):
        cursor.execute("select count(*) from roster where on_duty = 1")
        nobody = cursor.fetchone()[0] == 0
        cursor.execute("update roster set on_duty = 1 where courier = %s", (courier,))
        return lambda: day.add(nobody_on_duty=int(nobody))
    return work


def carry_to_the_bank(cursor, _day):
    cursor.execute("update account set balance = balance - 1 where name = 'till'")
    wait_for_somebody()
    cursor.execute("update account set balance = balance + 1 where name = 'bank'")
    return None


def add_up(cursor, day):
    cursor.execute("select balance from account where name = 'till'")
    till = cursor.fetchone()[0]
    wait_for_somebody()
    cursor.execute("select balance from account where name = 'bank'")
    wrong = till + cursor.fetchone()[0] != IN_TILL + IN_BANK
    return lambda: day.add(reports=1, wrong_reports=int(wrong))


class Worker(threading.Thread):
    """Does its works in turn, each in a transaction, until the day is over."""

    def __init__(self, database, level, works, day, closing_time):
        super().__init__()
        self._database = database
        self._works = works
        self._day = day
        self._closing_time = closing_time
        self._connection = database.connect(level)
        self.failure = None

    def run(self):
        try:
            while time.monotonic() < self._closing_time:
                for work in self._works:
                    self._do(work)
        except Exception as error:
            self.failure = error
        finally:
            self._connection.close()

    def _do(self, work):
        while True:
            try:
                with self._connection.cursor() as cursor:
                    done = work(cursor, self._day)
                self._connection.commit()
            except self._database.errors as error:
                if not self._database.is_worth_a_retry(error):
                    raise
                self._connection.rollback()
                self._day.add(retries=1)
                continue
            if done:
                done()
            return


def open_shop(database):
    connection = database.connect(READ_COMMITTED)
    with connection.cursor() as cursor:
        for statement in [*SCHEMA, *CONTENTS]:
            cursor.execute(statement)
    connection.commit()
    connection.close()


def left_in_stock(database):
    connection = database.connect(READ_COMMITTED)
    with connection.cursor() as cursor:
        cursor.execute("select sum(on_hand) from stock")
        left = int(cursor.fetchone()[0])
    connection.close()
    return left


def one_day(database, seconds, level=None):
    """The shop as it was written; or with all its transactions at one level."""
    day = Day()
    closing_time = time.monotonic() + seconds
    jobs = [(READ_COMMITTED, [buy])] * 3
    jobs += [(REPEATABLE_READ, [go_home(n), come_back(n)]) for n in range(COURIERS)]
    jobs += [(READ_COMMITTED, [carry_to_the_bank]), (READ_COMMITTED, [add_up])]
    workers = [Worker(database, level or usual, works, day, closing_time) for usual, works in jobs]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        if worker.failure:
            raise worker.failure
    return day
