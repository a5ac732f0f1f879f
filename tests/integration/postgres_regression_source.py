"""Fetches PostgreSQL's own regression suite and builds the library that it loads into the server.

usage: postgres_regression_source.py CACHE_FOLDER

Prints the folder src/test/regress of the unpacked source. The source package comes from the mirrors
that this machine already uses for binaries. Exit code 3, with the reason on stderr: not to be had.
"""
import fcntl
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from debian_source import fetch_archive

PG_CONFIG = "/usr/lib/postgresql/15/bin/pg_config"


def build(regress):
    """Just the loadable library, with the server's own make rules."""
    makefile = regress / "pgxs.mk"
    makefile.write_text(f"MODULES = regress\nPGXS := $(shell {PG_CONFIG} --pgxs)\n"
                        "include $(PGXS)\n")
    subprocess.run(["make", "-s", "-f", makefile.name, f"PG_CONFIG={PG_CONFIG}", "with_llvm=no"],
                   cwd=regress, check=True, stdout=subprocess.DEVNULL)


def main(cache):
    cache = pathlib.Path(cache)
    kept = cache / "postgres-15-regress"
    with open(cache / "postgres-15-regress.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            if not kept.exists():
                with tempfile.TemporaryDirectory(dir=cache) as scratch:
                    scratch = pathlib.Path(scratch)
                    archive = fetch_archive("postgresql-15", scratch)
                    subprocess.run(["tar", "-xf", archive, "--wildcards", "*/src/test/regress"],
                                   cwd=scratch, check=True)
                    regress = next(scratch.glob("postgresql-15*/src/test/regress"))
                    build(regress)
                    subprocess.run(["chmod", "-R", "a+rX", regress], check=True)
                    regress.rename(kept)
        except (OSError, subprocess.SubprocessError, StopIteration) as error:
            print(f"the regression suite cannot be had: {error}", file=sys.stderr)
            return 3
    print(kept)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
