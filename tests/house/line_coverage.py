"""Which lines of the parts the tests ran: reads what a coverage build left behind, through gcov.

usage: line_coverage.py BUILD_FOLDER
"""
import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

PARTS = ("include/isotap/", "protocol/", "analysis/", "proxy/")
FILES_AT_ONCE = 40


def reports(build, folder):
    notes = sorted(build.rglob("*.gcda"))
    for at in range(0, len(notes), FILES_AT_ONCE):
        subprocess.run(["gcov", "--json-format", "--branch-counts", *notes[at:at + FILES_AT_ONCE]],
                       cwd=folder, stdout=subprocess.DEVNULL, check=True)
        for file in folder.glob("*.gcov.json.gz"):
            yield json.loads(gzip.decompress(file.read_bytes()))
            file.unlink()


def main(build):
    build = pathlib.Path(build).resolve()
    root = build.parents[1]
    ran = collections.defaultdict(dict)
    with tempfile.TemporaryDirectory() as folder:
        for report in reports(build, pathlib.Path(folder)):
            for file in report["files"]:
                path = (pathlib.Path(report["current_working_directory"]) / file["file"]).resolve()
                name = path.relative_to(root).as_posix() if path.is_relative_to(root) else ""
                if not name.startswith(PARTS):
                    continue
                for line in file["lines"]:
                    number = line["line_number"]
                    ran[name][number] = ran[name].get(number, False) or line["count"] > 0
    if not ran:
        print("no coverage data: build and run the tests with the preset 'coverage' first")
        return 1
    total = sum(map(len, ran.values()))
    hit = sum(sum(lines.values()) for lines in ran.values())
    for name, lines in sorted(ran.items(), key=lambda item: sum(item[1].values()) / len(item[1])):
        print(f"{100 * sum(lines.values()) / len(lines):5.1f} %  {len(lines):5}  {name}")
    print(f"{100 * hit / total:5.1f} %  {total:5}  together")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
