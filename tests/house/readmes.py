"""Fails when the table of a README names a file that is not there, or leaves out one that is.

usage: readmes.py SOURCE_ROOT

Tables about files have `file` or `folder` as the first word of their head. A name stands for every file
that has it before its first dot, `_end` behind another name for that name with this end, … for
anything. A test needs no row where its file has one.
"""
import fnmatch
import pathlib
import re
import sys

NAMED_BY_THEMSELVES = ("README.md", "CMakeLists.txt")
NAME = re.compile(r"`([^`\s]+)`")


def patterns(cell):
    """What the first cell of a row names, for fnmatch."""
    names = NAME.findall(cell)
    for name in names:
        name = (names[0] + name if name.startswith("_") else name).rstrip("/")
        name = name.replace("…", "*")
        for spelled in {name.replace("(s)", ""), name.replace("(s)", "s")}:
            yield spelled


def named(readme):
    """The patterns of its tables, by what the table is about: 'file' or 'folder'."""
    about, found = None, {}
    for line in readme.read_text().splitlines():
        if not line.startswith("|"):
            about = None
            continue
        first = line.split("|")[1]
        if about is None:
            about = (first.split() or [""])[0]
        elif about in ("file", "folder"):
            found.setdefault(about, set()).update(patterns(first))
    return found


def fits(path, pattern):
    return fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(path.split(".")[0], pattern)


def wrong_in(readme):
    room = readme.parent
    tables = named(readme)
    all_patterns = set().union(*tables.values())
    inside = [path.relative_to(room).as_posix() for path in room.rglob("*")]
    for pattern in sorted(all_patterns):
        if not any(fits(path, pattern) for path in inside):
            yield f"{readme}: '{pattern}' is not there"
    for path in sorted(room.iterdir()):
        about = "folder" if path.is_dir() else "file"
        if about not in tables or path.name in NAMED_BY_THEMSELVES or path.name[0] in "._":
            continue
        tested = re.sub(r"_test\.cpp$", ".cpp", path.name)
        if not any(fits(name, p) for name in (path.name, tested) for p in all_patterns):
            yield f"{readme}: {path.name} has no row"


def main(root):
    rooms = ("analysis", "configs", "include", "protocol", "proxy", "tests")
    readmes = sorted(r for room in rooms for r in (pathlib.Path(root) / room).rglob("README.md"))
    wrong = [line for readme in readmes if named(readme) for line in wrong_in(readme)]
    print("\n".join(wrong))
    print(f"{len(readmes)} files, {len(wrong)} wrong")
    return 1 if wrong or not readmes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
