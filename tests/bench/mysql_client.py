"""The cheapest MySQL client there is: it counts bytes, so that little but the server and the proxy
is measured. Speaks just what the workloads need, for a user without a password."""
import socket
import struct

from failure import BenchmarkFailure
from mysql_server import DATABASE, USER

READ_BYTES = 1 << 20
ANSWER_SECONDS = 120
MAX_PACKET = 1 << 24
UTF8MB4 = 45
LONG_PASSWORD, WITH_DATABASE, PROTOCOL_41, TRANSACTIONS = 1, 8, 0x200, 0x2000
SECURE_CONNECTION, PLUGIN_AUTH, DEPRECATE_EOF = 0x8000, 0x80000, 0x1000000
CAPABILITIES = (LONG_PASSWORD | WITH_DATABASE | PROTOCOL_41 | TRANSACTIONS | SECURE_CONNECTION
                | PLUGIN_AUTH | DEPRECATE_EOF)
QUERY, PREPARE, EXECUTE = b"\3", b"\x16", b"\x17"
OK, ERROR, SWITCH = 0, 0xFF, 0xFE
# The packet behind the last row, with the sequence number left out. No text that the workloads move
# looks like it.
END_BYTES = 11
END_HEAD = b"\7\0\0"
END_BODY = b"\xfe\0\0"


class MysqlClient:
    """One connection. Not more than one command at a time."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Not settimeout(), which costs a system call more for every read.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO,
                               struct.pack("@ll", ANSWER_SECONDS, 0))
        self.buffer = bytearray(READ_BYTES)
        self._read_packet()
        self._send(1, struct.pack("<IIB23x", CAPABILITIES, MAX_PACKET, UTF8MB4)
                   + USER.encode() + b"\0\0" + DATABASE.encode() + b"\0caching_sha2_password\0")
        sequence, answer = self._read_packet()
        while answer[0] != OK:
            if answer[0] != SWITCH:
                raise BenchmarkFailure(answer.decode(errors="replace"))
            self._send(sequence + 1, b"")  # another method: no password either
            sequence, answer = self._read_packet()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def query(self, sql):
        """Runs a query that gives rows, as text; returns how many bytes the answer had."""
        self._send(0, QUERY + sql.encode())
        return self._read_rows()

    def prepare(self, sql):
        """For a query without parameters; returns what execute() takes."""
        self._send(0, PREPARE + sql.encode())
        _, head = self._read_packet()
        if head[0] != OK:
            raise BenchmarkFailure(head.decode(errors="replace"))
        number, columns = struct.unpack_from("<IH", head, 1)
        for _ in range(columns):
            self._read_packet()
        return number

    def execute(self, number):
        """Runs a prepared query: rows in binary; returns how many bytes the answer had."""
        self._send(0, EXECUTE + struct.pack("<IBI", number, 0, 1))
        return self._read_rows()

    def _send(self, sequence, payload):
        self.socket.sendall(struct.pack("<I", len(payload) | sequence << 24) + payload)

    def _read_exactly(self, size):
        found = b""
        while len(found) < size:
            piece = self.socket.recv(size - len(found))
            if not piece:
                raise BenchmarkFailure("the connection was closed")
            found += piece
        return found

    def _read_packet(self):
        head, = struct.unpack("<I", self._read_exactly(4))
        return head >> 24, self._read_exactly(head & 0xFFFFFF)

    def _read_rows(self):
        total = 0
        tail = b""
        while tail[:3] != END_HEAD or tail[4:7] != END_BODY:
            size = self.socket.recv_into(self.buffer)
            if size == 0:
                raise BenchmarkFailure("the connection was closed")
            if total == 0 and self.buffer[4] == ERROR:
                raise BenchmarkFailure(bytes(self.buffer[:size]).decode(errors="replace"))
            total += size
            tail = (tail + bytes(self.buffer[max(0, size - END_BYTES):size]))[-END_BYTES:]
        return total
