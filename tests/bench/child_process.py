"""Programs that a benchmark starts: none outlives it, each tells its processor time and memory."""
import ctypes
import os
import pathlib
import pwd
import signal
import socket
import subprocess
import time

from failure import BenchmarkFailure

START_SECONDS = 60
STOP_SECONDS = 20
POLL_SECONDS = 0.02
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
UNPRIVILEGED = ("postgres", "nobody")
PR_SET_PDEATHSIG = 1

libc = ctypes.CDLL(None)


def unprivileged_user():
    """Who runs servers that refuse to run as root; None when we are not root."""
    if os.geteuid() != 0:
        return None
    for name in UNPRIVILEGED:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise BenchmarkFailure(f"no user of {UNPRIVILEGED} to run servers as")


def as_unprivileged():
    user = unprivileged_user()
    if user is None:
        return {}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def end_with_parent(stop_signal):
    """Runs in the child: even a killed benchmark leaves nothing behind."""
    libc.prctl(PR_SET_PDEATHSIG, stop_signal)


class ChildProcess:
    """A running program; stop() or the end of a `with` block ends it."""

    def __init__(self, name, command, log, stop_signal=signal.SIGTERM, identity=None):
        self.name = name
        self.log = pathlib.Path(log)
        self.stop_signal = stop_signal
        with open(self.log, "wb") as output:
            # A session of its own: Ctrl-C reaches the benchmark, which stops things in order.
            self.process = subprocess.Popen(
                [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True, cwd=self.log.parent,
                preexec_fn=lambda: end_with_parent(stop_signal), **(identity or {}))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(self.stop_signal)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def require_running(self):
        if self.process.poll() is not None:
            raise BenchmarkFailure(f"{self.name} ended with code {self.process.returncode}:\n"
                                   + self.output())

    def output(self):
        return self.log.read_text(errors="replace")

    def wait_until(self, ready):
        """Polls until ready() is true, and returns that value."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            self.require_running()
            value = ready()
            if value:
                return value
            if time.monotonic() > deadline:
                raise BenchmarkFailure(f"{self.name} is not ready in {START_SECONDS} s:\n"
                                       + self.output())
            time.sleep(POLL_SECONDS)

    def wait_for_port(self, port):
        def answers():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0
        self.wait_until(answers)

    def processor_microseconds(self):
        """User and system time of all its threads, also of those that have ended."""
        stat = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        fields = stat.rpartition(")")[2].split()
        user_ticks, system_ticks = int(fields[11]), int(fields[12])
        return (user_ticks + system_ticks) * 1_000_000 / TICKS_PER_SECOND

    def resident_kib(self):
        return self._status("VmRSS")

    def peak_resident_kib(self):
        return self._status("VmHWM")

    def _status(self, field):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith(field + ":"))
        return int(line.split()[1])
