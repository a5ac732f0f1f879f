"""Fetches the source of an application's test suite, and what the suite needs to run.

usage: suite_source.py NAME CACHE_FOLDER

Prints the folder of the unpacked source; what it needs is in `libraries`. It comes from Debian's
source package, or else from the registry of the language, and stays in the cache. Exit code 3, with
the reason on stderr: not to be had.
"""
import fcntl
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from debian_source import fetch_archive

PYTHON = "/usr/bin/python3"
FETCH_SECONDS = 180

# Debian's package, if its source has the suite, and a version that the registry has; that of psycopg2
# is the installed one. PyMySQL 0.10.1 is the last one whose source has the tests.
SOURCES = {
    "psycopg2": ("psycopg2", "psycopg2=={installed}"),
    "django": ("python-django", "Django==3.2.25"),
    "pymysql": (None, "PyMySQL==0.10.1"),
}
LIBRARIES = {
    "django": ["asgiref<4", "sqlparse<0.6", "pytz"],
}
# Packages for Node: what is run with them is in this folder.
NODE = {
    "knex": ["knex@3.3.0", "pg@8.23.1", "pg-query-stream@4"],
    "knex_mysql": ["knex@3.3.0", "mysql2@3.11.5"],
}


def run(*command, **options):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=FETCH_SECONDS, **options)


def installed_psycopg2():
    asked = subprocess.run([PYTHON, "-c", "import psycopg2; print(psycopg2.__version__.split()[0])"],
                           capture_output=True, text=True, check=True)
    return asked.stdout.strip()


def archive_of(name, scratch):
    package, requirement = SOURCES[name]
    if "{installed}" in requirement:
        requirement = requirement.format(installed=installed_psycopg2())
    if package is not None:
        try:
            return fetch_archive(package, scratch)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"{error}; asking the registry", file=sys.stderr)
    run(PYTHON, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:",
        requirement, cwd=scratch)
    return next(scratch.glob("*.tar.gz"))


def fetch(name, into):
    with tempfile.TemporaryDirectory(dir=into.parent) as scratch:
        scratch = pathlib.Path(scratch)
        unpacked = scratch / "unpacked"
        unpacked.mkdir()
        if name in NODE:
            run("npm", "install", "--silent", "--no-audit", "--no-fund", "--fetch-retries=1",
                "--prefix", unpacked, *NODE[name])
        else:
            run("tar", "-xf", archive_of(name, scratch), "-C", unpacked, "--strip-components=1")
        if name in LIBRARIES:
            run(PYTHON, "-m", "pip", "install", "--quiet", "--target", unpacked / "libraries",
                *LIBRARIES[name])
        run("chmod", "-R", "a+rX", unpacked)
        unpacked.rename(into)


def main(name, cache):
    cache = pathlib.Path(cache)
    kept = cache / f"suite-{name}"
    with open(cache / f"suite-{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            if not kept.exists():
                fetch(name, kept)
        except (OSError, subprocess.SubprocessError, StopIteration) as error:
            print(f"the suite of {name} cannot be had: {error}", file=sys.stderr)
            return 3
    print(kept)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
