"""Runs PyMySQL's own test suite against a server, and prints what became of each test.

usage: pymysql_suite.py PORT FOLDER

FOLDER is a source distribution of PyMySQL that has its tests inside (0.10.1 is the last one). What
the tests print about addresses and times is left out: run twice, the output must be the same.
"""
import json
import pathlib
import shutil
import sys
import tempfile
import unittest
import warnings


class Outcomes(unittest.TestResult):
    """One word for each test."""

    def __init__(self):
        super().__init__()
        self.words = {}

    def addSuccess(self, test):
        self.words[test.id()] = "passed"

    def addFailure(self, test, error):
        self.words[test.id()] = f"failed: {error[0].__name__}"

    def addError(self, test, error):
        if error[0].__name__ == "Skipped":  # how pytest says it
            self.addSkip(test, str(error[1]))
            return
        number = [value for value in error[1].args[:1] if isinstance(value, int)]
        self.words[test.id()] = f"failed: {error[0].__name__} {number}"

    def addSkip(self, test, reason):
        self.words[test.id()] = "skipped: " + reason

    def addExpectedFailure(self, test, error):
        self.words[test.id()] = "failed as expected"

    def addUnexpectedSuccess(self, test):
        self.words[test.id()] = "passed, unexpectedly"


def databases(port):
    place = {"host": "127.0.0.1", "port": port, "user": "tap", "passwd": ""}
    return [{**place, "db": "test1", "use_unicode": True, "local_infile": True},
            {**place, "db": "test2"}]


def make_databases(pymysql, port):
    connection = pymysql.connect(host="127.0.0.1", port=port, user="tap")
    with connection.cursor() as cursor:
        for name in ("test1", "test2"):
            cursor.execute(f"DROP DATABASE IF EXISTS {name}")
            cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    connection.close()


def main(port, source):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "PyMySQL"
        shutil.copytree(source, folder)
        (folder / "pymysql/tests/databases.json").write_text(json.dumps(databases(port)))
        sys.path.insert(0, str(folder))
        warnings.simplefilter("ignore")
        import pymysql  # from that folder, which was not there before
        make_databases(pymysql, port)
        tests = unittest.defaultTestLoader.loadTestsFromName("pymysql.tests")
        outcomes = Outcomes()
        tests.run(outcomes)
    # What is collected later is no outcome.
    import atexit
    atexit._clear()
    for name, word in sorted(outcomes.words.items()):
        print("verdict:", name, word)
    print(sum(word == "passed" for word in outcomes.words.values()), "passed")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
