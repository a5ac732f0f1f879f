"""Runs the PostgreSQL referee over PostgreSQL's regression suite.

usage: sql_referee_postgres.py PROGRAM

The suite is not packaged: `postgres_source.py` fetches it. Where it cannot be had, the test says so and
is skipped.
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from cache_folder import cache_folder

SKIPPED = 77


def main(program):
    found = subprocess.run([sys.executable, HERE / "postgres_source.py", "regress", cache_folder()],
                           capture_output=True, text=True, check=False)
    files = sorted((pathlib.Path(found.stdout.strip()) / "sql").glob("*.sql"))
    if found.returncode != 0 or not files:
        print(f"SKIPPED: {found.stderr.strip()}: nothing was compared")
        return SKIPPED
    print(f"{len(files)} files of the regression suite")
    sys.stdout.flush()
    return subprocess.run([program, *map(str, files)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
