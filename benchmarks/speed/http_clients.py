"""Which HTTP client asks a hundred questions at once with the least effort.

A fake API in a process of its own answers at once (or after ``--latency-ms``); each client sends the same chat
completion to it over and over, ``--in-flight`` at a time, and reads the answer whole. Shown are requests per second,
the client's own processor time for each, and both against one shared httpx client with its default transport. The
clients take turns, round by round, so that a busy machine is busy for all of them.

    pip install httpx httpx-aiohttp        # the clients that were not chosen; they are left out when not installed
    python benchmarks/speed/http_clients.py
    python benchmarks/speed/http_clients.py --latency-ms 200 --requests 2000

The choice that rests on it is argued in docs/design/0005-http-client.md.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
from steelyard_builtins.providers._http import HttpClient

from steelyard.api import PluginContext
from steelyard.testing.fake_api_process import FakeAPIProcess

try:
    import httpx
    from httpx_aiohttp import AiohttpTransport
except ImportError:
    httpx = None  # type: ignore[assignment]

BODY = json.dumps(
    {
        "model": "vendor/small",
        "messages": [{"role": "user", "content": "Classify this conversation. " * 10}],
        "temperature": 0,
        "max_tokens": 200,
    }
).encode()
HEADERS = {"Content-Type": "application/json", "Authorization": "Bearer sk-none", "Accept": "application/json"}

Ask = Callable[[], Awaitable[bytes]]
Client = Callable[[str, int], contextlib.AbstractAsyncContextManager[Ask]]


@contextlib.asynccontextmanager
async def httpx_shared(url: str, in_flight: int) -> AsyncIterator[Ask]:
    """One httpx client with a connection for each request in flight."""
    limits = httpx.Limits(max_connections=in_flight, max_keepalive_connections=in_flight)
    async with httpx.AsyncClient(limits=limits, timeout=60) as client:

        async def ask() -> bytes:
            return (await client.post(url, content=BODY, headers=HEADERS)).content

        yield ask


@contextlib.asynccontextmanager
async def httpx_pools_of_one(url: str, in_flight: int) -> AsyncIterator[Ask]:
    """One httpx client whose transport hands each request a connection pool of its own."""
    context, limits = httpx.create_ssl_context(), httpx.Limits(max_connections=1)
    free = [httpx.AsyncHTTPTransport(verify=context, limits=limits) for _ in range(in_flight)]

    class Rotating(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            transport = free.pop()
            try:
                response = await transport.handle_async_request(request)
                await response.aread()
                return response
            finally:
                free.append(transport)

    async with httpx.AsyncClient(transport=Rotating(), timeout=60) as client:

        async def ask() -> bytes:
            return (await client.post(url, content=BODY, headers=HEADERS)).content

        yield ask
    for transport in free:
        await transport.aclose()


def aiohttp_session(in_flight: int) -> aiohttp.ClientSession:
    """Make what holds the connections of aiohttp."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=in_flight), cookie_jar=aiohttp.DummyCookieJar(), trust_env=False
    )


@contextlib.asynccontextmanager
async def httpx_over_aiohttp(url: str, in_flight: int) -> AsyncIterator[Ask]:
    """One httpx client whose transport is aiohttp."""
    transport = AiohttpTransport(client=lambda: aiohttp_session(in_flight))
    async with httpx.AsyncClient(transport=transport, timeout=60) as client:

        async def ask() -> bytes:
            return (await client.post(url, content=BODY, headers=HEADERS)).content

        yield ask


@contextlib.asynccontextmanager
async def httpx_transport_over_aiohttp(url: str, in_flight: int) -> AsyncIterator[Ask]:
    """The same transport without httpx's client around it: no cookies, authentication, redirects or URL merging."""
    transport = AiohttpTransport(client=lambda: aiohttp_session(in_flight))
    parsed = httpx.URL(url)

    async def ask() -> bytes:
        request = httpx.Request("POST", parsed, headers=HEADERS, content=BODY)
        response = await transport.handle_async_request(request)
        return await response.aread()

    yield ask
    await transport.aclose()


@contextlib.asynccontextmanager
async def aiohttp_alone(url: str, in_flight: int) -> AsyncIterator[Ask]:
    """Use aiohttp without anything around it."""
    async with aiohttp_session(in_flight) as session:

        async def ask() -> bytes:
            async with session.post(url, data=BODY, headers=HEADERS) as response:
                return await response.read()

        yield ask


