"""./dev demo: a throw-away PostgreSQL, isotap in front of it, and a small shop that counts its stock
the wrong way.

Each customer reads what is in a list, adds an order and writes the list back, as code does that was
written without thinking of others. Through isotap, first at READ COMMITTED, then at SERIALIZABLE with
retries. What every customer saw is kept as a history, and `isotap check` judges it.

usage: demo.py [ISOTAP]
"""
import contextlib
import itertools
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import psycopg2
from psycopg2 import extensions

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/bench"))

from child_process import ChildProcess  # noqa: E402
from postgres_server import DATABASE, USER, PostgresServer  # noqa: E402

ISOTAP = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/isotap")
PRODUCTS = 3
CUSTOMERS = 4
ORDERS_EACH = 40


class History:
    """Operations in the order in which they happened, as Elle writes them."""

    def __init__(self):
        self.lines = []
        self.lock = threading.Lock()

    def add(self, kind, process, product, seen, order):
        read = "nil" if seen is None else "[" + " ".join(map(str, seen)) + "]"
        with self.lock:
            self.lines.append(
                f"{{:index {len(self.lines)}, :time {time.monotonic_ns()}, :type :{kind}, "
                f":process {process}, :f :txn, "
                f":value [[:r {product} {read}] [:append {product} {order}]]}}")


class Customer(threading.Thread):
    def __init__(self, number, port, level, orders, history):
        super().__init__()
        self.number, self.orders, self.history = number, orders, history
        self.retries = 0
        self.failure = None
        self.connection = psycopg2.connect(host="127.0.0.1", port=port, user=USER, dbname=DATABASE)
        self.connection.set_session(isolation_level=level)

    def run(self):
        try:
            for n in range(ORDERS_EACH):
                self.buy(n % PRODUCTS)
        except psycopg2.Error as error:
            self.failure = error
        finally:
            self.connection.close()

    def buy(self, product):
        while True:
            order = next(self.orders)
            self.history.add("invoke", self.number, product, None, order)
            try:
                seen = self.attempt(product, order)
                self.history.add("ok", self.number, product, seen, order)
                return
            except extensions.TransactionRollbackError:
                self.connection.rollback()
                self.history.add("fail", self.number, product, None, order)
                self.retries += 1

    def attempt(self, product, order):
        with self.connection.cursor() as cursor:
            cursor.execute("select orders from stock where product = %s", (product,))
            seen = cursor.fetchone()[0]
            cursor.execute("update stock set orders = %s where product = %s",
                           (seen + [order], product))
        self.connection.commit()
        return seen


def open_shop(server):
    server.sql("drop table if exists stock",
               "create table stock (product int primary key, orders int[] not null)",
               f"insert into stock select n, '{{}}' from generate_series(0, {PRODUCTS - 1}) n")


def trade(port, level):
    history = History()
    orders = itertools.count(1)
    customers = [Customer(n, port, level, orders, history) for n in range(CUSTOMERS)]
    for customer in customers:
        customer.start()
    for customer in customers:
        customer.join()
        if customer.failure:
            raise customer.failure
    return history, sum(customer.retries for customer in customers)


def judge(history, folder):
    file = folder / "history.edn"
    file.write_text("\n".join(history.lines) + "\n")
    done = subprocess.run([ISOTAP, "check", "--level", "serializable", file],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    return done.returncode, done.stdout


def kept(server):
    return int(server.sql("select sum(cardinality(orders)) from stock"))


def show(server, port, level, name, folder):
    open_shop(server)
    history, retries = trade(port, level)
    code, report = judge(history, folder)
    sold = CUSTOMERS * ORDERS_EACH
    print(f"\n--- {name}: {sold} orders were confirmed, {kept(server)} are in the books, "
          f"{retries} had to be tried again")
    lines = report.splitlines()
    print("\n".join(lines[:24]) + ("\n…" if len(lines) > 24 else ""))
    return code


def main():
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="isotap-demo-")))
        folder.chmod(0o755)
        data = folder / "server"
        data.mkdir()
        server = stack.enter_context(PostgresServer(data))
        tap = stack.enter_context(ChildProcess(
            "isotap", [ISOTAP, "proxy", "--upstream",
                       f"postgres://{USER}@127.0.0.1:{server.port}/{DATABASE}", "--listen",
                       "127.0.0.1:0", "--mode", "observe", "--admin", "127.0.0.1:0"],
            folder / "isotap.log"))
        tap.wait_until(lambda: "admin on" in tap.output())
        words = tap.output().split()
        port = int(words[words.index("listening") + 2].rsplit(":", 1)[1])
        admin = words[words.index("admin") + 2]
        print(f"PostgreSQL on 127.0.0.1:{server.port}, isotap in front of it on 127.0.0.1:{port}")

        wrong = show(server, port, extensions.ISOLATION_LEVEL_READ_COMMITTED, "READ COMMITTED",
                     folder)
        right = show(server, port, extensions.ISOLATION_LEVEL_SERIALIZABLE, "SERIALIZABLE", folder)

        print("\n--- what isotap saw on the wire")
        for line in urllib.request.urlopen(admin + "/metrics").read().decode().splitlines():
            if line.startswith(("isotap_transactions", "isotap_statements", "isotap_serialization")):
                print(line)
    return 0 if (wrong, right) == (1, 0) else 1


if __name__ == "__main__":
    sys.exit(main())
