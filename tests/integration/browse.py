"""Opens a page in headless Chromium and prints its document once a condition holds there.

usage: browse.py CHROMIUM URL PROFILE CONDITION

CONDITION is JavaScript. Ends with 1 when it does not come true within half a minute.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from browser import Browser  # noqa: E402


def main(program, url, profile, condition):
    with Browser(program, profile) as browser:
        page = browser.open(url)
        held = page.wait_for(condition)
        print(page.evaluate("document.documentElement.outerHTML"))
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
