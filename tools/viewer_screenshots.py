"""Take the pictures of docs/viewer: every page of the viewer over the runs of a folder, light, and dark for items.

python tools/viewer_screenshots.py FOLDER [OUT]     FOLDER as `earmark demo` and `earmark import` fill it

Needs Debian's Chromium and the package playwright.
"""

from __future__ import annotations

import asyncio
import io
import sys
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.async_api import Browser, async_playwright

from earmark.audiogram.viewing import describe_audiogram, open_trials
from earmark.viewer.foreign_code import CodePolicy
from earmark.viewer.pages import Pages
from earmark.viewer.results import Audiograms, Results, RunSummary
from earmark.viewer.serve import Address, running

WIDTH: Final = 1080
HEIGHT: Final = 640
COLOURS: Final = 96  # of a picture, which is so a third as large
PATIENCE: Final = 60_000  # milliseconds


def addresses(runs: list[RunSummary]) -> dict[str, str]:
    """Address of each page, over the runs that show most of it."""
    words = max((run for run in runs if not run.imported and run.state == "finished"), key=lambda run: run.n or 0)
    imported = [run.run for run in runs if run.imported][-2:]
    audiogram = next((run.run for run in runs if run.state == "audiogram"), "")
    pages = {
        "runs": "runs",
        "run": f"run?run={words.run}",
        "items": f"items?run={words.run}&mark=wrong&condition=noise%3A0",
        "leaderboard": "leaderboard",
    }
    if len(imported) == 2:
        pages["compare"] = f"compare?run={imported[0]}&run={imported[1]}&only=second&task=librispeech_test_clean"
    if audiogram:
        pages["audiogram"] = f"audiogram?run={audiogram}"
    return pages


async def shoot(browser: Browser, address: str, path: Path, theme: str) -> None:
    """Take one picture once everything is there."""
    context = await browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="dark" if theme == "dark" else "light"
    )
    page = await context.new_page()
    await page.goto(address)
    for _ in range(PATIENCE // 250):
        await page.wait_for_timeout(250)
        if not await page.evaluate("document.body.innerText.match(/Loading|reading clip/)"):
            break
    await page.wait_for_timeout(500)
    picture = Image.open(io.BytesIO(await page.screenshot()))
    picture.convert("RGB").quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(
        path, optimize=True
    )
    print(path)
    await context.close()


async def main(folder: Path, out: Path) -> None:
    results = Results(folder)
    pages = Pages(results, CodePolicy(print), Audiograms(describe_audiogram, open_trials))
    async with running(pages, Address(port=0)) as url, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for name, place in addresses(results.summaries()).items():
            await shoot(browser, f"{url}#/{place}", out / f"{name}.png", "light")
        await shoot(browser, f"{url}#/{addresses(results.summaries())['items']}", out / "items-dark.png", "dark")
        await browser.close()


if __name__ == "__main__":
    target = Path(sys.argv[2] if len(sys.argv) > 2 else "docs/viewer")
    target.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(Path(sys.argv[1]), target))
