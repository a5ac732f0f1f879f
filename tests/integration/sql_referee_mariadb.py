"""Runs the MariaDB referee against a server in a temporary folder.

usage: sql_referee_mariadb.py PROGRAM

The statements are those of the server's own test suite (packages mariadb-test, mariadb-test-data),
kept in a cache. By default every eighth file; ISOTAP_REFEREE_FILES=all takes all of them. Where the
suite or the server cannot be had, the test says so and is skipped.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
PACKAGES = ["mariadb-test", "mariadb-test-data"]
EVERY = 8


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base) / "isotap" / "mariadb-test-main"


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


def as_nobody():
    """mariadbd refuses to be root."""
    return ["--user=nobody"] if os.geteuid() == 0 else []


def await_socket(server, socket):
    for _ in range(600):
        if socket.exists() or server.poll() is not None:
            return socket.exists()
        time.sleep(0.05)
    return False


def run_with_server(program, files, folder):
    data, socket = folder / "data", folder / "socket"
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
        folder.chmod(0o755)
    subprocess.run(["mariadb-install-db", "--no-defaults", f"--datadir={data}",
                    "--auth-root-authentication-method=normal", "--skip-test-db", *as_nobody()],
                   check=True, stdout=subprocess.DEVNULL)
    server = subprocess.Popen(
        ["mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={socket}",
         "--skip-networking", "--default-storage-engine=MyISAM", "--debug-no-sync", *as_nobody()],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if not await_socket(server, socket):
            print("the server did not start")
            return 1
        return subprocess.run([program, socket, *files], check=False).returncode
    finally:
        server.terminate()
        server.wait()


def main(program):
    if not shutil.which("mariadbd") or not shutil.which("mariadb-install-db"):
        print("SKIPPED: no MariaDB server on this machine: nothing was compared")
        return SKIPPED
    target = cache()
    if not list(target.glob("*.test")) and shutil.which("apt-get"):
        fetch(target)
    files = sorted(target.glob("*.test"))
    if not files:
        print(f"SKIPPED: the suite of {PACKAGES[0]} is neither in {target} nor can it be fetched: "
              "nothing was compared")
        return SKIPPED
    if os.environ.get("ISOTAP_REFEREE_FILES") != "all":
        files = files[::EVERY]
    print(f"{len(files)} files of the server's test suite")
    sys.stdout.flush()
    with tempfile.TemporaryDirectory() as name:
        return run_with_server(program, files, pathlib.Path(name))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
