"""Fails when a program writes a JSON field that docs/JSON.md does not name.

usage: json_fields.py SOURCE_ROOT
"""
import pathlib
import re
import sys

WRITERS = ["analysis/report/json_report.cpp", "analysis/workload/run_report.cpp",
           "proxy/admin/live_json.cpp", "proxy/admin/live_api.cpp"]
# {"name", value} and object["name"] = value
FIELD = re.compile(r'\{"([a-z_]+)",|\["([a-z_]+)"\] =')
NAMED = re.compile(r"`([a-z_]+)`")


def main(root):
    root = pathlib.Path(root)
    named = set(NAMED.findall((root / "docs/JSON.md").read_text()))
    wrong, seen = [], 0
    for writer in WRITERS:
        for match in FIELD.finditer((root / writer).read_text()):
            seen += 1
            field = match.group(1) or match.group(2)
            if field not in named:
                wrong.append(f"{writer}: '{field}' is not in docs/JSON.md")
    print("\n".join(wrong))
    print(f"{seen} fields, {len(wrong)} wrong")
    return 1 if wrong or not seen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
