"""What forwarding costs in front of MySQL: isotap against no proxy, haproxy and MySQL Router."""
import pathlib
import tempfile
import time
from contextlib import ExitStack, contextmanager

import legs as ways
from campaign import PLAIN, RATIO, Figure, Goal, Workload
from debian_programs import mysql_folder
from mysql_client import MysqlClient
from mysql_server import DATABASE, ROW_BYTES, USER, MysqlServer, server_program
from relay_postgres import BULK_GOALS, CONNECT_GOALS, OBSERVE_GOALS, cost, processor_time
from sysbench import run_sysbench, sysbench

HERE = pathlib.Path(__file__).resolve().parent
MEGABYTE = 1_000_000
# Text or prepared, as sysbench names it.
PROTOCOLS = (("text", "disable"), ("prepared", "auto"))

RATE = Figure("throughput", RATIO)
CPU = Figure("cpu", PLAIN, "µs", 1)
CPU_OF_MEGABYTE = Figure("cpu", PLAIN, "µs/MB", 0)
ROUND_TRIP_GOALS = (
    Goal("cpu", ways.RELAY, RATIO, ways.HAPROXY, at_most=0.85),
    *OBSERVE_GOALS,
)


class Sizes:
    """How much each workload moves: enough to measure, or just enough to see that it runs."""

    def __init__(self, quick):
        self.table_rows = 1_000 if quick else 100_000
        self.bulk_rows = 20_000 if quick else 1_000_000


def programs(isotap):
    """{name: command that prints its version} of what is compared."""
    folder = mysql_folder()
    named = {"MySQL": [*server_program(folder), "--version"],
             "haproxy": [ways.program("haproxy"), "-v"],
             "sysbench": [ways.program("sysbench"), "--version"],
             "isotap": [isotap, "version"]}
    if folder is not None:
        named["MySQL Router"] = [*ways.router_program(folder), "--version"]
    return named


@contextmanager
def open_legs(options):
    """Starts the server and every proxy; yields (legs by name, workloads)."""
    sizes = Sizes(options.quick)
    root = mysql_folder()
    with tempfile.TemporaryDirectory(prefix="isotap-bench-") as folder, ExitStack() as stack:
        server = stack.enter_context(MysqlServer(folder, root))
        server.create_bulk_table(sizes.bulk_rows)
        upstream = f"mysql://{USER}@127.0.0.1:{server.port}/{DATABASE}"
        router = [] if root is None else [ways.start_router(stack, folder, server.port, root)]
        started = [
            ways.Leg(ways.DIRECT, server.port),
            ways.start_haproxy(stack, folder, server.port, options.threads),
            *router,
            *(ways.start_isotap(stack, folder, pathlib.Path(options.isotap).resolve(), upstream,
                                mode, options.threads) for mode in ("relay", "observe")),
            ways.Leg(ways.DIRECT_AGAIN, server.port),
        ]
        table = ("--tables=1", f"--table-size={sizes.table_rows}")
        sysbench(server.port, "oltp_read_write", (*table, "prepare"))
        yield ({leg.name: leg for leg in started},
               workloads(options.seconds, sizes, table, tuple(leg.name for leg in started)))


def workloads(seconds, sizes, table, names):
    listed = []
    for kind, script in (("point select", "oltp_point_select"), ("read-write", "oltp_read_write")):
        for protocol, mode in PROTOCOLS:
            for threads in (1, 8, 32):
                plural = "" if threads == 1 else "s"
                listed.append(Workload(
                    f"{kind} {protocol}, {threads} thread{plural}", names, (RATE, CPU),
                    ROUND_TRIP_GOALS,
                    events(script, threads, seconds, (*table, f"--db-ps-mode={mode}"))))
    listed.append(Workload("connect, authenticate, one query, 8 threads", names, (RATE, CPU),
                           CONNECT_GOALS, events(HERE / "connect.lua", 8, seconds, ())))
    count = f"{sizes.bulk_rows / 1e6:g}M" if sizes.bulk_rows >= 1e6 else f"{sizes.bulk_rows // 1000}k"
    for protocol, _ in PROTOCOLS:
        shown = "binary" if protocol == "prepared" else protocol
        listed.append(Workload(f"{count} rows × {ROW_BYTES} B {shown}", names,
                               (RATE, CPU_OF_MEGABYTE), BULK_GOALS,
                               bulk(protocol == "prepared", seconds, sizes.bulk_rows)))
    return listed


def events(script, threads, seconds, options):
    def measure(leg):
        before = processor_time(leg)
        run = run_sysbench(leg.port, script, threads, seconds, options)
        return {"throughput": run.rate, **cost(leg, before, run.events)}
    return measure


def bulk(prepared, seconds, rows):
    """Reads the table again and again until the time is over."""
    sql = "SELECT line FROM bulk_out"

    def measure(leg):
        with MysqlClient(leg.port) as client:
            if prepared:
                number = client.prepare(sql)
            before = processor_time(leg)
            began = time.monotonic()
            megabytes = 0
            while megabytes == 0 or time.monotonic() - began < seconds:
                client.execute(number) if prepared else client.query(sql)
                megabytes += rows * ROW_BYTES / MEGABYTE
            elapsed = time.monotonic() - began
            return {"throughput": megabytes / elapsed, **cost(leg, before, megabytes)}
    return measure
