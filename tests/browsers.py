"""Debian's Chromium, driven by Playwright, on pages of the viewer."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from commands import PATIENCE
from servers import threaded
from viewed_runs import pages_of

from earmark.viewer.server import Guard, make_app

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page

Result = TypeVar("Result")
CHROMIUM = Path("/usr/bin/chromium")
POLL = 0.03  # seconds between two looks at a page
# Clips of half a second play for eight, so that a slow machine does not look first when they are over.
SLOWLY = """const play = HTMLMediaElement.prototype.play;
HTMLMediaElement.prototype.play = function () { this.playbackRate = 0.0625; return play.call(this); };"""


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser; skip where there is none, fail where CI must have it."""
    if not CHROMIUM.exists() or find_spec("playwright") is None:
        why = f"needs {CHROMIUM} and the package playwright, which are not both on this machine"
        if os.environ.get("CI"):
            pytest.fail(why)
        pytest.skip(why)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM),
            args=["--no-sandbox", "--disable-audio-output", "--autoplay-policy=no-user-gesture-required"],
        )
        yield browser
        browser.close()


@contextlib.contextmanager
def served(root: Path, **more: Any) -> Iterator[str]:
    """Serve the pages of runs; their address."""
    guard = Guard("127.0.0.1")
    with threaded(make_app(pages_of(root, **more), guard)) as port:
        guard.port = port
        yield f"http://127.0.0.1:{port}/"


def apart(work: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
    """Call a function in a thread of its own: in this one Playwright's loop runs, and a run needs one too."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work, *arguments, **options).result()


class Watched:
    """A page, and everything that went wrong on it."""

    def __init__(self, context: BrowserContext) -> None:
        self.page: Page = context.new_page()
        self.troubles: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        self.page.on("console", self._note)
        self.page.on("dialog", self._refuse)
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.troubles.append(message.text)

    def _refuse(self, dialog: Dialog) -> None:
        self.troubles.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, address: str) -> Watched:
        """Open an address and wait until data are there."""
        self.page.goto(address)
        self.until("!document.body.innerText.includes('Loading')")
        return self

    def until(self, expression: str) -> Any:
        """Wait until an expression of JavaScript is true, and return it; what is not there yet is not true."""
        looked = f"(() => {{ try {{ return {expression}; }} catch {{ return false; }} }})()"
        end = time.monotonic() + PATIENCE / 20
        while not (value := self.page.evaluate(looked)):
            assert time.monotonic() < end, f"{expression} never came true: {self.page.inner_text('main')[:900]}"
            self.page.wait_for_timeout(1000 * POLL)
        return value

    def press(self, key: str) -> None:
        """Press a key, once what the page did last is drawn and listens to keys."""
        self.page.evaluate(
            "new Promise(done => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(done), 150)))"
        )
        self.page.keyboard.press(key)

    def texts(self, selector: str) -> list[str]:
        """Texts of all elements of a selector."""
        found: list[str] = self.page.eval_on_selector_all(selector, "all => all.map(each => each.innerText.trim())")
        return found

    def hash(self) -> str:
        """The address below the page's own."""
        return str(self.page.evaluate("location.hash"))


@contextlib.contextmanager
def watched(browser: Browser, **options: Any) -> Iterator[Watched]:
    """A page in a context of its own; fails where anything went wrong on it."""
    context = browser.new_context(**({"viewport": {"width": 1400, "height": 900}} | options))
    context.add_init_script(SLOWLY)
    page = Watched(context)
    try:
        yield page
        assert not page.troubles, page.troubles
    finally:
        context.close()


def axe_script() -> str:
    """Source of axe."""
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def find_faults(page: Watched) -> list[str]:
    """Serious and critical findings of axe on a page, which the policy lets a debugger run."""
    troubles = list(page.troubles)
    page.page.evaluate(axe_script())
    found: list[str] = page.page.evaluate(
        """async () => (await axe.run(document, {resultTypes: ['violations']})).violations
            .filter(each => ['serious', 'critical'].includes(each.impact))
            .map(each => `${each.id}: ${each.nodes.slice(0, 3).map(node => node.html).join(' ')}`)"""
    )
    page.troubles[:] = troubles  # axe tries a style of its own, which the policy refuses
    return found
