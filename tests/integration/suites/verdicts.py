"""One word for what became of each test of a unittest suite, the same in every run."""
import re
import unittest


class Verdicts(unittest.TextTestResult):
    """Keeps the words; what tests print of times and addresses is left out."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.words = {}

    def note(self, test, word):
        # A test of several sub-tests has failed when one of them has.
        name = re.sub(r" at 0x[0-9a-f]+", "", test.id())
        if not self.words.get(name, "passed").startswith("failed"):
            self.words[name] = word

    def addSuccess(self, test):
        self.note(test, "passed")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.note(test, f"failed: {error[0].__name__}")

    def addError(self, test, error):
        super().addError(test, error)
        self.note(test, f"failed: {error[0].__name__}")

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.note(test, f"failed: {error[0].__name__}")

    def addSkip(self, test, reason):
        self.note(test, "skipped: " + reason.splitlines()[0])

    def addExpectedFailure(self, test, error):
        self.note(test, "failed as expected")

    def addUnexpectedSuccess(self, test):
        self.note(test, "passed, unexpectedly")


def print_verdicts(words):
    for name, word in sorted(words.items()):
        print("verdict:", name, word)
