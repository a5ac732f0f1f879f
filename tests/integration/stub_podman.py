"""Stands in for podman: a 'container' is a server that runs already, and a port that leads to it.

usage: podman run … --publish=127.0.0.1:PORT:3306 …     podman rm --force NAME

STUB_SERVER is the server's port, STUB_LOG a file that gets each command line.
"""
import os
import pathlib
import socket
import sys
import threading


def pass_on(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(port):
    with socket.create_server(("127.0.0.1", port)) as listener:
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", int(os.environ["STUB_SERVER"])))
            for ends in ((client, server), (server, client)):
                threading.Thread(target=pass_on, args=ends, daemon=True).start()


if __name__ == "__main__":
    with pathlib.Path(os.environ["STUB_LOG"]).open("a") as log:
        log.write(" ".join(sys.argv[1:]) + "\n")
    if sys.argv[1] == "run":
        publish = next(a for a in sys.argv if a.startswith("--publish="))
        serve(int(publish.split(":")[1]))
