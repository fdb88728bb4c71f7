"""Starting the server."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
from viewed_runs import pages_of

from earmark.errors import UsageError
from earmark.viewer.serve import Address, running


async def url_of(root: Path, address: Address) -> str:
    async with running(pages_of(root), address) as url:
        return url


def test_the_address_is_loopback_without_a_token(tmp_path: Path) -> None:
    assert asyncio.run(url_of(tmp_path, Address(port=0))).startswith("http://127.0.0.1:")
    assert "token" not in asyncio.run(url_of(tmp_path, Address(port=0)))
    assert asyncio.run(url_of(tmp_path, Address(port=0, token="abc"))).endswith("/?token=abc")  # noqa: S106


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"127.0.0.1:{port}: cannot be listened on"):
            asyncio.run(url_of(tmp_path, Address(port=port)))


def test_a_host_that_is_not_this_machine(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be listened on"):
        asyncio.run(url_of(tmp_path, Address("192.0.2.1", 0)))
