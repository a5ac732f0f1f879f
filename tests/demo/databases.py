"""How the demo's shop speaks to each engine: an ordinary driver, nothing of isotap."""
import urllib.parse


class Postgres:
    """PostgreSQL by way of psycopg2."""

    name = "PostgreSQL"

    def __init__(self, host, port, user, database):
        import psycopg2
        self._driver = psycopg2
        self._where = {"host": host, "port": port, "user": user, "dbname": database}
        self.errors = psycopg2.Error

    def connect(self, level):
        connection = self._driver.connect(**self._where)
        connection.set_session(isolation_level=level)
        return connection

    @staticmethod
    def is_worth_a_retry(error):
        return error.pgcode in ("40001", "40P01")


class MariaDb:
    """MariaDB by way of PyMySQL."""

    name = "MariaDB"
    _LOST_AGAINST_ANOTHER = (1020, 1205, 1213)

    def __init__(self, host, port, user, database):
        import pymysql
        self._driver = pymysql
        self._where = {"host": host, "port": port, "user": user, "database": database}
        self.errors = pymysql.err.Error

    def connect(self, level):
        connection = self._driver.connect(**self._where)
        with connection.cursor() as cursor:
            cursor.execute(f"set session transaction isolation level {level}")
        return connection

    def is_worth_a_retry(self, error):
        return error.args[0] in self._LOST_AGAINST_ANOTHER


ENGINES = {"postgres": Postgres, "mariadb": MariaDb}


def at(engine, url, port):
    """The database of a sandbox's URL, by way of another port."""
    parts = urllib.parse.urlsplit(url)
    return ENGINES[engine](parts.hostname, port, parts.username, parts.path.lstrip("/"))
