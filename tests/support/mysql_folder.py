"""Finds a folder with Oracle's MySQL server in it, making one once when it must.

usage: mysql_folder.py CACHE_FOLDER

Prints a folder that looks like the root of a Debian system with mysqld and what it links to. Debian
12 has no MySQL, its unstable suite has: it is unpacked into a folder of its own, which needs root
once. Exit code 3, with the reason on stderr: not to be had here.
"""
import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys

PACKAGE = "mysql-server-core"
SUITE = "unstable"
SECONDS_MAX = 600


def mirror():
    """The archive that this machine takes its own packages from."""
    lines = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)"],
                           capture_output=True, text=True, check=True).stdout.splitlines()
    for line in lines:
        if re.search(r"/debian/?$", line):
            return line
    raise RuntimeError("no Debian archive among the package sources")


def make(folder):
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    done = subprocess.run(["debootstrap", "--variant=minbase", f"--include={PACKAGE}", SUITE,
                           str(part), mirror()],
                          capture_output=True, text=True, timeout=SECONDS_MAX)
    if done.returncode != 0:
        raise RuntimeError("debootstrap: " + done.stdout[-500:] + done.stderr[-500:])
    part.rename(folder)


def main(cache):
    folder = pathlib.Path(cache) / "mysql-chroot"
    with open(pathlib.Path(cache) / "mysql-chroot.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "usr/sbin/mysqld").exists():
            if os.geteuid() != 0:
                print("debootstrap needs root, once", file=sys.stderr)
                return 3
            if shutil.which("debootstrap") is None:
                print("debootstrap is not installed", file=sys.stderr)
                return 3
            try:
                make(folder)
            except (RuntimeError, OSError, subprocess.SubprocessError) as error:
                print(error, file=sys.stderr)
                return 3
    print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
