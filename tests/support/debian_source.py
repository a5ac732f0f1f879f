"""Source archives of Debian packages, from the mirrors that this machine uses for binaries."""
import pathlib
import re
import subprocess

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


def fetch_archive(package, scratch):
    """The newest version that a mirror really has: indexes can be ahead of archives. Gives the
    path of the original archive in `scratch`; raises OSError where no mirror has one."""
    lists, parts = scratch / "lists", scratch / "parts"
    lists.mkdir()
    parts.mkdir()
    source_lists(parts)
    options = ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={parts}",
               "-o", f"Dir::State::lists={lists}", "-o", "APT::Sandbox::User=root"]
    subprocess.run(["apt-get", *options, "-qq", "update"], stdout=subprocess.DEVNULL,
                   timeout=FETCH_SECONDS)
    shown = subprocess.run(["apt-cache", *options, "showsrc", package],
                           capture_output=True, text=True, check=True).stdout
    versions = sorted(set(re.findall(r"^Version: (\S+)", shown, re.M)), reverse=True)
    for version in versions:
        got = subprocess.run(["apt-get", *options, "-qq", "source", "--download-only",
                              f"{package}={version}"],
                             cwd=scratch, stdout=subprocess.DEVNULL, timeout=FETCH_SECONDS)
        archives = list(scratch.glob(f"{package}_*.orig.tar.*"))
        if got.returncode == 0 and archives:
            return archives[0]
    raise OSError(f"no mirror has the source of {package} (knows of {versions})")
