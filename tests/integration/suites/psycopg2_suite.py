"""Runs psycopg2's own test suite and prints the verdict of each test.

usage: psycopg2_suite.py PORT FOLDER

FOLDER is the source distribution; the psycopg2 that is tested is the one that is installed. The
suite gets a database of its own, `psycopg2_test`, which must be there.
"""
import os
import sys
import unittest

from verdicts import Verdicts, print_verdicts


def main(port, folder):
    os.environ.update({
        "PSYCOPG2_TESTDB_HOST": "127.0.0.1",
        "PSYCOPG2_TESTDB_PORT": port,
        "PSYCOPG2_TESTDB_USER": "postgres",
    })
    os.environ.pop("PGDATABASE", None)
    sys.path.insert(0, folder)  # its `tests`; the library inside of it is `lib`, and not found
    import tests
    # Python 3.11 warns of names that the suite uses.
    tests.warnings.simplefilter("ignore")
    runner = unittest.TextTestRunner(stream=sys.stderr, resultclass=Verdicts)
    print_verdicts(runner.run(tests.test_suite()).words)


if __name__ == "__main__":
    main(*sys.argv[1:])
