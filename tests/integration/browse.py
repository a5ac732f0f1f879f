"""Opens a page in headless Chromium, does with it what it is told, and prints its document.

usage: browse.py CHROMIUM URL PROFILE STEP…

A step is `press KEY` (a letter, Tab or Enter), or a condition in JavaScript, which is waited for; a
line says when each one holds. Ends with 1 when one does not come true within half a minute.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from browser import Browser  # noqa: E402

PRESS = "press "


def take(page, steps):
    """Whether all conditions came true."""
    for number, step in enumerate(steps, 1):
        if step.startswith(PRESS):
            page.press(step.removeprefix(PRESS))
        elif page.wait_for(step):
            print(f"holds: {number}", flush=True)
        else:
            return False
    return True


def main(program, url, profile, *steps):
    with Browser(program, profile) as browser:
        page = browser.open(url)
        held = take(page, steps)
        print(page.evaluate("document.documentElement.outerHTML"))
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
