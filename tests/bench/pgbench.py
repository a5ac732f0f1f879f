"""One run of pgbench, and what it says."""
import os
import pathlib
import re
import subprocess
import tempfile

from failure import BenchmarkFailure
from postgres_server import DATABASE, PROGRAMS, USER

THREADS = 2
RATE = re.compile(r"^tps = ([\d.]+)", re.M)
TRANSACTIONS = re.compile(r"^number of transactions actually processed: (\d+)", re.M)
LOG_LATENCY_COLUMN = 2
GRACE_SECONDS = 60


class PgbenchRun:
    """transactions, transactions a second, and their latencies in µs when they were logged."""

    def __init__(self, transactions, rate, latencies):
        self.transactions = transactions
        self.rate = rate
        self.latencies = latencies


def run_pgbench(port, clients, seconds, options=(), log_latencies=False):
    environment = {**os.environ, "PGSSLMODE": "disable", "PGGSSENCMODE": "disable"}
    with tempfile.TemporaryDirectory(prefix="isotap-pgbench-") as folder:
        log = ["-l", f"--log-prefix={folder}/latency"] if log_latencies else []
        command = [PROGRAMS / "pgbench", "-h", "127.0.0.1", "-p", port, "-U", USER,
                   "-c", clients, "-j", min(clients, THREADS), "-T", seconds,
                   *options, *log, DATABASE]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                              env=environment, timeout=seconds + GRACE_SECONDS)
        rate, transactions = RATE.search(done.stdout), TRANSACTIONS.search(done.stdout)
        if done.returncode != 0 or not rate or not int(transactions.group(1)):
            raise BenchmarkFailure(f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}")
        return PgbenchRun(int(transactions.group(1)), float(rate.group(1)),
                          read_latencies(pathlib.Path(folder)))


def read_latencies(folder):
    return sorted(int(line.split()[LOG_LATENCY_COLUMN])
                  for file in folder.glob("latency.*") for line in file.open())
