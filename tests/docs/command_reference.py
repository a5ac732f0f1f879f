"""docs/COMMANDS.md is what `isotap help` says: fails when it is not, or writes it.

usage: command_reference.py ISOTAP DOCUMENT [--write]
"""
import difflib
import pathlib
import re
import subprocess
import sys

HEAD = """# Commands

What `isotap help` says, as one page; a test compares them. The options of `proxy` may also stand in
the environment or in a file: [OPERATIONS.md](OPERATIONS.md#options) says how, with exit codes, limits
and metrics. What the commands print as JSON is in [JSON.md](JSON.md).
"""
COMMAND = re.compile(r"^  isotap ([a-z]+) +(.*)$", re.MULTILINE)
NAMED = re.compile(r"^  (\S.*?)(?: {2,}(.*))?$")
TABLES = ("Positionals:", "Options:")


def said(isotap, *words):
    return subprocess.run([isotap, "help", *words], capture_output=True, text=True,
                          check=True).stdout


def cell(words):
    return words.replace("|", "\\|").replace("<", "&lt;")


def rows_of(lines):
    """[name, what it does] for each entry; a description may begin on the line below its name."""
    rows = []
    for line in lines:
        named = NAMED.match(line)
        if named:
            rows.append([named.group(1), named.group(2) or ""])
        elif rows:
            rows[-1][1] = (rows[-1][1] + " " + line.strip()).strip()
    return rows


def section(name, summary, text):
    lines = [f"## isotap {name}", "", summary[0].upper() + summary[1:] + ".", ""]
    for block in text.split("\n\n"):
        head, _, rest = block.strip("\n").partition("\n")
        if head in TABLES:
            lines += [f"| {head[:-1].lower()} | |", "|---|---|"]
            lines += [f"| `{cell(name)}` | {cell(does)} |" for name, does in rows_of(rest.split("\n"))]
        else:
            lines += ["```", block.strip("\n"), "```"] if block.strip() else []
        if lines[-1]:
            lines.append("")
    return "\n".join(lines)


def reference(isotap):
    commands = [found for found in COMMAND.findall(said(isotap)) if found[0] != "help"]
    return "\n".join([HEAD, *(section(name, summary, said(isotap, name))
                              for name, summary in commands)])


def main(isotap, document, *options):
    document = pathlib.Path(document)
    made = reference(isotap)
    if "--write" in options:
        document.write_text(made)
        return 0
    difference = list(difflib.unified_diff(document.read_text().splitlines(), made.splitlines(),
                                           str(document), "isotap help", lineterm=""))
    print("\n".join(difference))
    if difference:
        print(f"{document} is not what the program says: run this with --write")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
