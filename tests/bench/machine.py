"""What the figures were taken on: without it a ratio cannot be read."""
import os
import pathlib
import platform
import re
import subprocess


def describe_machine(programs):
    """programs: {name: command that prints its version}."""
    load = os.getloadavg()[0]
    return {
        "processor": f"{processor()}, {os.cpu_count()} cores",
        "kernel": f"{platform.system()} {platform.release()}",
        "memory": f"{memory_gib():.0f} GiB",
        "load before the run": f"{load:.1f}"
                               + (" (not quiet: take the figures as noise)" if load > 0.5 else ""),
        **{name: version(command) for name, command in programs.items()},
    }


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
