"""MySQL and its Router, out of a folder of their own: Debian 12 has neither."""
import pathlib
import subprocess
import sys

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"
sys.path.insert(0, str(SUPPORT))
from cache_folder import cache_folder

PACKAGES = ("mysql-server-core", "mysql-client-core", "mysql-router")


def mysql_folder():
    """Where MySQL and its Router are unpacked; None, with the reason on stderr, if not to be had."""
    found = subprocess.run(
        [sys.executable, SUPPORT / "debian_folder.py", cache_folder(), "mysql", *PACKAGES],
        capture_output=True, text=True)
    if found.returncode != 0:
        print(f"bench: neither MySQL nor MySQL Router: {found.stderr.strip()}", file=sys.stderr)
        return None
    return pathlib.Path(found.stdout.strip())


def program_of(folder, path, *more_libraries):
    """A program of that folder, run with the libraries that it was made for."""
    libraries = [folder / "usr/lib/x86_64-linux-gnu", *(folder / more for more in more_libraries)]
    return [folder / "lib64/ld-linux-x86-64.so.2", "--library-path",
            ":".join(str(library) for library in libraries), folder / path]
