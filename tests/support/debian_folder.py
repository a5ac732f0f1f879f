"""Finds a folder with servers and programs of Debian's unstable suite, making it when it must.

usage: debian_folder.py CACHE_FOLDER NAME PACKAGE…

Prints a folder that looks like the root of a Debian system with those packages and what they link
to; NAME tells apart what cannot be in one system, such as MySQL and MariaDB. PACKAGE:PATH,PATH is a
package of which only these paths are unpacked: its plugins, say, without all that it depends on.

Debian 12 has no MySQL and an old MariaDB; its unstable suite has both new: it is unpacked into a
folder of its own, which needs root once. Exit code 3, with the reason on stderr: not to be had here.
"""
import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SUITE = "unstable"
SECONDS_MAX = 600
NOT_TO_BE_HAD = 3


def mirror():
    """The archive that this machine takes its own packages from."""
    lines = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)"],
                           capture_output=True, text=True, check=True).stdout.splitlines()
    for line in lines:
        if re.search(r"/debian/?$", line):
            return line
    raise RuntimeError("no Debian archive among the package sources")


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          timeout=SECONDS_MAX, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stdout[-500:]}{done.stderr[-500:]}")


def make(folder, packages):
    if shutil.which("debootstrap") is None:
        raise RuntimeError("debootstrap is not installed")
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    run("debootstrap", "--variant=minbase", f"--include={','.join(packages)}", SUITE, part, mirror())
    part.rename(folder)


def installed(folder, package):
    done = subprocess.run(["dpkg-query", f"--admindir={folder}/var/lib/dpkg", "-W", "-f",
                           "${Status}", package], capture_output=True, text=True)
    return done.stdout.endswith(" ok installed")


def unpacked(folder, part):
    return (folder / "var/lib/unpacked" / part.replace("/", "_")).exists()


def apt(folder, *arguments):
    # A mirror that has stood still is as good: what the folder has came from it.
    run("chroot", folder, "apt-get", "-qq", "-o", "Acquire::Check-Valid-Until=false", *arguments)


def unpack(folder, part):
    package, _, paths = part.partition(":")
    with tempfile.TemporaryDirectory(dir=folder / "tmp") as scratch:
        subprocess.run(["chroot", folder, "sh", "-c", f"cd /tmp/{pathlib.Path(scratch).name} &&"
                        f" apt-get -qq -o APT::Sandbox::User=root download {package}"],
                       check=True, capture_output=True, timeout=SECONDS_MAX)
        archive = next(pathlib.Path(scratch).glob("*.deb"))
        content = subprocess.Popen(["dpkg", "--fsys-tarfile", archive], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", folder, *("./" + path for path in paths.split(","))],
                       stdin=content.stdout, check=True, timeout=SECONDS_MAX)
        if content.wait() != 0:
            raise RuntimeError(f"{package} cannot be unpacked")
    stamp = folder / "var/lib/unpacked" / part.replace("/", "_")
    stamp.parent.mkdir(exist_ok=True)
    stamp.touch()


def provide(folder, wanted):
    whole = [package for package in wanted
             if ":" not in package and not installed(folder, package)]
    parts = [part for part in wanted if ":" in part and not unpacked(folder, part)]
    if not whole and not parts:
        return
    if os.geteuid() != 0:
        raise RuntimeError(f"to unpack {', '.join(whole + parts)} needs root, once")
    if not folder.exists():
        make(folder, whole)
        whole = []
    if whole or parts:
        apt(folder, "update")
    if whole:
        apt(folder, "-y", "--no-install-recommends", "install", *whole)
    for part in parts:
        unpack(folder, part)


def main(cache, name, wanted):
    folder = pathlib.Path(cache) / f"{name}-chroot"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            provide(folder, wanted)
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            print(error, file=sys.stderr)
            return NOT_TO_BE_HAD
    print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
