"""How long checkers take for histories of growing size, and how much memory: isotap and, on the
same files in the same run, any other checker.

usage: check.py --isotap BINARY --generator BINARY [--sizes 10000,100000,1000000]
                [--formats elle-append,plume,recording]
                [--peer NAME='COMMAND {file}' --peer-format FORMAT]… [--repeat N] [--json FILE]

The checkers take turns on each file; every line is the run with the median wall time of the
repetitions, and from the fastest to the slowest of them: wall time, processor time and peak memory
as the kernel counts them. The exponent is that of the growth of the processor time from the smallest
to the largest size.
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
    "recording": ["read-committed", "snapshot-isolation", "serializable"],
}


def run(command):
    """One child after the other, so that what the kernel reports is this child's."""
    begin = time.perf_counter()
    try:
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except OSError as failure:
        sys.exit(f"check.py: {command[0]} does not run: {failure.strerror}")
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return {"seconds": round(time.perf_counter() - begin, 3),
            "processor_seconds": round(usage.ru_utime + usage.ru_stime, 3),
            "peak_mib": round(usage.ru_maxrss / 1024),
            "exit": child.returncode,
            "errors": errors.decode(errors="replace").strip()}


def contenders(options, format_name):
    # A recording is known by its content; so is everything else, but then that is measured too.
    form = [] if format_name == "recording" else ["--format", format_name]
    for level in LEVELS[format_name]:
        yield (f"isotap {level}", [options.isotap, "check", *form, "--level", level, "{file}"])
    for peer, peer_format in zip(options.peer, options.peer_format):
        if peer_format == format_name:
            name, _, command = peer.partition("=")
            yield name, shlex.split(command)


def exponent(results):
    first, last = results[0], results[-1]
    if last["transactions"] == first["transactions"] or first["processor_seconds"] == 0:
        return None
    return (math.log(last["processor_seconds"] / first["processor_seconds"])
            / math.log(last["transactions"] / first["transactions"]))


def measure(options, format_name, size, file):
    """One result for each checker."""
    runs = {}
    for _ in range(options.repeat):
        for name, command in contenders(options, format_name):
            words = [word.replace("{file}", str(file)) for word in command]
            runs.setdefault(name, []).append(run(words))
    for name, results in runs.items():
        ordered = sorted(results, key=lambda result: result["seconds"])
        fastest, slowest = ordered[0]["seconds"], ordered[-1]["seconds"]
        # One that failed, perhaps by a signal, is not hidden by those that did not.
        worst = max(results, key=lambda result: (result["exit"] not in (0, 1), result["exit"]))
        told = {"checker": name, "format": format_name, "transactions": size,
                **ordered[len(ordered) // 2], "fastest": fastest, "slowest": slowest,
                "exit": worst["exit"], "errors": worst["errors"]}
        print(f"{format_name:12} {name:28} {size:>9} transactions {told['seconds']:8.2f} s wall "
              f"({fastest:.2f} to {slowest:.2f}) {told['processor_seconds']:8.2f} s processor "
              f"{told['peak_mib']:6} MiB  exit {told['exit']}", flush=True)
        if told["exit"] not in (0, 1):
            print("    " + told["errors"], flush=True)
        yield told


def measure_format(options, format_name, folder):
    results = []
    for size in sorted(int(text) for text in options.sizes.split(",")):
        file = folder / f"{format_name}-{size}"
        subprocess.run([options.generator, format_name, str(size), file], check=True)
        print(f"{format_name} {size}: {file.stat().st_size / 2**20:.0f} MiB", flush=True)
        results += measure(options, format_name, size, file)
        file.unlink()
    for name in dict.fromkeys(result["checker"] for result in results):
        growth = exponent([result for result in results if result["checker"] == name])
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
    parser.add_argument("--formats", default="elle-append,plume,recording")
    parser.add_argument("--peer", action="append", default=[])
    parser.add_argument("--peer-format", action="append", default=[])
    parser.add_argument("--repeat", type=int, default=6)
    parser.add_argument("--json")
    options = parser.parse_args()
    if len(options.peer) != len(options.peer_format):
        parser.error("every --peer needs its --peer-format")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for format_name in options.formats.split(","):
            results += measure_format(options, format_name, pathlib.Path(folder))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    # What is generated is strictly serializable: isotap must say so, and others must say something.
    wrong = [r for r in results
             if r.get("exit", 0) not in ((0,) if r["checker"].startswith("isotap") else (0, 1))]
    return 1 if wrong or not results else 0


if __name__ == "__main__":
    sys.exit(main())
