"""What instrumentation costs in front of PostgreSQL: every mode of isotap against no proxy."""
import pathlib
import tempfile
from contextlib import ExitStack, contextmanager

import legs as ways
from campaign import PLAIN, RATIO, Figure, Goal, Workload
from postgres_server import DATABASE, PROGRAMS, USER, PostgresServer
from relay_postgres import measure_pgbench

LEGS = (ways.DIRECT, ways.RELAY, ways.OBSERVE, ways.INSTRUMENT, ways.DIRECT_AGAIN)
RATE = Figure("throughput", RATIO)
CPU = Figure("cpu", PLAIN, "µs", 1)
CPU_GOAL = Goal("cpu", ways.INSTRUMENT, RATIO, ways.RELAY, at_most=2.5)


def at_least(share, of):
    return Goal("throughput", ways.INSTRUMENT, RATIO, of, at_least=share)


# Beside pgbench's own: what one statement reads or writes is what is dear here. A row that is
# updated again and again is where versions kept in the row itself would grow: against the relay, as
# one client's throughput falls by more than that through any proxy.
SCRIPTS = {
    "hot row": ("UPDATE pgbench_branches SET bbalance = bbalance + 1 WHERE bid = 1;\n",
                (at_least(1 / 1.3, ways.RELAY),)),
    "100 rows": ("\\set first random(1, 100000 * :scale - 100)\n"
                 "SELECT * FROM pgbench_accounts WHERE aid BETWEEN :first AND :first + 99;\n", ()),
    "sum of 100 rows": ("\\set first random(1, 100000 * :scale - 100)\n"
                        "SELECT sum(abalance) FROM pgbench_accounts"
                        " WHERE aid BETWEEN :first AND :first + 99;\n", ()),
}


def programs(isotap):
    return {"PostgreSQL": [PROGRAMS / "postgres", "--version"], "isotap": [isotap, "version"]}


@contextmanager
def open_legs(options):
    """Starts the server and every proxy; yields (legs by name, workloads)."""
    with tempfile.TemporaryDirectory(prefix="isotap-bench-") as folder, ExitStack() as stack:
        server = stack.enter_context(PostgresServer(folder))
        server.create_tables(1 if options.quick else 10, 1_000)
        upstream = f"postgres://{USER}@127.0.0.1:{server.port}/{DATABASE}"
        isotap = pathlib.Path(options.isotap).resolve()
        started = [
            ways.Leg(ways.DIRECT, server.port),
            *(ways.start_isotap(stack, folder, isotap, upstream, mode, options.threads)
              for mode in ("relay", "observe", "instrument")),
            ways.Leg(ways.DIRECT_AGAIN, server.port),
        ]
        yield {leg.name: leg for leg in started}, workloads(options.seconds, pathlib.Path(folder))


def workloads(seconds, folder):
    listed = []
    for name, script, least in (("select-only", ("-S", "-n"), 0.85), ("tpcb-like", ("-n",), 0.75)):
        for protocol in ("simple", "prepared"):
            for clients in (1, 8, 32):
                plural = "" if clients == 1 else "s"
                listed.append(workload(f"{name} {protocol}, {clients} client{plural}", clients,
                                       seconds, (*script, "-M", protocol),
                                       (at_least(least, ways.RELAY), CPU_GOAL)))
    for name, (text, goals) in SCRIPTS.items():
        file = folder / (name.replace(" ", "-") + ".sql")
        file.write_text(text)
        listed.append(workload(f"{name} prepared, 1 client", 1, seconds,
                               ("-n", "-M", "prepared", "-f", file), goals))
    return listed


def workload(name, clients, seconds, options, goals):
    return Workload(name, LEGS, (RATE, CPU), goals,
                    lambda leg: measure_pgbench(leg, clients, seconds, options))
