"""What instrumentation costs in front of Oracle's MySQL, where that can be had."""
import contextlib
import sys

import instrument_sysbench
from debian_programs import mysql_folder


def programs(isotap):
    root = mysql_folder()
    return instrument_sysbench.programs("MySQL", root, isotap) if root is not None else {}


def open_legs(options):
    root = mysql_folder()
    if root is None:
        print("bench: Oracle's MySQL cannot be had here, so nothing is measured in front of it",
              file=sys.stderr)
        return contextlib.nullcontext(({}, []))
    return instrument_sysbench.open_legs("MySQL", root, options)
