"""What a machine can see of the house style. One line a finding.

usage: tidy.py SOURCE_ROOT
"""
import pathlib
import re
import subprocess
import sys

LINES_MAX = 500          # a file that grows past this holds two concepts
COLUMNS_MAX = 100
FUNCTION_LINES_MAX = 90  # a screen and a half; tables and tests are data
CODE = (".cpp", ".hpp")

BANNED = [
    (r"\busing namespace (?!std::(chrono_)?literals|std::string_view_literals)", "a using directive"),
    (r"^\s*#\s*define\b(?!.*include guard)", "a macro"),
    (r"\bTODO\b|\bFIXME\b|\bXXX\b", "unfinished work"),
    (r"\bsleep_for\b|\busleep\(|\bsleep\(\d", "waits by sleeping: await the event"),
    (r"\bassert\s*\(\s*(input|packet|message|bytes)\b", "asserts on input"),
    (r"\bDISABLED_", "a test that is switched off"),
    (r"\bstd::endl\b", "flushes without need"),
    (r"\bprintf\(\"%s", "printf of a string"),
]
BANNED_NAMES = re.compile(r"(^|_)(utils?|helpers?|misc|common|manager)(_|\.|$)")
MACHINE = re.compile(r"(^|[^a-z.])/(work|root)/|https?://[a-z0-9.-]*(npmjs|debian|pypi|maven|crates)")


def tracked(root):
    out = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"],
                         capture_output=True, text=True)
    if out.returncode == 0:
        return [p for p in out.stdout.splitlines() if (pathlib.Path(root) / p).is_file()]
    return [p.relative_to(root).as_posix() for p in pathlib.Path(root).rglob("*") if p.is_file()]


def long_functions(lines):
    """Bodies opened at column 0..4 and closed at the same column."""
    start = None
    for number, line in enumerate(lines, 1):
        if re.match(r"^(    )?[A-Za-z\[].*\) ?(const )?(noexcept )?(override )?(-> [^{]+)?\{$", line):
            start = (number, len(line) - len(line.lstrip()))
        elif start and line.startswith(" " * start[1] + "}") and line.strip() in ("}", "};"):
            if number - start[0] > FUNCTION_LINES_MAX:
                yield start[0], number - start[0]
            start = None


def check_code(path, text):
    lines = text.splitlines()
    if len(lines) > LINES_MAX:
        yield f"{path}: {len(lines)} lines (at most {LINES_MAX})"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX and "http" not in line:
            yield f"{path}:{number}: {len(line)} columns"
        for pattern, why in BANNED:
            if re.search(pattern, line):
                yield f"{path}:{number}: {why}"
    if path.endswith(".hpp") and lines and lines[0] != "#pragma once":
        yield f"{path}:1: a header starts with #pragma once"
    for start, length in long_functions(lines):
        yield f"{path}:{start}: a function of {length} lines"


def main(root):
    wrong = []
    seen = 0
    for path in tracked(root):
        seen += 1
        if BANNED_NAMES.search(pathlib.PurePath(path).name):
            wrong.append(f"{path}: a name that says nothing")
        if path.startswith("tests/fuzz/corpus/") or path.endswith((".png", ".bin")):
            continue
        try:
            text = (pathlib.Path(root) / path).read_text()
        except UnicodeDecodeError:
            continue
        if path.endswith(CODE):
            wrong.extend(check_code(path, text))
        if not path.startswith("tests/house/"):
            for number, line in enumerate(text.splitlines(), 1):
                if MACHINE.search(line):
                    wrong.append(f"{path}:{number}: a path or host of one machine")
                if line != line.rstrip():
                    wrong.append(f"{path}:{number}: white space at the end")
    for line in wrong:
        print(line)
    print(f"{seen} files, {len(wrong)} findings")
    return 1 if wrong or seen == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
