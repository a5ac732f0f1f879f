"""A throw-away server of the MySQL family with the tables that the workloads use.

Oracle's MySQL where it can be had, since MySQL Router asks for it; else Debian's MariaDB.
"""
import os
import pathlib
import subprocess

from child_process import ChildProcess, as_unprivileged, free_port, unprivileged_user
from debian_programs import program_of
from failure import BenchmarkFailure

DATABASE = "bench"
USER = "bench"
ROW_BYTES = 100
MARIADB = pathlib.Path("/usr/sbin/mariadbd")

# What a disk would add is noise here: the proxy is what is measured.
SETTINGS = {
    "bind-address": "127.0.0.1",
    "innodb-flush-log-at-trx-commit": "0",
    "innodb-buffer-pool-size": "512M",
    "sync-binlog": "0",
    "performance-schema": "OFF",
    "max-connections": "1200",
    "max-prepared-stmt-count": "100000",
}


def server_program(folder):
    if folder is None:
        if not MARIADB.exists():
            raise BenchmarkFailure(f"there is no {MARIADB}: see packages.debian")
        return [MARIADB, "--no-defaults"]
    return [*program_of(folder, "usr/sbin/mysqld"), "--no-defaults", f"--basedir={folder}/usr",
            f"--lc-messages-dir={folder}/usr/share/mysql", "--secure-file-priv=NULL",
            "--mysqlx=OFF"]


class MysqlServer:
    """Listens on 127.0.0.1:port, without TLS; users root and bench need no password."""

    def __init__(self, folder, root):
        self.folder = pathlib.Path(folder)
        self.port = free_port()
        self.socket = self.folder / "server.sock"
        user = unprivileged_user()
        if user is not None:
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        data = self.folder / "data"
        # A server that starts removes the temporary tables of others from a folder that they share.
        program = server_program(root)
        own = f"--tmpdir={self.folder}"
        if root is None:
            self._run(["mariadb-install-db", "--no-defaults", f"--datadir={data}", own,
                       "--auth-root-authentication-method=normal", "--skip-test-db"])
        else:
            self._run([*program, "--initialize-insecure", f"--datadir={data}", own])
        plain = "--skip-ssl" if root is None else "--tls-version="
        settings = [f"--{name}={value}" for name, value in SETTINGS.items()]
        self.child = ChildProcess(
            "server", [*program, *settings, f"--datadir={data}", own, f"--socket={self.socket}",
                       f"--port={self.port}", f"--pid-file={self.folder}/pid", "--skip-log-bin",
                       plain],
            self.folder / "server.log", identity=as_unprivileged())
        try:
            self.child.wait_until(lambda: "ready for connections" in self.child.output())
            self.sql(f"CREATE DATABASE {DATABASE}; CREATE USER {USER}@'%';"
                     f" GRANT ALL ON *.* TO {USER}@'%'")
        except BaseException:
            self.child.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.stop()

    def create_bulk_table(self, rows):
        digits = " CROSS JOIN ".join(
            f"(SELECT 0 UNION ALL {' UNION ALL '.join(['SELECT 1'] * 9)}) d{i}" for i in range(7))
        self.sql(f"CREATE TABLE {DATABASE}.bulk_out (line CHAR({ROW_BYTES}) CHARACTER SET latin1"
                 " NOT NULL) ENGINE=InnoDB;"
                 f" INSERT INTO {DATABASE}.bulk_out SELECT REPEAT('x', {ROW_BYTES})"
                 f" FROM {digits} LIMIT {rows}")

    def sql(self, text):
        """Past every proxy."""
        return self._run(["mariadb", "--no-defaults", "--batch", "--skip-column-names",
                          "--user=root", f"--socket={self.socket}", f"--execute={text}"])

    def _run(self, command):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                              cwd=self.folder, **as_unprivileged())
        if done.returncode != 0:
            raise BenchmarkFailure(f"{' '.join(map(str, command[:4]))} failed:\n{done.stderr}")
        return done.stdout.strip()
