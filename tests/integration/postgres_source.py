"""Fetches one of the test suites that stand in PostgreSQL's own source.

usage: postgres_source.py regress|isolation CACHE_FOLDER

Prints the folder src/test/… of the unpacked source, that of `regress` with the library that it loads
into the server. The source package comes from the mirrors that this machine already uses for
binaries. Exit code 3, with the reason on stderr: not to be had.
"""
import fcntl
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from debian_source import fetch_archive

PACKAGE = "postgresql-15"
PG_CONFIG = "/usr/lib/postgresql/15/bin/pg_config"


def build_library(regress):
    """With the server's own make rules."""
    makefile = regress / "pgxs.mk"
    makefile.write_text(f"MODULES = regress\nPGXS := $(shell {PG_CONFIG} --pgxs)\n"
                        "include $(PGXS)\n")
    subprocess.run(["make", "-s", "-f", makefile.name, f"PG_CONFIG={PG_CONFIG}", "with_llvm=no"],
                   cwd=regress, check=True, stdout=subprocess.DEVNULL)


def fetch(suite, into):
    with tempfile.TemporaryDirectory(dir=into.parent) as scratch:
        scratch = pathlib.Path(scratch)
        archive = fetch_archive(PACKAGE, scratch)
        subprocess.run(["tar", "-xf", archive, "--wildcards", f"*/src/test/{suite}"],
                       cwd=scratch, check=True)
        folder = next(scratch.glob(f"{PACKAGE}*/src/test/{suite}"))
        if suite == "regress":
            build_library(folder)
        subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
        folder.rename(into)


def main(suite, cache):
    kept = pathlib.Path(cache) / f"postgres-15-{suite}"
    with open(f"{kept}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            if not kept.exists():
                fetch(suite, kept)
        except (OSError, subprocess.SubprocessError, StopIteration) as error:
            print(f"PostgreSQL's suite '{suite}' cannot be had: {error}", file=sys.stderr)
            return 3
    print(kept)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
