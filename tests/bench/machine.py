"""What the figures were taken on: without it a ratio cannot be read."""
import os
import pathlib
import platform
import re
import subprocess
import time

QUIET = 0.2  # processors; looking takes some


def describe_machine(programs):
    """programs: {name: command that prints its version}."""
    busy = busy_processors()
    return {
        "processor": f"{processor()}, {os.cpu_count()} cores",
        "kernel": f"{platform.system()} {platform.release()}",
        "memory": f"{memory_gib():.0f} GiB",
        "busy before the run": f"{busy:.1f} processors"
                               + (" (not quiet: take the figures as noise)" if busy > QUIET else ""),
        **{name: version(command) for name, command in programs.items()},
    }


def busy_processors(seconds=2):
    """The load average would count the build, and the part of the report before this one."""
    def used():
        user, nice, system, _, _, *more = map(int, first_line("/proc/stat").split()[1:])
        return user + nice + system + sum(more[:3])
    before = used()
    time.sleep(seconds)
    return (used() - before) / os.sysconf("SC_CLK_TCK") / seconds


def first_line(path):
    with open(path, encoding="ascii") as file:
        return file.readline()


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def memory_gib():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)


def version(command):
    said = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    # Some begin with where they lie, which tells nobody anything.
    return re.sub(r"^/\S*/", "", (said.stdout + said.stderr).strip().splitlines()[0])
