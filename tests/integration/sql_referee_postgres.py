"""Runs the PostgreSQL referee over PostgreSQL's regression suite, and over the SQL of shared documents.

usage: sql_referee_postgres.py PROGRAM

The suite is not packaged: its files come from the source package, are kept in a cache and never
become part of a build. Where they cannot be had, the test says so and is skipped. The documents lie
beside the source, or where ISOTAP_SHARED says; they are optional.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

SKIPPED = 77
PACKAGE = "postgresql-15"
INSIDE = "/src/test/regress/sql/"


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base) / "isotap" / "postgresql-regress"


def source_lists(folder):
    """The machine's own package sources, as sources of source packages."""
    lines = []
    for file in sorted(pathlib.Path("/etc/apt").glob("sources.list*")):
        files = sorted(file.glob("*.sources")) + sorted(file.glob("*.list")) \
            if file.is_dir() else [file]
        for one in files:
            fields = {}
            for line in one.read_text().splitlines() + [""]:
                if line.startswith("deb "):
                    lines.append(line.replace("deb ", "deb-src ", 1))
                elif ":" in line and not line.startswith("#"):
                    key, value = line.split(":", 1)
                    fields[key.strip()] = value.strip()
                elif not line.strip() and "URIs" in fields:
                    for suite in fields["Suites"].split():
                        lines.append(f"deb-src {fields['URIs'].split()[0]} {suite} main")
                    fields = {}
    (folder / "sources.list").write_text("\n".join(dict.fromkeys(lines)) + "\n")


def fetch(target):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "lists" / "partial").mkdir(parents=True)
        source_lists(folder)
        options = ["-o", f"Dir::Etc::sourcelist={folder}/sources.list",
                   "-o", "Dir::Etc::sourceparts=/dev/null",
                   "-o", f"Dir::State::Lists={folder}/lists",
                   "-o", f"Dir::Cache={folder}/cache"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        subprocess.run(["apt-get", *options, "update"], check=False, **quiet)
        shown = subprocess.run(["apt-cache", *options, "showsrc", PACKAGE], capture_output=True,
                               text=True, cwd=folder, check=False).stdout
        versions = [line.split()[1] for line in shown.splitlines() if line.startswith("Version:")]
        for version in versions:
            subprocess.run(["apt-get", *options, "source", "--tar-only", "--download-only",
                            f"{PACKAGE}={version}"], check=False, **quiet)
            for archive in folder.glob("*.orig.tar.*"):
                unpack(archive, target)
                return


def unpack(archive, target):
    fresh = target.with_suffix(".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    with tarfile.open(archive) as tar:
        for member in tar:
            if INSIDE in member.name and member.name.endswith(".sql"):
                (fresh / pathlib.PurePath(member.name).name).write_bytes(
                    tar.extractfile(member).read())
    shutil.rmtree(target, ignore_errors=True)
    fresh.rename(target)


def sql_of_documents(folder):
    """The SQL blocks of Markdown files on servers that speak PostgreSQL, one file each."""
    shared = os.environ.get("ISOTAP_SHARED")
    root = pathlib.Path(shared) if shared else pathlib.Path(__file__).parents[3] / "shared"
    for document in sorted(root.rglob("*.md")):
        if not re.match("postgres|cockroach|yugabyte", document.name):
            continue
        blocks = re.findall(r"```sql\n(.*?)```", document.read_text(), re.S)
        if blocks:
            file = folder / f"{document.stem}.sql"
            file.write_text("".join(blocks))
            yield file


def main(program):
    target = cache()
    if not list(target.glob("*.sql")) and shutil.which("apt-get"):
        fetch(target)
    files = sorted(target.glob("*.sql"))
    if not files:
        print(f"SKIPPED: the regression suite of {PACKAGE} is neither in {target} nor can it be "
              "fetched: nothing was compared")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        documents = list(sql_of_documents(pathlib.Path(name)))
        print(f"{len(files)} files of the regression suite, {len(documents)} documents")
        sys.stdout.flush()
        return subprocess.run([program, *map(str, files + documents)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
