"""What psycopg2 can do, printed: run with PGHOST and PGPORT of a server or of a proxy before it."""
import io
import select
import threading

import psycopg2
import psycopg2.extras
import psycopg2.errors


def show(*what):
    print(*what, flush=True)


def queries(connection):
    cursor = connection.cursor()
    cursor.execute("CREATE TEMP TABLE t(a int PRIMARY KEY, b text, c bytea, d numeric, e timestamptz)")
    psycopg2.extras.execute_values(
        cursor, "INSERT INTO t VALUES %s",
        [(i, f"text {i} äöü", bytes([i % 256]) * 10, i / 7, "2024-01-01 00:00:00+00")
         for i in range(1000)])
    show("rowcount", cursor.rowcount, cursor.statusmessage)
    cursor.execute("SELECT * FROM t WHERE a BETWEEN %s AND %s ORDER BY a", (5, 8))
    show([column.name for column in cursor.description], [c.type_code for c in cursor.description])
    for row in cursor:
        show([bytes(v) if isinstance(v, memoryview) else str(v) for v in row])
    cursor.execute("UPDATE t SET b = NULL WHERE a < 10 RETURNING a, b")
    show(cursor.fetchall())
    connection.commit()


def errors(connection):
    cursor = connection.cursor()
    for statement in ("SELECT 1/0", "SELECT * FROM missing", "INSERT INTO t VALUES (1)", "SELEC"):
        try:
            cursor.execute(statement)
        except psycopg2.Error as error:
            show(error.pgcode, error.pgerror, error.diag.severity, error.diag.message_primary,
                 error.diag.statement_position, error.diag.constraint_name)
        connection.rollback()


def server_side_cursor(connection):
    with connection.cursor("named") as cursor:
        cursor.itersize = 100
        cursor.execute("SELECT g FROM generate_series(1, 1050) g")
        show("cursor", sum(row[0] for row in cursor))
    connection.commit()


def copies(connection):
    cursor = connection.cursor()
    cursor.execute("CREATE TEMP TABLE copied(a int, b text)")
    cursor.copy_expert("COPY copied FROM STDIN",
                       io.StringIO("".join(f"{i}\trow {i}\n" for i in range(5000))))
    show("copied", cursor.rowcount)
    out = io.StringIO()
    cursor.copy_expert("COPY (SELECT * FROM copied ORDER BY a) TO STDOUT CSV", out)
    show("out", len(out.getvalue()), out.getvalue()[:40])
    try:
        cursor.copy_expert("COPY copied FROM STDIN", io.StringIO("not a number\tx\n"))
    except psycopg2.Error as error:
        show(error.pgcode)
    connection.rollback()


def notifications(connection):
    listener = psycopg2.connect("")
    listener.autocommit = True
    listener.cursor().execute("LISTEN tests")
    connection.cursor().execute("NOTIFY tests, 'payload'")
    connection.commit()
    select.select([listener], [], [], 10)
    listener.poll()
    show([(n.channel, n.payload) for n in listener.notifies])
    listener.close()


def cancels():
    connection = psycopg2.connect("")
    holder = psycopg2.connect("")
    holder.cursor().execute("SELECT pg_advisory_lock(99)")
    waiting = connection.cursor()

    def run():
        try:
            waiting.execute("SELECT pg_advisory_lock(99)")
        except psycopg2.errors.QueryCanceled as error:
            show("cancelled", error.pgcode)

    thread = threading.Thread(target=run)
    thread.start()
    holder.cursor().execute(
        "DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' "
        "AND objid = 99 AND NOT granted) LOOP PERFORM pg_sleep(0.002); END LOOP; END $$")
    connection.cancel()
    thread.join()
    holder.close()
    connection.close()


def large_objects(connection):
    large = connection.lobject(mode="wb")
    large.write(b"x" * 300_000)
    large.seek(100)
    oid = large.oid
    large.close()
    again = connection.lobject(oid, mode="rb")
    show("large object", len(again.read()))
    again.unlink()
    connection.commit()


def main():
    connection = psycopg2.connect("application_name=probe")
    show(connection.server_version, connection.encoding,
         connection.get_parameter_status("application_name"))
    queries(connection)
    errors(connection)
    server_side_cursor(connection)
    copies(connection)
    notifications(connection)
    cancels()
    large_objects(connection)
    show([notice.strip() for notice in connection.notices])
    connection.close()


main()
