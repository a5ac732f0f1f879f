"""A throw-away PostgreSQL server with the tables that the workloads use."""
import os
import pathlib
import signal
import subprocess

from child_process import ChildProcess, as_unprivileged, free_port, unprivileged_user
from failure import BenchmarkFailure

PROGRAMS = pathlib.Path("/usr/lib/postgresql/15/bin")
DATABASE = "bench"
USER = "bench"
ROW_BYTES = 100

# What a disk or a background job would add is noise here: the proxy is what is measured.
SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "1h",
    "shared_buffers": "512MB",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    "max_connections": "1200",
    "listen_addresses": "127.0.0.1",
}


class PostgresServer:
    """Listens on 127.0.0.1:port and on a unix socket in its folder, and trusts everybody there."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.port = free_port()
        user = unprivileged_user()
        if user is not None:
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        data = self.folder / "data"
        self._run([PROGRAMS / "initdb", "-D", data, "-U", USER, "--auth=trust", "--no-sync",
                   "--encoding=UTF8", "--locale=C"])
        settings = {**SETTINGS, "port": self.port, "unix_socket_directories": self.folder}
        options = [f"--{name}={value}" for name, value in settings.items()]
        # SIGINT: end the sessions, then the server.
        self.child = ChildProcess("postgres", [PROGRAMS / "postgres", "-D", data, *options],
                                  self.folder / "server.log", signal.SIGINT, as_unprivileged())
        try:
            self.child.wait_until(self._accepts)
            self._run([PROGRAMS / "createdb", "-h", self.folder, "-p", self.port, "-U", USER,
                       DATABASE])
        except BaseException:
            self.child.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.stop()

    def create_tables(self, pgbench_scale, bulk_rows):
        self._run([PROGRAMS / "pgbench", "-i", "-q", "-s", pgbench_scale, "-h", self.folder,
                   "-p", self.port, "-U", USER, DATABASE])
        self.sql(f"CREATE UNLOGGED TABLE bulk_out AS SELECT repeat('x', {ROW_BYTES}) AS line"
                 f" FROM generate_series(1, {bulk_rows})",
                 "CREATE UNLOGGED TABLE bulk_in (line text)",
                 "VACUUM ANALYZE")

    def sql(self, *statements):
        """Past every proxy."""
        commands = [part for statement in statements for part in ("-c", statement)]
        return self._run([PROGRAMS / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1",
                          "-h", self.folder, "-p", self.port, "-U", USER, *commands, DATABASE])

    def _accepts(self):
        asked = subprocess.run([PROGRAMS / "pg_isready", "-q", "-h", self.folder, "-p",
                                str(self.port)])
        return asked.returncode == 0

    def _run(self, command):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                              cwd=self.folder, **as_unprivileged())
        if done.returncode != 0:
            raise BenchmarkFailure(f"{pathlib.Path(command[0]).name} failed:\n{done.stderr}")
        return done.stdout.strip()
