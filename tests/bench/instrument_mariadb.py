"""What instrumentation costs in front of MariaDB: every mode of isotap against no proxy."""
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


def programs(isotap):
    return {"MariaDB": [*server_program(None), "--version"],
            "sysbench": [ways.program("sysbench"), "--version"],
            "isotap": [isotap, "version"]}


@contextmanager
def open_legs(options):
    """Starts the server, names the rows of its tables, starts isotap in each mode; yields (legs by
    name, workloads). All legs work on the tables with the columns: what those cost by themselves is
    the server's part, and not measured here."""
    table = ("--tables=1", f"--table-size={1_000 if options.quick else 100_000}")
    with tempfile.TemporaryDirectory(prefix="isotap-bench-") as folder, ExitStack() as stack:
        server = stack.enter_context(MysqlServer(folder, None))
        upstream = f"mysql://{USER}@127.0.0.1:{server.port}/{DATABASE}"
        isotap = pathlib.Path(options.isotap).resolve()
        sysbench(server.port, "oltp_read_write", (*table, "prepare"))
        added = subprocess.run([isotap, "schema", "add", upstream], capture_output=True, text=True)
        if added.returncode != 0:
            raise BenchmarkFailure(f"isotap schema add:\n{added.stderr}")
        started = [
            ways.Leg(ways.DIRECT, server.port),
            *(ways.start_isotap(stack, folder, isotap, upstream, mode, options.threads)
              for mode in ("relay", "observe", "instrument")),
            ways.Leg(ways.DIRECT_AGAIN, server.port),
        ]
        yield {leg.name: leg for leg in started}, workloads(options.seconds, table)


def workloads(seconds, table):
    listed = []
    for kind, script, least in (("point select", "oltp_point_select", 0.75),
                                ("read-write", "oltp_read_write", 0.6)):
        goals = (at_least(least, ways.RELAY), CPU_GOAL)
        for protocol, mode in PROTOCOLS:
            for threads in (1, 8, 32):
                plural = "" if threads == 1 else "s"
                listed.append(Workload(
                    f"{kind} {protocol}, {threads} thread{plural}", LEGS, (RATE, CPU), goals,
                    events(script, threads, seconds, (*table, f"--db-ps-mode={mode}"))))
    return listed
