"""The fake API in a process of its own, so that a speed measurement has a processor for the client alone.

From a shell: ``python -m steelyard.testing.fake_api_process --latency-ms 200`` prints the base address and serves until
its standard input is closed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from types import TracebackType

from .fake_api import FakeAPI, Reply

__all__ = ["FakeAPIProcess"]


class FakeAPIProcess:
    """A fake API with one constant answer, in another process.

    Args:
        text: The answer to every request.
        latency_s: Seconds before each answer.
        cost_usd: What each answer says that it cost.
    """

    def __init__(self, *, text: str = "ok", latency_s: float = 0.0, cost_usd: float = 0.000_01) -> None:
        options = ["--text", text, "--latency-ms", str(latency_s * 1000), "--cost", str(cost_usd)]
        self._command = [sys.executable, "-m", __name__, *options]
        self._process: subprocess.Popen[str] | None = None
        self.base_url = ""
        """The base address of the chat completions API, once started."""

    def __enter__(self) -> FakeAPIProcess:
        """Start it and wait until it listens."""
        self._process = subprocess.Popen(  # noqa: S603 - this very module
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        assert self._process.stdout is not None  # noqa: S101 - asked for above
        self.base_url = self._process.stdout.readline().strip()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Let it end."""
        if self._process is not None:
            self._process.communicate()


def main() -> None:
    """Serve until standard input is closed."""
    parser = argparse.ArgumentParser(prog="fake_api_process", description="Serve a fake model API on the loopback.")
    parser.add_argument("--text", default="ok", help="the answer to every request")
    parser.add_argument("--latency-ms", type=float, default=0.0, help="milliseconds before each answer")
    parser.add_argument("--cost", type=float, default=0.000_01, help="what each answer says that it cost, in USD")
    parser.add_argument("--port", type=int, default=0, help="the port to listen on; 0 takes a free one")
    options = parser.parse_args()
    with FakeAPI(keep_requests=False, port=options.port) as api:
        api.reply(Reply(options.text, cost_usd=options.cost, latency_s=options.latency_ms / 1000))
        sys.stdout.write(f"{api.base_url}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
