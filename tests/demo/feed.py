"""Anomalies as they come, from the admin address of a running isotap."""
import collections
import json
import threading
import time
import urllib.request

SHOWN_OF_EACH = 2
# A verdict may take a second after the commit that closes its cycle.
QUIET_SECONDS = 1.5


class Feed(threading.Thread):
    """Prints the first of each kind; counts the others."""

    def __init__(self, admin, began):
        super().__init__(daemon=True)
        self._events = urllib.request.urlopen(admin + "/api/events")
        self._began = began
        self._seen = collections.Counter()
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

    def take(self):
        """What was seen since the last call, by kind, once nothing more comes."""
        with self._come:
            while self._come.wait(QUIET_SECONDS):
                pass
            seen, self._seen = self._seen, collections.Counter()
        return seen

    def _tell(self, anomaly):
        kind = (anomaly["name"], ", ".join(sorted({edge["table"] for edge in anomaly["cycle"]})))
        with self._come:
            self._come.notify()
            self._seen[kind] += 1
            if self._seen[kind] > SHOWN_OF_EACH:
                return
        print(f"  {time.monotonic() - self._began:5.1f} s  {kind[0]} in {kind[1]}"
              f" ({anomaly['severity']} at {', '.join(anomaly['levels'])})", flush=True)
