"""Anomalies as they come, from the admin address of a running isotap."""
import collections
import json
import threading
import time
import urllib.request

import shop

SHOWN_OF_EACH = 2
# A verdict may take a second after the commit that closes its cycle.
QUIET_SECONDS = 1.5


class Feed(threading.Thread):
    """Prints the first of each kind; counts the others."""

    def __init__(self, admin, began):
        super().__init__(daemon=True)
        self._events = urllib.request.urlopen(admin + "/api/events")
        self._began = began
        self._seen = collections.defaultdict(collections.Counter)
        self._come = threading.Condition()

    def run(self):
        kind = None
        try:
            for line in self._events:
                field, _, value = line.decode().rstrip("\r\n").partition(": ")
                if field == "event":
                    kind = value
                elif field == "data" and kind == "anomaly":
                    self._tell(json.loads(value))
        except (OSError, ValueError, AttributeError):
            return  # the proxy has ended

    def seen(self, level):
        """What was seen so far, by kind, once nothing more comes. By the level and not by the time:
        on a busy machine verdicts of one day may come when the next one has begun. `level`: that of
        all transactions of an anomaly; None: of the others."""
        with self._come:
            while self._come.wait(QUIET_SECONDS):
                pass
            return self._seen[level].copy()

    def _tell(self, anomaly):
        kind = (anomaly["name"], ", ".join(sorted({edge["table"] for edge in anomaly["cycle"]})))
        serializable = set(anomaly["levels"]) == {shop.SERIALIZABLE}
        with self._come:
            self._come.notify()
            seen = self._seen[shop.SERIALIZABLE if serializable else None]
            seen[kind] += 1
            if seen[kind] > SHOWN_OF_EACH:
                return
        print(f"  {time.monotonic() - self._began:5.1f} s  {kind[0]} in {kind[1]}"
              f" ({anomaly['severity']} at {', '.join(anomaly['levels'])})", flush=True)
