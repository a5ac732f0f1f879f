"""Talks to a server with PyMySQL and prints what it learns; run twice, the output must be the same.

usage: mysql_clients.py PORT
"""
import os
import sys
import tempfile

import pymysql
from pymysql.constants import CLIENT
from pymysql.cursors import SSCursor


def connect(port, **more):
    return pymysql.connect(host="127.0.0.1", port=port, user="tap", database="shop",
                           local_infile=True, client_flag=CLIENT.MULTI_STATEMENTS, **more)


def rows_of_every_result(cursor):
    results = [cursor.fetchall()]
    while cursor.nextset():
        results.append(cursor.fetchall())
    return results


def errors(connection):
    with connection.cursor() as cursor:
        for sql in ("SELECT nonsense", "SELEC", "INSERT INTO people VALUES (1, 'again', NULL)"):
            try:
                cursor.execute(sql)
            except pymysql.MySQLError as error:
                print(type(error).__name__, error.args)


def transactions(connection, other):
    with connection.cursor() as cursor, other.cursor() as witness:
        connection.begin()
        cursor.execute("UPDATE people SET name='changed' WHERE id=1")
        witness.execute("SELECT name FROM people WHERE id=1")
        print("before commit", witness.fetchall())
        connection.commit()
        other.commit()
        witness.execute("SELECT name FROM people WHERE id=1")
        print("after commit", witness.fetchall())
        connection.begin()
        cursor.execute("DELETE FROM people")
        connection.rollback()
        cursor.execute("SELECT COUNT(*) FROM people")
        print("after rollback", cursor.fetchall())


def local_file(connection):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        for number in range(20000):
            file.write(f"{number + 100},row {number},\\N\n")
        file.flush()
        with connection.cursor() as cursor:
            print("loaded", cursor.execute(
                f"LOAD DATA LOCAL INFILE '{file.name}' INTO TABLE people"
                " FIELDS TERMINATED BY ','"))
        connection.commit()


def main(port):
    connection, other = connect(port), connect(port)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS people; CREATE TABLE people"
                       " (id INT PRIMARY KEY, name VARCHAR(50), photo LONGBLOB) ENGINE=InnoDB")
        rows_of_every_result(cursor)
        print(cursor.executemany("INSERT INTO people VALUES (%s, %s, %s)",
                                 [(i, f"name {i}", os.linesep.encode() * i) for i in range(50)]))
        connection.commit()
        cursor.execute("SELECT 1; SELECT id FROM people WHERE id < 3; SELECT 'three'")
        print(rows_of_every_result(cursor))
        cursor.execute("SELECT REPEAT('z', 20000000)")
        print("large", [len(row[0]) for row in cursor.fetchall()])
        cursor.execute("SELECT LENGTH(%s)", ("y" * 17_000_000,))
        print("large request", cursor.fetchall())
    errors(connection)
    transactions(connection, other)
    local_file(connection)
    with connection.cursor(SSCursor) as cursor:
        cursor.execute("SELECT id, name FROM people ORDER BY id")
        print("streamed", sum(row[0] for row in cursor))
    connection.ping()
    connection.select_db("mysql")
    connection.close()
    other.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
