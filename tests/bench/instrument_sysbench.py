"""What instrumentation costs in front of the MySQL family, by sysbench: every mode of isotap against
no proxy."""
import pathlib
import subprocess
import tempfile
from contextlib import ExitStack, contextmanager

import legs as ways
from campaign import PLAIN, RATIO, Figure, Workload
from failure import BenchmarkFailure
from instrument_postgres import CPU_GOAL, LEGS, at_least
from mysql_server import DATABASE, USER, MysqlServer, server_program
from relay_mysql import PROTOCOLS, events
from sysbench import sysbench

RATE = Figure("throughput", RATIO)
CPU = Figure("cpu", PLAIN, "µs", 1)

# One statement an event, out of sysbench's own: what it reads or writes is what is dear here.
READS_NOTHING = ("--skip-trx=on", "--point-selects=0", "--simple-ranges=0", "--sum-ranges=0",
                 "--order-ranges=0", "--distinct-ranges=0")
SINGLE = (
    ("hot row", "oltp_update_non_index", ("--table-size=1",), (at_least(1 / 1.3, ways.RELAY),)),
    ("100 rows", "oltp_read_only", (*READS_NOTHING, "--simple-ranges=1"), ()),
    ("sum of 100 rows", "oltp_read_only", (*READS_NOTHING, "--sum-ranges=1"), ()),
)


def programs(engine, root, isotap):
    return {engine: [*server_program(root), "--version"],
            "sysbench": [ways.program("sysbench"), "--version"],
            "isotap": [isotap, "version"]}


@contextmanager
def open_legs(engine, root, options):
    """Starts isotap in each mode; yields (legs by name, workloads). `instrument` works on a server of
    its own, whose tables have the columns and triggers that it needs: they are part of its price."""
    table = ("--tables=1", f"--table-size={1_000 if options.quick else 100_000}")
    isotap = pathlib.Path(options.isotap).resolve()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="isotap-bench-"))
        plain, named = (stack.enter_context(server_with_tables(root, table)) for _ in range(2))
        added = subprocess.run([isotap, "schema", "add", url_of(named)], capture_output=True,
                               text=True)
        if added.returncode != 0:
            raise BenchmarkFailure(f"isotap schema add:\n{added.stderr}")
        started = [
            ways.Leg(ways.DIRECT, plain.port),
            *(ways.start_isotap(stack, folder, isotap, url_of(server), mode, options.threads)
              for mode, server in (("relay", plain), ("observe", plain), ("instrument", named))),
            ways.Leg(ways.DIRECT_AGAIN, plain.port),
        ]
        yield {leg.name: leg for leg in started}, workloads(engine, options.seconds, table)


@contextmanager
def server_with_tables(root, table):
    with tempfile.TemporaryDirectory(prefix="isotap-bench-") as folder:
        with MysqlServer(folder, root) as server:
            sysbench(server.port, "oltp_read_write", (*table, "prepare"))
            yield server


def url_of(server):
    return f"mysql://{USER}@127.0.0.1:{server.port}/{DATABASE}"


def workloads(engine, seconds, table):
    listed = []
    for kind, script, least in (("point select", "oltp_point_select", 0.75),
                                ("read-write", "oltp_read_write", 0.6)):
        goals = (at_least(least, ways.RELAY), CPU_GOAL)
        for protocol, mode in PROTOCOLS:
            for threads in (1, 8, 32):
                plural = "" if threads == 1 else "s"
                listed.append(Workload(
                    f"{engine} {kind} {protocol}, {threads} thread{plural}", LEGS, (RATE, CPU), goals,
                    events(script, threads, seconds, (*table, f"--db-ps-mode={mode}"))))
    for kind, script, settings, goals in SINGLE:
        listed.append(Workload(f"{engine} {kind} prepared, 1 thread", LEGS, (RATE, CPU), goals,
                               events(script, 1, seconds, (*table, *settings))))
    return listed
