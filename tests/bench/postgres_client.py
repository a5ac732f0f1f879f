"""The cheapest PostgreSQL client there is: it counts bytes, so that little but the server and the
proxy is measured. Speaks just what the workloads need, to a server that trusts it."""
import socket
import struct

from failure import BenchmarkFailure
from postgres_server import DATABASE, USER

PROTOCOL_3_0 = 196608
READ_BYTES = 1 << 20
ANSWER_SECONDS = 120
# ReadyForQuery outside a transaction. No text that the workloads move has a zero byte in it.
READY = b"Z\0\0\0\5I"
COPY_IN_RESPONSE = b"G"


class PostgresClient:
    """One connection. Not more than one query at a time."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Not settimeout(), which costs a system call more for every read.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO,
                               struct.pack("@ll", ANSWER_SECONDS, 0))
        self.buffer = bytearray(READ_BYTES)
        parameters = f"user\0{USER}\0database\0{DATABASE}\0\0".encode()
        self.socket.sendall(struct.pack("!ii", len(parameters) + 8, PROTOCOL_3_0) + parameters)
        self.read_until_ready()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def ask(self, sql):
        """Sends a query and leaves its answer unread."""
        self.socket.sendall(message(b"Q", sql.encode() + b"\0"))

    def query(self, sql):
        """Runs a query; returns how many bytes the answer had."""
        self.ask(sql)
        return self.read_until_ready()

    def copy_in(self, sql, block, times):
        """Sends a block of CopyData messages again and again."""
        self.ask(sql)
        first = self.socket.recv(READ_BYTES)
        if not first.startswith(COPY_IN_RESPONSE):
            raise BenchmarkFailure(first.decode(errors="replace"))
        for _ in range(times):
            self.socket.sendall(block)
        self.socket.sendall(message(b"c", b""))
        self.read_until_ready()

    def read_until_ready(self):
        total = 0
        tail = b""
        while tail != READY:
            size = self.socket.recv_into(self.buffer)
            if size == 0:
                raise BenchmarkFailure("the connection was closed")
            # The answer to a failed statement starts with its error.
            if total == 0 and self.buffer[0] == ord("E"):
                raise BenchmarkFailure(bytes(self.buffer[:size]).decode(errors="replace"))
            total += size
            tail = (tail + bytes(self.buffer[max(0, size - len(READY)):size]))[-len(READY):]
        return total


def message(kind, body):
    return kind + struct.pack("!i", len(body) + 4) + body
