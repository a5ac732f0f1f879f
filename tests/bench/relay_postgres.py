"""What forwarding costs in front of PostgreSQL: isotap against no proxy, pgbouncer and haproxy."""
import pathlib
import tempfile
import time
from contextlib import ExitStack, contextmanager

import legs as ways
from campaign import DIFFERENCE, PLAIN, RATIO, Figure, Goal, Workload
from failure import BenchmarkFailure
from pgbench import run_pgbench
from postgres_client import PostgresClient, message
from postgres_server import DATABASE, PROGRAMS, ROW_BYTES, USER, PostgresServer

ALL_LEGS = (ways.DIRECT, ways.HAPROXY, ways.PGBOUNCER, ways.RELAY, ways.OBSERVE,
            ways.DIRECT_AGAIN)
PROXY_LEGS = (ways.HAPROXY, ways.PGBOUNCER, ways.RELAY, ways.OBSERVE)

COPY_BLOCK_ROWS = 80          # fills 8 kB, the piece in which psql sends
COPY_BLOCKS_AT_ONCE = 125
STALLED_ROW_BYTES = 1000
STALLED_SIGHTINGS = 20        # in a row: the server has really come to a halt
MEGABYTE = 1_000_000
MEBIBYTE = 1 << 20

RATE = Figure("throughput", RATIO)
CPU = Figure("cpu", PLAIN, "µs", 1)
CPU_OF_MEGABYTE = Figure("cpu", PLAIN, "µs/MB", 0)
OBSERVE_GOALS = (
    Goal("throughput", ways.OBSERVE, RATIO, ways.RELAY, at_least=0.95),
    Goal("cpu", ways.OBSERVE, RATIO, ways.RELAY, at_most=1.2),
)
ROUND_TRIP_GOALS = (
    Goal("throughput", ways.RELAY, RATIO, ways.PGBOUNCER, at_least=1),
    Goal("throughput", ways.RELAY, RATIO, ways.HAPROXY, at_least=1),
    Goal("cpu", ways.RELAY, RATIO, ways.PGBOUNCER, at_most=0.9),
    *OBSERVE_GOALS,
)
BULK_GOALS = (
    Goal("throughput", ways.RELAY, RATIO, ways.HAPROXY, at_least=0.98),
    Goal("cpu", ways.RELAY, RATIO, ways.HAPROXY, at_most=1.1),
    *OBSERVE_GOALS,
)
CONNECT_GOALS = (Goal("throughput", ways.RELAY, RATIO, ways.HAPROXY, at_least=1),)
LATENCY_GOALS = (
    Goal("p50", ways.RELAY, DIFFERENCE, ways.HAPROXY, at_most=0, unit="µs"),
    Goal("p99", ways.RELAY, DIFFERENCE, ways.HAPROXY, at_most=0, unit="µs"),
)
IDLE_GOALS = tuple(Goal("memory", leg, DIFFERENCE, ways.PGBOUNCER, at_most=16, unit="KiB")
                   for leg in (ways.RELAY, ways.OBSERVE))
STALLED_GOALS = tuple(Goal("peak memory", leg, PLAIN, at_most=100, unit="MiB")
                      for leg in (ways.RELAY, ways.OBSERVE))


class Sizes:
    """How much each workload moves: enough to measure, or just enough to see that it runs."""

    def __init__(self, quick):
        self.pgbench_scale = 1 if quick else 10
        self.bulk_rows = 20_000 if quick else 1_000_000
        self.idle_connections = 50 if quick else 1_000
        self.stalled_bytes = 64 * MEBIBYTE if quick else 1024 * MEBIBYTE


def programs(isotap):
    """{name: command that prints its version} of what is compared."""
    return {
        "PostgreSQL": [PROGRAMS / "postgres", "--version"],
        "pgbouncer": [ways.program("pgbouncer"), "--version"],
        "haproxy": [ways.program("haproxy"), "-v"],
        "isotap": [isotap, "version"],
    }


@contextmanager
def open_legs(options):
    """Starts the server and every proxy; yields (legs by name, workloads)."""
    sizes = Sizes(options.quick)
    with tempfile.TemporaryDirectory(prefix="isotap-bench-") as folder, ExitStack() as stack:
        server = stack.enter_context(PostgresServer(folder))
        server.create_tables(sizes.pgbench_scale, sizes.bulk_rows)
        upstream = f"postgres://{USER}@127.0.0.1:{server.port}/{DATABASE}"
        started = [
            ways.Leg(ways.DIRECT, server.port),
            ways.Leg(ways.DIRECT_AGAIN, server.port),
            ways.start_haproxy(stack, folder, server.port, options.threads),
            ways.start_pgbouncer(stack, folder, server.port, USER),
            *(ways.start_isotap(stack, folder, pathlib.Path(options.isotap).resolve(), upstream,
                                mode, options.threads) for mode in ("relay", "observe")),
        ]
        yield ({leg.name: leg for leg in started},
               workloads(options.seconds, sizes, server))


