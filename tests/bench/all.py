"""Every benchmark, one after the other, as one report with pictures.

usage: all.py [--output FOLDER] [--quick] [--seconds N] [--part NAME]… [--build FOLDER]

A part that fails is told as such in the report, and the others are still measured. A full run takes
some three hours, one with --seconds 1 less than half of that; --quick only shows that everything
runs.
"""
import argparse
import dataclasses
import pathlib
import subprocess
import sys
import time

import machine

HERE = pathlib.Path(__file__).resolve().parent
RELEASE = HERE.parents[1] / "build" / "release"
PARTS = ("relay", "instrument", "sql", "check", "stream", "live")


@dataclasses.dataclass(frozen=True)
class Part:
    """`command` prints the figures. Each picture is a file name and the command that draws it on
    its output; it reads what the part printed."""
    name: str
    title: str
    command: list
    pictures: tuple = ()


def parts(options):
    bench = options.build / "tests" / "bench"
    script = [sys.executable]
    quick = ["--quick"] if options.quick else []
    seconds = ["--seconds", str(options.seconds)] if options.seconds else []

    def campaign(name, title):
        result = options.output / f"{name}.json"
        drawn = tuple((f"{name}-{figure}.svg", [*script, HERE / "plot_legs.py", result, figure])
                      for figure in ("throughput", "cpu"))
        return Part(name, title, [*script, HERE / "run.py", name, *quick, *seconds, "--json",
                                  result, "--isotap", options.build / "isotap"], drawn)

    transactions = "200000" if options.quick else "20000000"
    return [
        campaign("relay", "What forwarding costs"),
        campaign("instrument", "What instrumentation costs"),
        Part("sql", "Reading and rewriting a statement",
             [bench / "bench_sql_rewrite", "--benchmark_repetitions=6",
              "--benchmark_report_aggregates_only=true",
              f"--benchmark_min_time={0.001 if options.quick else 0.1}"]),
        Part("check", "Checking histories",
             [*script, HERE / "check.py", "--isotap", options.build / "isotap", "--generator",
              bench / "generate_history", *(["--sizes", "200,2000", "--repeat", "2"] if options.quick else [])]),
        Part("stream", "An endless stream through the engine",
             [bench / "check_engine", "stream", transactions],
             (("stream.svg", [*script, HERE / "plot_stream.py"]),)),
        Part("live", "Live analysis and recording",
             [bench / "bench_live", "--seconds", "3" if options.quick else "120", "--report",
              "1" if options.quick else "5"],
             (("live.svg", [*script, HERE / "plot_stream.py"]),)),
    ]


def draw(part, printed, options):
    """Markdown that shows the pictures of a part."""
    lines = []
    for file, command in part.pictures:
        drawn = subprocess.run([str(word) for word in command], input=printed, text=True,
                               capture_output=True, check=False)
        if drawn.returncode == 0:
            (options.output / file).write_text(drawn.stdout)
            lines += [f"![{part.title}]({file})", ""]
        else:
            lines += [f"No picture: {drawn.stderr.strip()}", ""]
    return lines


def measure(part, options):
    """The part's section, and whether it went well. What it says on stderr is progress."""
    began = time.monotonic()
    done = subprocess.run([str(word) for word in part.command], text=True, stdout=subprocess.PIPE,
                          check=False)
    lines = [f"## {part.title}", ""]
    if done.returncode != 0:
        lines += [f"**This part failed, with exit code {done.returncode}.**", ""]
    if done.stdout.startswith("# "):
        lines += [done.stdout.partition("\n")[2].strip(), ""]
    else:
        lines += ["```", done.stdout.rstrip(), "```", ""]
    lines += draw(part, done.stdout, options)
    lines += [f"It took {(time.monotonic() - began) / 60:.1f} minutes.", ""]
    return lines, done.returncode == 0


def parse(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench all", description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("bench-report"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seconds", type=positive, metavar="N",
                        help="of each run of relay and instrument; 5 when left out")
    parser.add_argument("--part", action="append", choices=PARTS, metavar="NAME",
                        help="only this one, of: " + ", ".join(PARTS))
    parser.add_argument("--build", type=pathlib.Path, default=RELEASE, metavar="FOLDER")
    return parser.parse_args(arguments)


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def main(arguments):
    options = parse(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    lines = ["# isotap: benchmarks", ""]
    lines += [f"- {name}: {value}" for name, value in machine.describe_machine(
        {"isotap": [options.build / "isotap", "version"]}).items()]
    lines += ["", "How the figures are taken and what they should be: docs/BENCHMARKS.md.", ""]
    failed = []
    for part in parts(options):
        if options.part and part.name not in options.part:
            continue
        print(f"bench: {part.title} …", file=sys.stderr)
        section, well = measure(part, options)
        lines += section
        failed += [] if well else [part.name]
        (options.output / "report.md").write_text("\n".join(lines))
    print(f"bench: the report is {options.output / 'report.md'}"
          + (f"; failed: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
