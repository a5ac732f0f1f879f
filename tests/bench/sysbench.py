"""One run of sysbench, and what it says."""
import re
import subprocess

from failure import BenchmarkFailure
from legs import program
from mysql_server import DATABASE, USER

EVENTS = re.compile(r"total number of events:\s+(\d+)")
SECONDS = re.compile(r"total time:\s+([\d.]+)s")
GRACE_SECONDS = 120
# What two transactions in each other's way get; sysbench tries again.
RETRIED = "1213,1205,1020"


class SysbenchRun:
    """How many events there were, and how many a second."""

    def __init__(self, events, seconds):
        self.events = events
        self.rate = events / seconds


def sysbench(port, script, arguments, seconds=0):
    command = [program("sysbench"), script, "--db-driver=mysql", "--mysql-host=127.0.0.1",
               f"--mysql-port={port}", f"--mysql-user={USER}", f"--mysql-db={DATABASE}",
               f"--mysql-ignore-errors={RETRIED}", f"--time={seconds}", *arguments]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          timeout=seconds + GRACE_SECONDS)
    if done.returncode != 0:
        raise BenchmarkFailure(f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}")
    return done.stdout


def run_sysbench(port, script, threads, seconds, options=()):
    said = sysbench(port, script, (f"--threads={threads}", *options, "run"), seconds)
    events, lasted = EVENTS.search(said), SECONDS.search(said)
    if not events or not lasted or not int(events.group(1)):
        raise BenchmarkFailure(f"sysbench {script} did nothing:\n{said}")
    return SysbenchRun(int(events.group(1)), float(lasted.group(1)))
