"""What instrumentation costs in front of MariaDB."""
import instrument_sysbench


def programs(isotap):
    return instrument_sysbench.programs("MariaDB", None, isotap)


def open_legs(options):
    return instrument_sysbench.open_legs("MariaDB", None, options)