def workloads(seconds, sizes, server):
    listed = []
    for name, script in (("select-only", ("-S", "-n")), ("tpcb-like", ())):
        for protocol in ("simple", "prepared"):
            for clients in (1, 8, 32):
                plural = "" if clients == 1 else "s"
                listed.append(round_trips(f"{name} {protocol}, {clients} client{plural}",
                                          clients, seconds, (*script, "-M", protocol)))
    listed.append(latency(seconds))
    listed.append(Workload("connect, authenticate, one query, 8 clients", ALL_LEGS, (RATE, CPU),
                           CONNECT_GOALS,
                           lambda leg: measure_pgbench(leg, 8, seconds, ("-C", "-S", "-n"))))
    listed.extend(bulk(seconds, sizes.bulk_rows))
    listed.append(Workload(f"memory of one of {sizes.idle_connections} idle connections",
                           PROXY_LEGS, (Figure("memory", PLAIN, "KiB", 1),), IDLE_GOALS,
                           lambda leg: measure_idle(leg, sizes.idle_connections)))
    listed.append(Workload(f"a result of {sizes.stalled_bytes // MEBIBYTE} MiB, client stops"
                           " reading", PROXY_LEGS, (Figure("peak memory", PLAIN, "MiB", 0),),
                           STALLED_GOALS,
                           lambda leg: measure_stalled(leg, sizes.stalled_bytes, server)))
    return listed


def round_trips(name, clients, seconds, options):
    return Workload(name, ALL_LEGS, (RATE, CPU), ROUND_TRIP_GOALS,
                    lambda leg: measure_pgbench(leg, clients, seconds, options))


def measure_pgbench(leg, clients, seconds, options):
    before = processor_time(leg)
    run = run_pgbench(leg.port, clients, seconds, options)
    return {"throughput": run.rate, **cost(leg, before, run.transactions)}


def latency(seconds):
    def measure(leg):
        run = run_pgbench(leg.port, 1, seconds, ("-S", "-n"), log_latencies=True)
        return {"p50": percentile(run.latencies, 50), "p99": percentile(run.latencies, 99)}
    return Workload("added latency at 1 client (p50; p99)", ALL_LEGS,
                    (Figure("p50", DIFFERENCE, "µs", 0), Figure("p99", DIFFERENCE, "µs", 0)),
                    LATENCY_GOALS, measure)


def percentile(ascending, percent):
    return ascending[min(len(ascending) - 1, len(ascending) * percent // 100)]


def bulk(seconds, rows):
    count = f"{rows / 1e6:g}M" if rows >= 1_000_000 else f"{rows // 1000}k"
    block = message(b"d", (b"x" * ROW_BYTES + b"\n") * COPY_BLOCK_ROWS) * COPY_BLOCKS_AT_ONCE
    blocks = max(1, rows // (COPY_BLOCK_ROWS * COPY_BLOCKS_AT_ONCE))
    rows_in = blocks * COPY_BLOCK_ROWS * COPY_BLOCKS_AT_ONCE

    def select(client):
        client.query("SELECT line FROM bulk_out")
        return rows

    def copy_out(client):
        client.query("COPY bulk_out TO STDOUT")
        return rows

    def copy_in(client):
        client.copy_in("COPY bulk_in FROM STDIN", block, blocks)
        client.query("TRUNCATE bulk_in")
        return rows_in

    return [Workload(f"{count} rows × {ROW_BYTES} B, {name}", ALL_LEGS, (RATE, CPU_OF_MEGABYTE),
                     BULK_GOALS, lambda leg, move=move: measure_bulk(leg, seconds, move))
            for name, move in (("SELECT", select), ("COPY out", copy_out), ("COPY in", copy_in))]


def measure_bulk(leg, seconds, move):
    """Moves the table again and again until the time is over."""
    with PostgresClient(leg.port) as client:
        before = processor_time(leg)
        began = time.monotonic()
        megabytes = 0
        while megabytes == 0 or time.monotonic() - began < seconds:
            megabytes += move(client) * ROW_BYTES / MEGABYTE
        elapsed = time.monotonic() - began
        return {"throughput": megabytes / elapsed, **cost(leg, before, megabytes)}


def measure_idle(leg, connections):
    """Each connection has asked once, so that it has a server connection of its own."""
    with ExitStack() as stack:
        fresh = leg.another(stack)
        clients = ExitStack()
        stack.push(clients)
        with PostgresClient(fresh.port) as first:
            first.query("SELECT 1")
        before = fresh.proxy.resident_kib()
        for _ in range(connections):
            clients.enter_context(PostgresClient(fresh.port)).query("SELECT 1")
        return {"memory": (fresh.proxy.resident_kib() - before) / connections}


def measure_stalled(leg, size, server):
    """Asks for much, reads nothing until the server can send no more, then reads it all."""
    with ExitStack() as stack:
        fresh = leg.another(stack)
        client = stack.enter_context(PostgresClient(fresh.port))
        client.ask(f"SELECT repeat('x', {STALLED_ROW_BYTES}),"
                   f" generate_series(1, {size // STALLED_ROW_BYTES})")
        sightings = 0
        while sightings < STALLED_SIGHTINGS:
            # ClientRead: the proxy has taken all of it; its memory then tells.
            waiting = server.sql("SELECT count(*) FROM pg_stat_activity"
                                 " WHERE query LIKE 'SELECT repeat%'"
                                 " AND wait_event IN ('ClientWrite', 'ClientRead')")
            sightings = sightings + 1 if waiting == "1" else 0
        if client.read_until_ready() < size:
            raise BenchmarkFailure(f"{leg.name}: the result is not whole")
        return {"peak memory": fresh.proxy.peak_resident_kib() / 1024}


def processor_time(leg):
    return leg.proxy.processor_microseconds() if leg.proxy else 0


def cost(leg, before, operations):
    if leg.proxy is None:
        return {}
    return {"cpu": (processor_time(leg) - before) / operations}
