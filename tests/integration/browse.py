"""Opens a page in headless Chromium and prints its document once a condition holds there.

usage: browse.py CHROMIUM URL PROFILE CONDITION

CONDITION is JavaScript. Speaks the DevTools protocol over a pipe, so it needs no other package. Ends
with 1 when the condition does not come true within half a minute.
"""
import json
import os
import subprocess
import sys
import time

PATIENCE = 30


class Browser:
    def __init__(self, program, profile):
        ours, theirs_out = os.pipe()
        theirs_in, self.out = os.pipe()
        self.into = os.fdopen(ours, "rb")
        wiring = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self.process = subprocess.Popen(
            ["bash", "-c", wiring, program, "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", "--user-data-dir=" + profile,
             "about:blank"],
            pass_fds=(theirs_in, theirs_out), stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.unread = b""
        self.last = 0

    def call(self, method, session=None, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.last:
                return answer["result"]

    def read(self):
        while b"\0" not in self.unread:
            chunk = self.into.read1(65536)
            if not chunk:
                raise SystemExit("the browser is gone")
            self.unread += chunk
        message, self.unread = self.unread.split(b"\0", 1)
        return json.loads(message)


def main(program, url, profile, condition):
    browser = Browser(program, profile)
    target = browser.call("Target.createTarget", url=url)["targetId"]
    session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def evaluate(expression):
        found = browser.call("Runtime.evaluate", session, expression=expression, returnByValue=True)
        return found["result"].get("value")

    deadline = time.monotonic() + PATIENCE
    held = False
    while not held and time.monotonic() < deadline:
        held = bool(evaluate(condition))
    print(evaluate("document.documentElement.outerHTML"))
    browser.call("Browser.close")
    browser.process.wait()
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
