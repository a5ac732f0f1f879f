"""Pictures of the page of a running isotap, for people who have not run it yet."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import browser  # noqa: E402

WIDTH = 1280
HEIGHT = 860
OPENED = "document.querySelector('#detail .edge') !== null"


def first_of(kind):
    """JavaScript: opens the newest anomaly of a kind that is listed; whether there is one."""
    return ("(() => { const found = [...document.querySelectorAll('#list a, #list button')]"
            f".find(each => each.textContent.includes('{kind}'));"
            " if (found) found.click(); return Boolean(found); })()")


def take(admin, folder):
    """page-light.png and page-dark.png, each with an anomaly opened; says what could not be."""
    program = browser.installed()
    if program is None:
        print("no screenshots: there is no chromium on this machine", file=sys.stderr)
        return False
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as profile, browser.Browser(program, profile) as window:
        for scheme, kind in (("light", "lost update"), ("dark", "write skew")):
            page = window.open(admin + "/")
            page.look(WIDTH, HEIGHT, scheme)
            if not page.wait_for(first_of(kind)) or not page.wait_for(OPENED):
                print(f"no screenshot of a {kind}: the page does not show one", file=sys.stderr)
                return False
            (folder / f"page-{scheme}.png").write_bytes(page.screenshot())
    return True
