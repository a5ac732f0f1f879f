"""Runs a part of Django's own test suite and prints the verdict of each test.

usage: django_suite.py BACKEND PORT FOLDER LABEL…

BACKEND is `postgresql` or `mysql`. FOLDER is Django's source, with what Django needs in `libraries`. Labels are those of Django's
tests/runtests.py. Django makes its own databases, `test_django` and `test_other`.
"""
import os
import pathlib
import runpy
import sys

NAME = "django_suite_settings"  # a module that settings and runner come from
SETTINGS = {
    "SECRET_KEY": "django_tests_secret_key",
    "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
    "DEFAULT_AUTO_FIELD": "django.db.models.AutoField",
    "USE_TZ": False,
    "TEST_RUNNER": NAME + ".Runner",
}


USERS = {"postgresql": "postgres", "mysql": "tap"}


def database(backend, name, port):
    return {"ENGINE": "django.db.backends." + backend, "NAME": name, "USER": USERS[backend],
            "HOST": "127.0.0.1", "PORT": port,
            "TEST": {"NAME": "test_" + name, **({"CHARSET": "utf8mb4"} if backend == "mysql" else {})}}


class LateRunner:
    """Django's runner can be imported only when the settings are there."""

    def __getattr__(self, name):
        if name != "Runner":
            raise AttributeError(name)
        from django.test.runner import DiscoverRunner
        from verdicts import Verdicts, print_verdicts

        class Runner(DiscoverRunner):
            def get_resultclass(self):
                return Verdicts

            def run_suite(self, suite, **options):
                result = super().run_suite(suite, **options)
                print_verdicts(result.words)
                return result

        return Runner


def main(backend, port, folder, *labels):
    settings = LateRunner()
    settings.__dict__.update(SETTINGS, __name__=NAME, DATABASES={
        alias: database(backend, name, port)
        for alias, name in (("default", "django"), ("other", "other"))})
    sys.modules[NAME] = settings
    tests = pathlib.Path(folder) / "tests"
    sys.path[:0] = [str(tests), folder, str(pathlib.Path(folder) / "libraries")]
    os.chdir(tests)
    sys.argv = ["runtests.py", f"--settings={NAME}", "--noinput", "--parallel=1", "-v0", *labels]
    runpy.run_path("runtests.py", run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])
