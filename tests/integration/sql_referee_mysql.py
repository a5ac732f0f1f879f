"""Runs the referee of the MySQL family against a server in a temporary folder.

usage: sql_referee_mysql.py mariadb|mysql PROGRAM

The statements are those of MariaDB's test suite (packages mariadb-test, mariadb-test-data), kept in a
cache, and for MySQL also those of its own (package mysql-testsuite). By default every so many-th
file; ISOTAP_REFEREE_FILES=all takes all of them, K/N the K-th of every N. Where a suite or the
server cannot be had, the test says so and goes on without, or is skipped.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from cache_folder import cache_folder

SKIPPED = 77
PACKAGES = ["mariadb-test", "mariadb-test-data"]
EVERY = {"mariadb": 8, "mysql": 16}


def fetch(target):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        for package in PACKAGES:
            subprocess.run(["apt-get", "download", package], check=False, **quiet)
        for archive in folder.glob("*.deb"):
            subprocess.run(["dpkg", "-x", archive, folder / "content"], check=False, **quiet)
        files = list(folder.glob("content/usr/share/mysql/mysql-test/main/*.test"))
        if files:
            fresh = target.with_suffix(".new")
            shutil.rmtree(fresh, ignore_errors=True)
            fresh.mkdir(parents=True)
            for file in files:
                shutil.copy(file, fresh)
            shutil.rmtree(target, ignore_errors=True)
            fresh.rename(target)


def mysql_folder():
    """Where MySQL is unpacked, with its suite; None, with the reason on stderr."""
    script = pathlib.Path(__file__).resolve().parents[1] / "support" / "debian_folder.py"
    found = subprocess.run([sys.executable, script, cache_folder(), "mysql", "mysql-server-core",
                            "mysql-testsuite:usr/lib/mysql/plugin,usr/lib/mysql-test/t"],
                           capture_output=True, text=True, check=False)
    if found.returncode != 0:
        print(found.stderr)
        return None
    return pathlib.Path(found.stdout.strip())


def as_nobody():
    """Servers refuse to be root."""
    return ["--user=nobody"] if os.geteuid() == 0 else []


def own_tmpdir(data):
    """A server that starts removes the temporary tables of others from a folder that they share."""
    return f"--tmpdir={data.parent}"


class Mariadb:
    """MariaDB as it is installed."""
    program = ("mariadbd",)
    settings = ("--default-storage-engine=MyISAM", "--debug-no-sync")

    def initialize(self, data):
        subprocess.run(["mariadb-install-db", "--no-defaults", f"--datadir={data}",
                        own_tmpdir(data), "--auth-root-authentication-method=normal",
                        "--skip-test-db", *as_nobody()], check=True, stdout=subprocess.DEVNULL)


class Mysql:
    """MySQL out of its folder."""
    settings = ("--innodb-flush-method=nosync", "--skip-log-bin", "--performance-schema=OFF")

    def __init__(self, folder):
        self.program = (folder / "lib64/ld-linux-x86-64.so.2", "--library-path",
                        folder / "usr/lib/x86_64-linux-gnu", folder / "usr/sbin/mysqld")
        self.places = (f"--basedir={folder}/usr", f"--lc-messages-dir={folder}/usr/share/mysql",
                       "--secure-file-priv=NULL", "--mysqlx=OFF")
        self.settings += self.places

    def initialize(self, data):
        subprocess.run([*self.program, "--no-defaults", "--initialize-insecure", *self.places,
                        f"--datadir={data}", own_tmpdir(data), *as_nobody()],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def await_ready(server, log):
    for _ in range(1200):
        if "ready for connections" in log.read_text(errors="replace"):
            return True
        if server.poll() is not None:
            return False
        time.sleep(0.05)
    return False


def run_with_server(kind, command, files, folder):
    data, socket, log = folder / "data", folder / "socket", folder / "log"
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
        folder.chmod(0o755)
    kind.initialize(data)
    with open(log, "wb") as output:
        server = subprocess.Popen(
            [*kind.program, "--no-defaults", f"--datadir={data}", own_tmpdir(data),
             f"--socket={socket}", "--skip-networking", *kind.settings, *as_nobody()], stdout=output, stderr=output)
    try:
        if not await_ready(server, log):
            print("the server did not start:", log.read_text(errors="replace"))
            return 1
        judged = subprocess.run([*command, socket, *files], check=False).returncode
        if server.poll() is not None:
            print("the server ended:", log.read_text(errors="replace")[-2000:])
            return 1
        return judged
    finally:
        server.terminate()
        server.wait()


def skip(reason):
    print(f"SKIPPED: {reason}: nothing was compared")
    return SKIPPED


def main(flavour, program):
    target = cache_folder() / "mariadb-test-main"
    if not list(target.glob("*.test")) and shutil.which("apt-get"):
        fetch(target)
    files = sorted(target.glob("*.test"))
    if not files:
        print(f"the suite of {PACKAGES[0]} is neither in {target} nor can it be fetched")
    if flavour == "mysql":
        folder = mysql_folder()
        if folder is None:
            return skip("no MySQL server on this machine")
        kind = Mysql(folder)
        files += sorted((folder / "usr/lib/mysql-test/t").glob("*.test"))
    elif shutil.which("mariadbd") and shutil.which("mariadb-install-db"):
        kind = Mariadb()
    else:
        return skip("no MariaDB server on this machine")
    if not files:
        return skip("no suite")
    first, _, every = os.environ.get("ISOTAP_REFEREE_FILES", f"0/{EVERY[flavour]}").partition("/")
    if every:
        files = files[int(first)::int(every)]
    print(f"{len(files)} files of test suites")
    sys.stdout.flush()
    with tempfile.TemporaryDirectory() as name:
        return run_with_server(kind, [program, flavour], files, pathlib.Path(name))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
