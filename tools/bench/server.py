"""A server that takes chat completions as fast as a processor allows: it reads a request and sends a canned answer.

python tools/bench/server.py [--latency=SECONDS]        prints its port and serves until it is killed
"""

from __future__ import annotations

import asyncio
import sys

REPLY = b'{"choices":[{"finish_reason":"stop","message":{"content":"The answer is (A), I think."}}],"usage":{"prompt_tokens":100,"completion_tokens":1}}'
LATENCY = float(sys.argv[1].partition("=")[2]) if sys.argv[1:] else 0.0  # from a request to its answer
MODELS = b'{"data":[{"id":"bench"}]}'


class Server(asyncio.Protocol):
    """One connection. Requests carry a Content-Length and come one after the other."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.head = b""
        self.left = 0

    def data_received(self, data: bytes) -> None:
        if self.left:
            self.left -= len(data)
        else:
            self.head += data
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return
            self.get = self.head.startswith(b"GET")
            fields = self.head[:end].lower()
            position = fields.find(b"content-length:")
            length = 0 if position < 0 else int(fields[position + 15 :].split(b"\r\n")[0])
            self.left = length - (len(self.head) - end - 4)
            self.head = b""
        if self.left <= 0:
            body = MODELS if self.get else REPLY
            assert isinstance(self.transport, asyncio.Transport)
            whole = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
                len(body),
                body,
            )
            if LATENCY and not self.get:
                asyncio.get_running_loop().call_later(LATENCY, self.transport.write, whole)
            else:
                self.transport.write(whole)


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
