"""The ways from a client to the server that are compared: none in between, or one proxy each."""
import pathlib
import re
import shutil
import tempfile

from child_process import ChildProcess, as_unprivileged, free_port
from failure import BenchmarkFailure
from debian_programs import program_of

DIRECT = "direct"
DIRECT_AGAIN = "direct again"   # the same as direct: what it differs by is noise
HAPROXY = "haproxy tcp"
PGBOUNCER = "pgbouncer session"
ROUTER = "mysql-router"
RELAY = "isotap relay"
OBSERVE = "isotap observe"
INSTRUMENT = "isotap instrument"

HAPROXY_FILE = """\
global
    maxconn 4000
    nbthread {threads}
defaults
    mode tcp
    timeout connect 10s
    timeout client 1h
    timeout server 1h
listen database
    bind 127.0.0.1:{port}
    server only 127.0.0.1:{server_port}
"""

# One server connection per client, as a 1:1 proxy has.
PGBOUNCER_FILE = """\
[databases]
* = host=127.0.0.1 port={server_port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
pool_mode = session
max_client_conn = 4000
default_pool_size = 1500
log_connections = 0
log_disconnections = 0
"""

# Without TLS on either side, as everything here; it then decodes what it forwards.
ROUTER_FILE = """\
[DEFAULT]
logging_folder = {folder}
runtime_folder = {folder}
data_folder = {folder}
plugin_folder = {root}/usr/lib/mysqlrouter/plugin
[logger]
level = warning
[routing:database]
bind_address = 127.0.0.1
bind_port = {port}
destinations = 127.0.0.1:{server_port}
routing_strategy = first-available
protocol = classic
client_ssl_mode = DISABLED
server_ssl_mode = DISABLED
max_connections = 4000
"""

ISOTAP_READY = re.compile(r"^isotap: listening on 127\.0\.0\.1:(\d+)$", re.M)


class Leg:
    """Where a client connects; `proxy` is the child in between, None on a direct leg.

    another(stack) starts the same proxy once more: for figures that need one with no past.
    """

    def __init__(self, name, port, proxy=None, another=None):
        self.name = name
        self.port = port
        self.proxy = proxy
        self.another = another


def program(name):
    path = shutil.which(name, path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if path is None:
        raise BenchmarkFailure(f"{name} is not installed: see packages.debian")
    return path


def own_folder(parent, name):
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=parent))
    folder.chmod(0o755)   # readable for proxies that run as another user
    return folder


def start_haproxy(stack, parent, server_port, threads):
    folder = own_folder(parent, "haproxy")
    port = free_port()
    file = folder / "haproxy.cfg"
    file.write_text(HAPROXY_FILE.format(port=port, server_port=server_port, threads=threads))
    child = stack.enter_context(ChildProcess(
        "haproxy", [program("haproxy"), "-db", "-f", file], folder / "log"))
    child.wait_for_port(port)
    return Leg(HAPROXY, port, child,
               lambda other: start_haproxy(other, parent, server_port, threads))


def start_pgbouncer(stack, parent, server_port, user):
    folder = own_folder(parent, "pgbouncer")
    port = free_port()
    (folder / "users").write_text(f'"{user}" ""\n')
    file = folder / "pgbouncer.ini"
    file.write_text(PGBOUNCER_FILE.format(port=port, server_port=server_port, folder=folder))
    child = stack.enter_context(ChildProcess(
        "pgbouncer", [program("pgbouncer"), file], folder / "log", identity=as_unprivileged()))
    child.wait_for_port(port)
    return Leg(PGBOUNCER, port, child,
               lambda other: start_pgbouncer(other, parent, server_port, user))


def router_program(root):
    """root: the folder that MySQL and its Router are unpacked in."""
    return program_of(root, "usr/bin/mysqlrouter", "usr/lib/mysql-router")


def start_router(stack, parent, server_port, root):
    folder = own_folder(parent, "router")
    port = free_port()
    file = folder / "mysqlrouter.conf"
    file.write_text(ROUTER_FILE.format(port=port, server_port=server_port, folder=folder,
                                       root=root))
    child = stack.enter_context(ChildProcess(
        "mysqlrouter", [*router_program(root), "-c", file], folder / "log"))
    child.wait_for_port(port)
    return Leg(ROUTER, port, child,
               lambda other: start_router(other, parent, server_port, root))


def start_isotap(stack, parent, binary, upstream, mode, threads):
    """upstream: the URL of the server, as `isotap proxy` takes it."""
    name = f"isotap {mode}"
    child = stack.enter_context(ChildProcess(
        name, [binary, "proxy", "--upstream", upstream, "--listen", "127.0.0.1:0",
               "--mode", mode, "--threads", threads],
        own_folder(parent, f"isotap-{mode}") / "log"))
    ready = child.wait_until(lambda: ISOTAP_READY.search(child.output()))
    return Leg(name, int(ready.group(1)), child,
               lambda other: start_isotap(other, parent, binary, upstream, mode, threads))
