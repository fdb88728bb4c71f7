"""API keys: their variables, the addresses that they are sent to, and their redaction in messages.

A key belongs to an address. A known service gets the key of its own variable; any other address gets the variable that
the user names with `api_key_env`, or none. An address contains no key: it is written to disk.
"""

from __future__ import annotations

import json
import os
import re
from functools import lru_cache
from typing import Final, Protocol
from urllib.parse import quote

from yarl import URL

from earmark.errors import BadSetup

SERVICES: Final = (  # hosts, and the variable that holds the key of each
    (re.compile(r"(?:[\w-]+\.)?api\.openai\.com"), "OPENAI_API_KEY"),
    (re.compile(r"dashscope[\w-]*\.aliyuncs\.com"), "DASHSCOPE_API_KEY"),
    (re.compile(r"generativelanguage\.googleapis\.com"), "GEMINI_API_KEY"),
)
VARIABLE: Final = re.compile(r"[A-Z_][A-Z0-9_]*")  # the usual shape of a name; a key seldom has it
NAME: Final = re.compile(r"[\w-]*", re.ASCII)  # of a header or a field of a query
SECRET: Final = re.compile(r"key|token|secret|passw|sig|auth|credential", re.IGNORECASE)  # in names of query fields
SHORTEST_KEY: Final = 8  # a shorter one may be part of any word
HIDDEN: Final = "***"


class KeySettings(Protocol):
    """Settings that choose a key and where it is sent."""

    @property
    def base_url(self) -> str: ...
    @property
    def api_key_env(self) -> str: ...
    @property
    def api_key_header(self) -> str: ...
    @property
    def api_key_query(self) -> str: ...


def parse_address(base_url: str) -> URL:
    """Parse the address of a service. Raises BadSetup if it is none, or contains a password or a key."""
    try:
        url = URL(base_url)
    except ValueError:
        url = URL()
    if url.user is not None or url.password is not None:
        raise BadSetup(
            f"the address of {url.host} contains a user or a password, which would be written to disk; leave it out, "
            "and set a variable to 'Basic BASE64': model.api_key_env=NAME model.api_key_header=Authorization"
        )
    if url.scheme not in ("http", "https") or not url.host:
        raise BadSetup(f"'{base_url}' is no address; expected one such as http://127.0.0.1:8000/v1")
    if secret := next((name for name in url.query if SECRET.search(name)), None):
        raise BadSetup(
            f"the address of {url.host} contains {secret}=, a key that would be written to disk; leave it out, and "
            f"name its variable: model.api_key_env=NAME model.api_key_query={secret}"
        )
    return url


def service_variable(url: URL) -> str:
    """Variable with the key of a known service; empty for any other address.

    >>> service_variable(URL("https://api.openai.com/v1")), service_variable(URL("https://api.openai.com.example.org"))
    ('OPENAI_API_KEY', '')
    """
    return next((variable for host, variable in SERVICES if host.fullmatch(url.host or "")), "")


def find_key(settings: KeySettings) -> str:
    """Read the key of an address from the environment; empty if it needs none. Raises BadSetup if it is missing."""
    named = settings.api_key_env
    if named and named not in os.environ and not VARIABLE.fullmatch(named):
        raise BadSetup(
            "model.api_key_env is no variable of the environment (not shown, since it may be a key); expected a name"
        )
    placed = settings.api_key_header or settings.api_key_query
    if not NAME.fullmatch(placed) or (settings.api_key_header and settings.api_key_query):
        raise BadSetup(
            "expected either model.api_key_header or model.api_key_query, the name of a header or a query field, such "
            "as api-key"
        )
    url = parse_address(settings.base_url)
    variable = named or service_variable(url)
    if placed and not variable:
        raise BadSetup(f"no key belongs to {url.host}; name the variable that holds it with model.api_key_env=NAME")
    key = os.environ.get(variable, "").strip() if variable else ""
    if variable and not key:
        raise BadSetup(f"${variable} holds no key; set it, or name another variable with model.api_key_env=NAME")
    if not key.isascii() or any(ord(letter) < 32 or ord(letter) == 127 for letter in key):
        raise BadSetup(f"${variable} holds a key of several lines, or with a letter that no key has; expected one line")
    return key


def hide(data: bytes, key: str) -> bytes:
    """Replace the key in data of a service: some repeat it when they refuse it.

    >>> hide(b"no such key: sk-12345678", "sk-12345678")
    b'no such key: ***'
    """
    for form in _forms(key):
        data = data.replace(form, HIDDEN.encode())
    return data


@lru_cache(maxsize=64)
def _forms(key: str) -> tuple[bytes, ...]:
    """Forms in which the key may come back: plain, in JSON and in an address; the longest first."""
    forms = set[str]()
    for secret in (key, key.rpartition(" ")[2]):
        if len(secret) >= SHORTEST_KEY:
            in_address = URL("http://h").with_query(k=secret).raw_query_string.removeprefix("k=")
            forms |= {secret, quote(secret, safe=""), in_address, json.dumps(secret)[1:-1]}
    return tuple(form.encode() for form in sorted(forms, key=len, reverse=True))
