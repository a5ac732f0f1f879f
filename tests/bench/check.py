"""How long checkers take for histories of growing size, and how much memory: isotap and, on the
same files in the same run, any other checker.

usage: check.py --isotap BINARY --generator BINARY [--sizes 10000,100000,1000000]
                [--peer NAME='COMMAND {file}' --peer-format FORMAT]… [--repeat N] [--json FILE]

Every line is the fastest of the repetitions: wall time and peak memory as the kernel counts them.
The exponent is that of the growth from the smallest to the largest size.
"""
import argparse
import json
import math
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

LEVELS = {
    "elle-append": ["read-committed", "snapshot-isolation", "serializable"],
    "plume": ["read-committed", "causal"],
}


def run(command):
    """Wall seconds, peak resident bytes, exit code. One child after the other, so that what the
    kernel reports is this child's."""
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - begin, usage.ru_maxrss * 1024, child.returncode, errors


def best_of(command, repeat):
    runs = [run(command) for _ in range(repeat)]
    return min(runs, key=lambda result: result[0])


def contenders(options, format_name):
    for level in LEVELS[format_name]:
        yield (f"isotap {level}",
               [options.isotap, "check", "--format", format_name, "--level", level, "{file}"])
    for peer, peer_format in zip(options.peer, options.peer_format):
        if peer_format == format_name:
            name, _, command = peer.partition("=")
            yield name, shlex.split(command)


def exponent(sizes, seconds):
    if len(sizes) < 2:
        return None
    return math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])


def measure(options, format_name, files):
    results = []
    sizes = sorted(files)
    for name, command in contenders(options, format_name):
        seconds = []
        for size in sizes:
            words = [word.replace("{file}", str(files[size])) for word in command]
            wall, peak, code, errors = best_of(words, options.repeat)
            seconds.append(wall)
            results.append({"checker": name, "format": format_name, "transactions": size,
                            "seconds": round(wall, 3), "peak_mib": round(peak / 2**20),
                            "exit": code})
            print(f"{format_name:12} {name:28} {size:>9} transactions {wall:8.2f} s "
                  f"{peak / 2**20:8.0f} MiB  exit {code}", flush=True)
            if code not in (0, 1):
                print("    " + errors.decode(errors="replace").strip(), flush=True)
        growth = exponent(sizes, seconds)
        if growth is not None:
            print(f"{format_name:12} {name:28} grows with exponent {growth:.2f}", flush=True)
            results.append({"checker": name, "format": format_name, "exponent": round(growth, 3)})
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isotap", required=True)
    parser.add_argument("--generator", required=True)
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--formats", default="elle-append,plume")
    parser.add_argument("--peer", action="append", default=[])
    parser.add_argument("--peer-format", action="append", default=[])
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--json")
    options = parser.parse_args()
    if len(options.peer) != len(options.peer_format):
        parser.error("every --peer needs its --peer-format")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for format_name in options.formats.split(","):
            files = {}
            for size in (int(text) for text in options.sizes.split(",")):
                files[size] = pathlib.Path(folder) / f"{format_name}-{size}"
                subprocess.run([options.generator, format_name, str(size), files[size]],
                               check=True)
                print(f"{format_name} {size}: {files[size].stat().st_size / 2**20:.0f} MiB")
            results += measure(options, format_name, files)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    # What is generated is strictly serializable: isotap must say so.
    wrong = [r for r in results if r["checker"].startswith("isotap") and r.get("exit", 0) != 0]
    return 1 if wrong or not results else 0


if __name__ == "__main__":
    sys.exit(main())
