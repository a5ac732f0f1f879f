"""Fetches PostgreSQL's own isolation specs with the output that they are known to give.

usage: postgres_isolation_source.py CACHE_FOLDER

Prints the folder src/test/isolation of the unpacked source, from where the regression suite comes
too. Exit code 3, with the reason on stderr: not to be had.
"""
import fcntl
import pathlib
import subprocess
import sys
import tempfile

from postgres_regression_source import fetch_archive


def main(cache):
    cache = pathlib.Path(cache)
    kept = cache / "postgres-15-isolation"
    with open(cache / "postgres-15-isolation.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            if not kept.exists():
                with tempfile.TemporaryDirectory(dir=cache) as scratch:
                    scratch = pathlib.Path(scratch)
                    archive = fetch_archive(scratch)
                    subprocess.run(["tar", "-xf", archive, "--wildcards", "*/src/test/isolation"],
                                   cwd=scratch, check=True)
                    folder = next(scratch.glob("postgresql-15*/src/test/isolation"))
                    subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
                    folder.rename(kept)
        except (OSError, subprocess.SubprocessError, StopIteration) as error:
            print(f"the isolation specs cannot be had: {error}", file=sys.stderr)
            return 3
    print(kept)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
