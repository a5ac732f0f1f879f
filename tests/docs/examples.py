"""Runs what the documents show: every example on a throw-away PostgreSQL, as a reader would.

usage: examples.py ISOTAP DOCUMENT…

What a fenced block holds is said by its first line:

    ```sh              commands; they must end with 0
    ```sh exit 1       … with 1
    ```sh exit 0,2     … with one of these
    ```sh server       a command that stays until the document ends; it is awaited until it listens
    ```scenario        a scenario: `isotap run` must find all of its expectations

Blocks of one document run in order, in one scratch folder. Other blocks are not run. The names and
ports of the documents (db.example:5432, the user app, 6543, 9180) become those of this run.
"""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/bench"))

from child_process import ChildProcess, free_port  # noqa: E402

BLOCK = re.compile(r"^```(sh|scenario)((?: \S+)*)\n(.*?)^```$", re.M | re.S)
PSQL = "/usr/lib/postgresql/15/bin/psql"
PATIENCE_SECONDS = 120
# What the examples of an application work on.
SHOP = """
create table account (id int primary key, balance int not null);
insert into account select n, 100 from generate_series(1, 10) n;
"""


class Failure(Exception):
    pass


class Reader:
    """Somebody who follows one document from top to bottom."""

    def __init__(self, stack, isotap, url, document):
        self._stack = stack
        self._isotap = isotap
        self._url = url
        self._document = document
        self._folder = pathlib.Path(stack.enter_context(
            tempfile.TemporaryDirectory(prefix="isotap-docs-")))
        address = url.split("@")[1].split("/")[0]
        self._names = {"db.example:5432": address, "6543": str(free_port()),
                       "9180": str(free_port())}
        self._environment = {**os.environ, "PATH": f"{isotap.parent}:{os.environ['PATH']}"}

    def follow(self):
        text = self._document.read_text()
        count = 0
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            kind, words, body = match.group(1), match.group(2).split(), match.group(3)
            try:
                self._scenario(body) if kind == "scenario" else self._shell(body, words)
            except Failure as failure:
                raise Failure(f"{self._document.name}:{line}: {failure}") from None
            count += 1
        return count

    def _scenario(self, body):
        file = self._folder / "example.scenario"
        file.write_text(body)
        self._expect([0], [self._isotap, "run", file, "--target", self._url])

    def _shell(self, body, words):
        for name, value in self._names.items():
            body = body.replace(name, value)
        command = ["bash", "-euo", "pipefail", "-c", body]
        if words == ["server"]:
            server = self._stack.enter_context(ChildProcess(
                "isotap", ["env", f"PATH={self._environment['PATH']}", "bash", "-c",
                           f"exec {body}"], self._folder / f"server-{len(body)}.log"))
            server.wait_until(lambda: "listening on" in server.output())
            return
        codes = words[1].split(",") if words[:1] == ["exit"] else ["0"]
        self._expect([int(code) for code in codes], command)

    def _expect(self, codes, command):
        done = subprocess.run(command, cwd=self._folder, env=self._environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=PATIENCE_SECONDS)
        if done.returncode not in codes:
            raise Failure(f"exit code {done.returncode}, not {codes}\n{done.stdout}")


def open_shop(url):
    server, database = url.rsplit("/", 1)
    for target, text in [(database, "create role app superuser login;\ncreate database shop;"),
                         ("shop", SHOP)]:
        subprocess.run([PSQL, "-X", "-q", "-v", "ON_ERROR_STOP=1", f"{server}/{target}"], input=text,
                       text=True, check=True)


def main(program, *documents):
    isotap = pathlib.Path(program).resolve()
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        sandbox = stack.enter_context(ChildProcess(
            "sandbox", [isotap, "sandbox", "postgres"], folder / "log", signal.SIGINT))
        url = sandbox.wait_until(
            lambda: "".join(re.findall(r"sandbox at (\S+)\n", sandbox.output())))
        open_shop(url)
        for document in documents:
            with contextlib.ExitStack() as servers:
                reader = Reader(servers, isotap, url, ROOT / document)
                print(f"{document}: {reader.follow()} examples")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except Failure as failure:
        sys.exit(str(failure))
