"""Runs one benchmark, interleaved over the legs that it compares, and prints it as Markdown.

usage: run.py NAME [options]      (./dev bench NAME builds the release first)
"""
import argparse
import importlib
import pathlib
import resource
import signal
import subprocess
import sys

import report
from campaign import Result, run_workload
from failure import BenchmarkFailure
from legs import DIRECT
from machine import describe_machine

# Each part of a benchmark, by the server it needs, is a module with programs(isotap) and open_legs(options).
BENCHMARKS = {
    "relay": {"postgres": "relay_postgres", "mysql": "relay_mysql"},
    "instrument": {"postgres": "instrument_postgres", "mariadb": "instrument_mariadb",
                   "mysql": "instrument_mysql"},
}
HERE = pathlib.Path(__file__).resolve().parent
RELEASE = HERE.parents[1] / "build" / "release" / "isotap"
BUILT = RELEASE.parent / "tests" / "bench"
# What measures by itself: its output is the report.
PROGRAMS = {
    "all": [sys.executable, HERE / "all.py"],
    "check": [sys.executable, HERE / "check.py", "--isotap", RELEASE, "--generator",
              BUILT / "generate_history"],
    "engine": [BUILT / "check_engine"],
    "live": [BUILT / "bench_live"],
    "sql": [BUILT / "bench_sql_rewrite"],
}
EXIT_USAGE = 2
EXIT_FAILED = 3
EXIT_INTERRUPTED = 130


def parse(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=sorted([*BENCHMARKS, *PROGRAMS]), metavar="NAME",
                        help="one of: " + ", ".join(sorted([*BENCHMARKS, *PROGRAMS])))
    parser.add_argument("--repetitions", type=positive, metavar="N",
                        help="rounds of each workload; 6 when left out")
    parser.add_argument("--seconds", type=positive, metavar="N",
                        help="of each run; 5 when left out")
    parser.add_argument("--threads", type=positive, default=1, metavar="N",
                        help="of isotap and haproxy; 1 when left out: client and server need the"
                        " other cores")
    parser.add_argument("--server", choices=sorted({part for parts in BENCHMARKS.values()
                                                    for part in parts}),
                        help="only the half in front of this server; all when left out")
    parser.add_argument("--only", action="append", metavar="WORKLOAD",
                        help="workloads with this in their name; may be given again")
    parser.add_argument("--list", action="store_true", help="print the names of the workloads")
    parser.add_argument("--quick", action="store_true",
                        help="one round of one second, little data: only shows that all runs")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE",
                        help="also write every number that was taken")
    parser.add_argument("--isotap", type=pathlib.Path, default=RELEASE, metavar="FILE",
                        help="the program to measure; the release build when left out")
    parser.add_argument("--understood", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.name in PROGRAMS:
        parser.error(f"{options.name} has options of its own: write them behind it")
    if options.understood:
        raise SystemExit(0)
    options.repetitions = options.repetitions or (1 if options.quick else 6)
    options.seconds = options.seconds or (1 if options.quick else 5)
    if not options.isotap.exists():
        parser.error(f"there is no {options.isotap}: build it, or name another with --isotap")
    return options


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def chosen(workloads, only):
    return [w for w in workloads if only is None or any(part in w.name for part in only)]


def measure(module, options, results):
    """Appends to results, so that what is finished counts also when the rest fails."""
    with module.open_legs(options) as (legs, workloads):
        if options.list:
            print("\n".join(workload.name for workload in workloads))
            return
        for workload in chosen(workloads, options.only):
            result = Result(workload)
            results.append(result)
            run_workload(result, options.repetitions, legs)


def write(options, machine, results):
    settings = {"rounds": options.repetitions, "seconds a run": options.seconds,
                "threads of isotap and haproxy": options.threads}
    measured = [result for result in results if result.rounds]
    if not measured:
        return
    print(report.markdown(f"Benchmark: {options.name}", machine, settings, measured, DIRECT,
                          judge=not options.quick))
    if options.json:
        options.json.write_text(report.as_json(machine, settings, measured))


def main(arguments):
    if arguments and arguments[0] in PROGRAMS:
        if arguments[-1] == "--understood":
            return 0  # or not: what measures by itself says so by itself
        return subprocess.run([*PROGRAMS[arguments[0]], *arguments[1:]], check=False).returncode
    options = parse(arguments)
    # Each session takes two descriptors in a proxy.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # Also where a shell that started us in the background had them ignored.
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.default_int_handler)
    modules = [importlib.import_module(name) for part, name in BENCHMARKS[options.name].items()
               if options.server in (None, part)]
    results = []
    code = 0
    try:
        commands = {name: command for module in modules
                    for name, command in module.programs(options.isotap).items()}
        machine = describe_machine(commands)
        for module in modules:
            measure(module, options, results)
        if not results and options.only and not options.list:
            print(f"bench: no workload has {options.only} in its name: --list shows them",
                  file=sys.stderr)
            return EXIT_USAGE
    except KeyboardInterrupt:
        print("bench: interrupted", file=sys.stderr)
        code = EXIT_INTERRUPTED
    except (BenchmarkFailure, OSError, subprocess.SubprocessError) as error:
        print(f"bench: {error}", file=sys.stderr)
        code = EXIT_FAILED
    write(options, machine, results)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