@contextlib.asynccontextmanager
async def steelyard_client(url: str, in_flight: int) -> AsyncIterator[Ask]:
    """What the providers use: aiohttp with a deadline, a size limit, and errors that say whether to try again."""
    here = Path()
    context = PluginContext(base_dir=here, work_dir=here, cache_dir=here, environ={}, concurrency=in_flight)
    client = HttpClient("bench", url, context)

    async def ask() -> bytes:
        return (await client.send("POST", url, headers=HEADERS, body=BODY, timeout_s=60)).body

    yield ask
    await client.close()


@contextlib.asynccontextmanager
async def raw_streams(url: str, _in_flight: int) -> AsyncIterator[Ask]:
    """The floor: bytes written to a socket and read back by length. Not a client that one could use."""
    parts = urlsplit(url)
    lines = [f"POST {parts.path} HTTP/1.1", f"Host: {parts.netloc}", f"Content-Length: {len(BODY)}"]
    lines += [f"{name}: {value}" for name, value in HEADERS.items()]
    message = "\r\n".join(lines).encode() + b"\r\n\r\n" + BODY
    free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def ask() -> bytes:
        reader, writer = free.pop() if free else await asyncio.open_connection(parts.hostname, parts.port)
        writer.write(message)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        body = await reader.readexactly(length)
        free.append((reader, writer))
        return body

    yield ask
    for _, writer in free:
        writer.close()


CLIENTS: Mapping[str, Client] = {
    "httpx, one shared client": httpx_shared,
    "httpx, pools of one": httpx_pools_of_one,
    "httpx over aiohttp": httpx_over_aiohttp,
    "httpx transport over aiohttp": httpx_transport_over_aiohttp,
    "aiohttp": aiohttp_alone,
    "steelyard's client (aiohttp)": steelyard_client,
    "raw streams": raw_streams,
}


@dataclass(frozen=True)
class Figures:
    """What one client did."""

    requests_per_s: float
    cpu_ms: float


async def measured(client: Client, url: str, requests: int, in_flight: int) -> Figures:
    """Let one client ask, after two rounds to open its connections."""
    async with client(url, in_flight) as ask:
        for _ in range(2):
            await asyncio.gather(*(ask() for _ in range(in_flight)))
        left = iter(range(requests))

        async def worker() -> None:
            for _ in left:
                json.loads(await ask())

        started, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(worker() for _ in range(in_flight)))
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    return Figures(requests / seconds, cpu / requests * 1000)


def median(all_figures: list[Figures]) -> Figures:
    """Return the figures in the middle."""
    return Figures(
        statistics.median(figures.requests_per_s for figures in all_figures),
        statistics.median(figures.cpu_ms for figures in all_figures),
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--in-flight", type=int, default=100)
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--rounds", type=int, default=3, help="the median of so many")
    parser.add_argument("--only", help="only clients whose name contains this text")
    options = parser.parse_args()
    clients = {
        name: client
        for name, client in CLIENTS.items()
        if (options.only or "") in name and (httpx is not None or not name.startswith("httpx"))
    }
    rounds: dict[str, list[Figures]] = {name: [] for name in clients}
    with FakeAPIProcess(latency_s=options.latency_ms / 1000) as api:
        url = f"{api.base_url}/chat/completions"
        for _ in range(options.rounds):
            for name, client in clients.items():
                rounds[name].append(asyncio.run(measured(client, url, options.requests, options.in_flight)))
    show(rounds, options)


def show(rounds: Mapping[str, list[Figures]], options: argparse.Namespace) -> None:
    """Print a table, with ratios to the first client."""
    print(
        f"{options.requests} requests, {options.in_flight} in flight, {options.latency_ms:g} ms latency, "
        f"median of {options.rounds}"
    )
    print(f"{'client':30} {'requests/s':>10} {'ratio':>7} {'CPU ms each':>12} {'ratio':>7}")
    medians = {name: median(figures) for name, figures in rounds.items()}
    first = next(iter(medians.values()))
    for name, figures in medians.items():
        print(
            f"{name:30} {figures.requests_per_s:10,.0f} {figures.requests_per_s / first.requests_per_s:6.1f}x "
            f"{figures.cpu_ms:12.2f} {figures.cpu_ms / first.cpu_ms:6.2f}x"
        )


if __name__ == "__main__":
    main()
