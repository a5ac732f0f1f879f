"""Why a benchmark cannot go on."""


class BenchmarkFailure(Exception):
    """A server, proxy or client did not do what a measurement needs. The message says what."""
