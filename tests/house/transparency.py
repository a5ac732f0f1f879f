"""Fails when docs/TRANSPARENCY.md promises an id without a test, or names a test that is not there.

usage: transparency.py SOURCE_ROOT
"""
import fnmatch
import pathlib
import re
import sys

WANTED = [f"X-{n:02}" for n in range(1, 16)] + [
    f"PG-{n:02}" for n in (*range(1, 9), *range(10, 25))] + [
    f"MY-{n:02}" for n in (*range(1, 13), *range(20, 40))] + [
    f"IN-{n:02}" for n in range(1, 13)]
ROW = re.compile(r"^\| ((?:X|PG|MY|IN)-\d\d) \|(.*)\|([^|]*)\|$")


def main(root):
    root = pathlib.Path(root)
    names = [p.name for p in (root / "tests").rglob("*") if p.is_file()]
    wrong = []
    seen = set()
    for line in (root / "docs/TRANSPARENCY.md").read_text().splitlines():
        row = ROW.match(line)
        if not row:
            continue
        promise, holders = row.group(1), row.group(3)
        seen.add(promise)
        named = re.findall(r"`([^`]+)`", holders)
        if not named and not re.search(r"not supported|documented in", holders):
            wrong.append(f"{promise}: held by nothing")
        for name in named:
            if not ((root / name).is_file() or fnmatch.filter(names, name)):
                wrong.append(f"{promise}: {name} is not there")
    wrong += [f"{promise}: missing" for promise in WANTED if promise not in seen]
    for line in wrong:
        print(line)
    print(f"{len(seen)} ids, {len(wrong)} wrong")
    return 1 if wrong or not seen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
