"""Fetches PostgreSQL's own regression suite and builds the library that it loads into the server.

usage: postgres_regression_source.py CACHE_FOLDER

Prints the folder src/test/regress of the unpacked source. The source package comes from the mirrors
that this machine already uses for binaries. Exit code 3, with the reason on stderr: not to be had.
"""
import fcntl
import pathlib
import re
import subprocess
import sys
import tempfile

PG_CONFIG = "/usr/lib/postgresql/15/bin/pg_config"
FETCH_SECONDS = 300


def source_lists(into):
    """The machine's own package sources, asked for source packages instead of binaries."""
    for file in pathlib.Path("/etc/apt").glob("sources.list.d/*.sources"):
        text = file.read_text()
        if re.search(r"^Types:.*\bdeb\b", text, re.M) and "postgresql" not in text:
            (into / file.name).write_text(re.sub(r"^Types:.*$", "Types: deb-src", text, flags=re.M))
    for file in [pathlib.Path("/etc/apt/sources.list"),
                 *pathlib.Path("/etc/apt/sources.list.d").glob("*.list")]:
        lines = re.findall(r"^deb (.*)$", file.read_text(), re.M) if file.exists() else []
        if lines:
            (into / f"{file.stem}-src.list").write_text("".join(f"deb-src {x}\n" for x in lines))


def fetch_archive(scratch):
    """The newest version that a mirror really has: indexes can be ahead of archives."""
    lists, parts = scratch / "lists", scratch / "parts"
    lists.mkdir()
    parts.mkdir()
    source_lists(parts)
    options = ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={parts}",
               "-o", f"Dir::State::lists={lists}", "-o", "APT::Sandbox::User=root"]
    subprocess.run(["apt-get", *options, "-qq", "update"], stdout=subprocess.DEVNULL,
                   timeout=FETCH_SECONDS)
    shown = subprocess.run(["apt-cache", *options, "showsrc", "postgresql-15"],
                           capture_output=True, text=True, check=True).stdout
    versions = sorted(set(re.findall(r"^Version: (\S+)", shown, re.M)), reverse=True)
    for version in versions:
        got = subprocess.run(["apt-get", *options, "-qq", "source", "--download-only",
                              f"postgresql-15={version}"],
                             cwd=scratch, stdout=subprocess.DEVNULL, timeout=FETCH_SECONDS)
        archives = list(scratch.glob("postgresql-15_*.orig.tar.*"))
        if got.returncode == 0 and archives:
            return archives[0]
    raise OSError(f"no mirror has the source of postgresql-15 (knows of {versions})")


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
                    archive = fetch_archive(scratch)
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
