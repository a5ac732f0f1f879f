"""Headless Chromium, by the DevTools protocol over a pipe: no package but the browser is needed."""
import base64
import json
import os
import subprocess
import time

PATIENCE = 30
# What a key is beside its name, as the protocol has it.
KEYS = {"Tab": {"windowsVirtualKeyCode": 9}, "Enter": {"windowsVirtualKeyCode": 13, "text": "\r"}}
PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]


def installed():
    """The program of a browser, or None."""
    return next((program for program in PROGRAMS if os.path.exists(program)), None)


class Page:
    """One open tab."""

    def __init__(self, browser, session):
        self._browser = browser
        self._session = session

    def call(self, method, **parameters):
        return self._browser.call(method, self._session, **parameters)

    def evaluate(self, expression):
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return found["result"].get("value")

    def wait_for(self, condition):
        """Whether a condition, in JavaScript, comes true within half a minute."""
        deadline = time.monotonic() + PATIENCE
        held = False
        while not held and time.monotonic() < deadline:
            held = bool(self.evaluate(condition))
        return held

    def press(self, key):
        """One key, down and up: a letter, or one of KEYS."""
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key,
                  **KEYS.get(key, {"text": key}))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def look(self, width, height, scheme):
        """What the page is shown on: pixels, and 'light' or 'dark'."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self):
        """What is to be seen, as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])


class Browser:
    """A browser that ends with its block. `profile` is a folder that it may write to."""

    def __init__(self, program, profile):
        ours, theirs_out = os.pipe()
        theirs_in, self._out = os.pipe()
        self._into = os.fdopen(ours, "rb")
        wiring = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self._process = subprocess.Popen(
            ["bash", "-c", wiring, program, "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", "--user-data-dir=" + profile,
             "about:blank"],
            pass_fds=(theirs_in, theirs_out), stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self._unread = b""
        self._last = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        finally:
            self._process.wait()

    def open(self, url):
        target = self.call("Target.createTarget", url=url)["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        return Page(self, attached["sessionId"])

    def call(self, method, session=None, **parameters):
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._last:
                return answer["result"]

    def _read(self):
        while b"\0" not in self._unread:
            chunk = self._into.read1(65536)
            if not chunk:
                raise SystemExit("the browser is gone")
            self._unread += chunk
        message, self._unread = self._unread.split(b"\0", 1)
        return json.loads(message)
