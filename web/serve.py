"""Serves a folder of the playground and prints the address. usage: serve.py FOLDER HOST PORT

A port that is taken is no reason to stop: the next free one is. What else keeps it from serving is said in a line.
"""
from __future__ import annotations

import errno
import functools
import http.server
import ipaddress
import socket
import sys
from typing import Optional

TRIED = 100  # ports, from the first one on


class Handler(http.server.SimpleHTTPRequestHandler):
    # Some systems know no type for these, and browsers insist on it.
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map,
                      ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm"}

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")  # what was built again is seen again
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    allow_reuse_address = True

    def server_bind(self) -> None:  # without asking a name server for the name of the host
        socketserver_bind = super(http.server.HTTPServer, self).server_bind
        socketserver_bind()
        self.server_name, self.server_port = self.server_address[:2]


def fail(reason: str) -> None:
    print(f"web-serve: {reason}", file=sys.stderr)
    sys.exit(1)


def family_of(host: str) -> "socket.AddressFamily":
    try:
        return socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][0]
    except OSError as error:
        fail(f"HOST={host}: {error.strerror or error}")
        raise


def listen(folder: str, host: str, first: int) -> Server:
    Server.address_family = family_of(host)
    serve = functools.partial(Handler, directory=folder)
    for port in range(first, min(first + TRIED, 65536)):
        try:
            return Server((host, port), serve)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                fail(f"HOST={host} PORT={port}: {error.strerror or error}")
    fail(f"HOST={host}: all ports from {first} to {min(first + TRIED, 65536) - 1} are taken; PORT=N tries others")
    raise AssertionError


def own_address() -> Optional[str]:
    """The address by which others reach this machine; no packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return None


def names_of(host: str) -> list[str]:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return [host]
    if address.is_unspecified:
        return ["localhost"] + [name for name in [own_address()] if name]
    if address.is_loopback and address.version == 4:
        return ["localhost"]
    return [f"[{host}]" if address.version == 6 else host]


def main() -> None:
    folder, host, port = sys.argv[1:]
    if not port.isdigit() or not 0 < int(port) < 65536:
        fail(f"PORT={port} is no port: 1 to 65535")
    server = listen(folder, host, int(port))
    taken = f"  (port {port} is taken)" if server.server_port != int(port) else ""
    for name in names_of(host):
        print(f"http://{name}:{server.server_port}/{taken}", flush=True)
    print("Ctrl-C stops it", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()


main()
