"""Prints what the scenarios inside isotap do on servers, as docs/SCENARIO_RESULTS.md has it.

usage: results_table.py ISOTAP URL…
"""
import json
import re
import subprocess
import sys


def short(version):
    """15.20 is 15, 10.11.19 is 10.11: what a patch release does not change."""
    parts = version.split(".")
    return ".".join(parts[:2]) if int(parts[0]) == 10 and len(parts) > 2 else parts[0]


def found(run):
    """What isotap said: names, violations in bold letters."""
    if "anomalies" not in run:
        return ""
    names = [f"**{a['type']}**" if a["severity"] == "violation" else a["type"]
             for a in run["anomalies"]]
    if not names:
        return " (not found)" if run["outcome"] == "happens" else ""
    return ": " + ", ".join(sorted(set(names)))


def section(isotap, url):
    done = subprocess.run([isotap, "run", "--json", "--target", url],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    result = json.loads(done.stdout)
    levels = list(dict.fromkeys(run["level"] for run in result["runs"]))
    cells = {}
    for run in result["runs"]:
        mark = " (!)" if run["differences"] else ""
        for difference in run["differences"]:
            print(f"{run['scenario']} at {run['level']}: {difference['text']}", file=sys.stderr)
        cell = run["outcome"] + found(run) + mark
        cells.setdefault(run["scenario"], {})[run["level"]] = cell
    lines = [f"## {result['engine']} {short(result['version'])}", "",
             "| scenario | " + " | ".join(levels) + " |",
             "|---" * (len(levels) + 1) + "|"]
    for name in sorted(cells, key=lambda text: re.sub(r"(\d+)", lambda m: m[1].zfill(8), text.lower())):
        lines.append(f"| {name} | " + " | ".join(cells[name].get(x, "") for x in levels) + " |")
    if not any("anomalies" in run for run in result["runs"]):
        lines += ["", "Observed only: nothing tells yet which rows statements touch."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print("\n".join(section(sys.argv[1], url) for url in sys.argv[2:]), end="")
