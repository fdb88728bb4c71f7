"""Pages in a browser: lists, links, keys, sound, hostile texts, and a site from disk."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import msgspec
import pytest
from aiohttp import web
from browsers import Watched, apart, chromium, find_faults, served, watched
from servers import said, serving, sounds
from sound_forms import CONDITIONS, ask, make_forms
from viewed_runs import NAME, acoustics, pages_of, record, score, six, write_lines, write_run

from earmark.audiogram.run import run_audiogram
from earmark.audiogram.viewing import describe_audiogram, open_trials
from earmark.config.compose import compose_config
from earmark.engine.progress import Callbacks
from earmark.journal import JOURNAL_FILE, read_journal
from earmark.types import Item, Response
from earmark.viewer.results import Audiograms
from earmark.viewer.site import write_site
from earmark.viewer.site_plan import SiteOptions, plan_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PLAYING = (
    "earmark.player.current && !earmark.player.current.audio.paused && earmark.player.current.audio.currentTime > 0"
)


SETTLED = "document.querySelector('.one[aria-busy=false] .item')"  # no item of before is still shown
FETCH = """async (address) => { const answer = await fetch(address, {headers: {Range: 'bytes=0-99999999'}});
    const bytes = new Uint8Array(await answer.arrayBuffer());
    return [answer.status, Array.from(bytes)]; }"""
CLIPS = "document.querySelectorAll('.clip .play').length === 2"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


class Tones:
    """Two runs of tones on a server that keeps what it is sent."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.sent: list[list[bytes]] = []

        def answer(body: dict[str, Any], number: int) -> web.Response:
            self.sent.append([data for _, data in sounds(body)])
            return said("A" if number % 3 else "B")

        words = ("condition=[plain,silence,noise:0]", "model.concurrency=1")
        with serving(answer) as server:
            self.first = apart(acoustics, str(root), *words, name="listens", url=server.url)
        self.second = apart(acoustics, str(root), *words, reply="A", name="always-a")

    def name(self, run: Path) -> str:
        return run.relative_to(self.root).as_posix()


@pytest.fixture(scope="module")
def tones(tmp_path_factory: pytest.TempPathFactory) -> Tones:
    return Tones(tmp_path_factory.mktemp("tones"))


@pytest.fixture(scope="module")
def address(tones: Tones) -> Iterator[str]:
    with served(tones.root) as url:
        yield url


@pytest.fixture
def audiogram(tmp_path: Path) -> Path:
    """An audiogram of one dimension in two tracks."""
    words = ("model=fake", "dimensions=[pitch]", "trials=8", "tracks=2", f"results={tmp_path}", "preflight=false")
    silent = Callbacks(lambda _: None, lambda _: None)
    return apart(lambda: asyncio.run(run_audiogram(compose_config(words), silent))).folder.resolve()


def test_from_a_number_to_a_sound_in_three_clicks(browser: Browser, tones: Tones, address: str) -> None:
    with watched(browser) as at:
        at.open(address)
        at.page.click("td a:has-text('listens')")
        at.until("document.querySelector('h1').innerText.includes('listens on acoustics')")
        at.page.click("a.button:has-text('Wrong answers')")
        at.until(f"{SETTLED} && document.querySelector('.play')")
        assert set(at.texts(".row .sign .unseen")) == {"wrong"}
        at.page.click(".play")
        at.until(PLAYING)


def tab_to(at: Watched, text: str) -> None:
    """Press Tab until what has the focus is called so."""
    for _ in range(60):
        at.press("Tab")
        if at.page.evaluate("document.activeElement.innerText") == text:
            return
    pytest.fail(f"no Tab leads to {text}")


def test_a_wrong_answer_is_heard_with_the_mouse_untouched(browser: Browser, tones: Tones, address: str) -> None:
    with watched(browser) as at:
        at.open(address)
        at.until("document.querySelectorAll('tbody tr').length === 2")
        tab_to(at, "listens")
        at.press("Enter")
        at.until("document.querySelector('h1').innerText.includes('listens on acoustics')")
        tab_to(at, "Wrong answers")
        at.press("Enter")
        at.until(f"{SETTLED} && {CLIPS}")
        at.press("j")
        at.until("document.querySelectorAll('.row')[1].classList.contains('here')")
        at.until("document.querySelector('.item').ariaLabel.endsWith(document.querySelectorAll('.row b')[1].innerText)")
        at.until(f"{SETTLED} && {CLIPS}")
        at.press("2")
        at.until(PLAYING)


def test_filters_sorts_links_and_the_way_back(browser: Browser, tones: Tones, address: str) -> None:
    run = tones.name(tones.second)
    with watched(browser) as at:
        at.open(f"{address}#/items?run={run}")
        at.until("document.querySelectorAll('.row').length === 18 && document.querySelector('.item')")
        at.page.select_option("label:has-text('Condition') select", "noise:0")
        at.until("document.querySelectorAll('.row').length === 6")
        at.page.select_option("label:has-text('Right or wrong') select", "wrong")
        at.until("document.querySelectorAll('.row').length === 3 && document.querySelector('.row.here')")
        assert "condition=noise" in at.hash()
        assert "mark=wrong" in at.hash()
        rows, link = at.texts(".row"), at.page.url
        first = at.hash()
        at.press("j")
        at.until(f"location.hash !== {first!r} && document.querySelectorAll('.row')[1].classList.contains('here')")
        at.page.go_back()
        at.until(f"location.hash === {first!r} && document.querySelectorAll('.row')[0].classList.contains('here')")
        at.page.go_forward()
        at.until("document.querySelectorAll('.row')[1].classList.contains('here')")
        with watched(browser) as other:
            other.open(link)
            other.until("document.querySelectorAll('.row').length === 3")
            assert other.texts(".row") == rows
    with watched(browser) as at:
        at.open(f"{address}#/runs")
        at.page.fill("input[type=search]", "always")
        at.until("document.querySelectorAll('tbody tr').length === 1")
        at.page.fill("input[type=search]", "")
        at.until("document.querySelectorAll('tbody tr').length === 2")
        at.page.click("button.sort:has-text('model')")
        at.until("location.hash.includes('sort=model')")
        assert [text.split("\t")[0] for text in at.texts("tbody tr td:nth-child(2)")] == ["always-a", "listens"]


def test_what_is_played_is_what_was_sent(browser: Browser, tones: Tones, address: str) -> None:
    records = list(read_journal(tones.first / JOURNAL_FILE))
    assert len(records) == len(tones.sent) == 18
    with watched(browser) as at:
        for number in (0, 7, 17):
            given = records[number]
            key = f"item.task=pitch&item.id={given.item.id}&item.condition={given.condition.replace(':', '%3A')}"
            at.open(f"{address}#/items?run={tones.name(tones.first)}&{key}")
            at.until(f"location.hash.includes({given.item.id!r}) && document.querySelectorAll('.clip .play').length === 2 && "
                     f"document.querySelector('.item .facts').innerText.includes({given.condition!r}) && "
                     f"document.querySelector('.item').ariaLabel === 'item {given.item.id}'")  # fmt: skip
            places = at.page.eval_on_selector_all(".save", "all => all.map(each => each.getAttribute('href'))")
            for place, sent in zip(places, tones.sent[number], strict=True):
                status, data = at.page.evaluate(FETCH, place)
                assert status == 206
                assert bytes(data) == sent


def test_every_form_of_sound_is_played_as_it_was_sent(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file, two channels, a stretch, a member of an archive, a cell, a recipe; each of them under some condition."""
    sent: list[list[bytes]] = []

    def answer(body: dict[str, Any], number: int) -> web.Response:
        sent.append([data for _, data in sounds(body)])
        return said("AB"[number % 2])

    monkeypatch.chdir(make_forms(tmp_path, "formed"))
    with serving(answer) as server:
        run = apart(ask, "formed.bench", f"condition={CONDITIONS}", "data=clips", model=server.url)
    records = list(read_journal(run / JOURNAL_FILE))
    assert len(records) == len(sent) == 36
    root = tmp_path / "results"
    with served(root) as url, watched(browser) as at:
        at.open(url)
        for number, given in enumerate(records):
            if number % 6 not in (number // 6, (number // 6 + 1) % 6):  # each form and each condition, twice
                continue
            key = urlencode({"item.task": "all", "item.id": given.item.id, "item.condition": given.condition})
            at.open(f"{url}#/items?run={run.relative_to(root).as_posix()}&{key}")
            at.until(f"{SETTLED} && {CLIPS} && document.querySelector('.item').ariaLabel === 'item {given.item.id}' && "
                     f"document.querySelector('.item .facts').innerText.includes({given.condition!r})")  # fmt: skip
            places = at.page.eval_on_selector_all(".save", "all => all.map(each => each.getAttribute('href'))")
            assert [bytes(at.page.evaluate(FETCH, place)[1]) for place in places] == sent[number], given.title


def test_keys_play_and_stop(browser: Browser, tones: Tones, address: str) -> None:
    given = next(read_journal(tones.first / JOURNAL_FILE))
    with watched(browser) as at:
        at.open(f"{address}#/items?run={tones.name(tones.first)}&item.task=pitch&item.id={given.item.id}")
        at.until(f"{SETTLED} && {CLIPS}")
        at.press("1")
        at.until(PLAYING)
        length = at.until("earmark.player.current && earmark.player.current.audio.duration")
        assert length == pytest.approx(given.audio_sent[0].seconds, abs=0.02)
        at.press("2")
        at.until("document.querySelectorAll('.clip')[1].classList.contains('playing')")
        assert len(at.texts(".clip.playing")) == 1
        at.press(" ")
        at.until("earmark.player.current === null")
        assert at.texts(".clip.playing") == []
        at.press("1")
        at.until("earmark.player.current !== null")
        at.press("j")
        at.until("earmark.player.current === null && document.querySelectorAll('.row')[1].classList.contains('here')")
        at.press("?")
        at.until("document.querySelector('[role=dialog]')")
        at.press("Escape")
        at.until("!document.querySelector('[role=dialog]')")


def test_another_condition_goes_on_at_the_same_place(browser: Browser, tones: Tones, address: str) -> None:
    with watched(browser) as at:
        at.open(f"{address}#/items?run={tones.name(tones.first)}&item.task=pitch&item.id=pitch-001")
        at.until(f"{SETTLED} && {CLIPS}")
        at.press("2")
        at.until(PLAYING)
        at.page.click(".switch:has-text('noise:0')")
        at.until(
            "location.hash.includes('noise') && document.querySelectorAll('.clip')[1]?.classList.contains('playing')"
        )


def test_two_runs_side_by_side(browser: Browser, tones: Tones, address: str) -> None:
    with watched(browser) as at:
        at.open(address)
        for box in at.page.query_selector_all("input[type=checkbox]"):
            box.check()
        at.page.click("text=Compare 2 runs")
        at.until("document.querySelectorAll('.count').length === 4 && document.querySelector('.pager')")
        counts = [int(text.split("\n")[0]) for text in at.texts(".count")]
        assert sum(counts) == 18
        at.press("b")
        at.until("document.querySelectorAll('.count')[1].classList.contains('here')")
        at.until(f"document.querySelector('.pager').innerText.includes('{counts[1]} items')")
        at.page.click("table:has-text('right answer') tbody a")
        at.until("document.querySelector('.item') && document.querySelectorAll('.switches').length === 2")
        before = at.hash()
        at.press("b")
        at.press("a")
        at.until("document.querySelector('.item')")
        assert "beside=" in before
        at.open(f"{address}#/leaderboard")
        at.until("document.querySelectorAll('tbody tr').length === 2")


HOSTILE = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\u202eevil\u202c", "javascript:alert(1)",
    "x" * 1_000_000, "a\ufffdb", '"><svg onload=alert(1)>', "{{nonce}} ${alert(1)}",
)  # fmt: skip


def test_texts_of_others_stay_text(browser: Browser, tmp_path: Path) -> None:
    texts = [*HOSTILE, "y"]
    lines = [
        msgspec.structs.replace(
            record(number),
            item=Item("i" * 500 if number == 8 else f"{text[:60]}-{number}", "<b>task</b>", text[:200], (), (text[:80], "no"),
                      ("A", "B"), ("A",), tags={"<i>tag</i>": text[:40]}),
            response=Response(text, notes=(text[:50],), reasoning=text[:50]), condition="<u>plain</u>",
        )
        for number, text in enumerate(texts)
    ]  # fmt: skip
    run = write_run(tmp_path, lines, benchmark="<h1>bench</h1>")
    write_lines(run / "scores.jsonl", [score(line, "A") for line in lines])
    with served(tmp_path) as url, watched(browser) as at:
        at.open(url)
        at.open(f"{url}#/run?run={NAME}")
        at.until("document.querySelectorAll('.confusion, .panel-part').length > 1")
        at.open(f"{url}#/items?run={NAME}")
        at.until("document.querySelectorAll('.row').length === 9")
        for number, text in enumerate(texts):
            name = msgspec.json.encode(f"item {lines[number].item.id}").decode()
            at.until(f"document.querySelector('.item')?.ariaLabel === {name} && document.querySelector('.reply')")
            shown = at.page.inner_text(".reply")
            assert shown.startswith(text[:20].replace("\u202e", "\\u202e").replace("\u202c", "\\u202c"))
            at.press("j")
        assert at.page.query_selector("b b, .reply *:not(mark), main script, main h1 h1") is None
        assert at.page.evaluate("document.querySelectorAll('a[href^=javascript]').length") == 0


def test_a_run_in_progress_grows(browser: Browser, tmp_path: Path) -> None:
    run = apart(acoustics, str(tmp_path))
    name = run.relative_to(tmp_path).as_posix()
    whole = (run / JOURNAL_FILE).read_bytes().splitlines(keepends=True)
    metrics, scores = (run / "metrics.json").read_bytes(), (run / "scores.jsonl").read_bytes()
    for file in ("metrics.json", "scores.jsonl"):
        (run / file).unlink()
    (run / JOURNAL_FILE).write_bytes(b"".join(whole[:2]) + whole[2][:30])
    with served(tmp_path) as url, watched(browser) as at:
        at.open(f"{url}#/items?run={name}")
        at.until("document.querySelectorAll('.row').length === 2")
        (run / JOURNAL_FILE).write_bytes(b"".join(whole[:5]))
        at.until("document.querySelectorAll('.row').length === 5")
        at.until("document.querySelectorAll('.row .sign.right, .row .sign.wrong').length === 5")
        at.open(f"{url}#/run?run={name}")
        at.until("document.querySelector('.progress')?.innerText.includes('5')")
        (run / JOURNAL_FILE).write_bytes(b"".join(whole))
        (run / "scores.jsonl").write_bytes(scores)
        (run / "metrics.json").write_bytes(metrics)
        at.until("document.querySelector('.badge').innerText === 'finished'")


PAGES = ("runs", "run", "items", "compare", "leaderboard")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_can_be_used_by_all(browser: Browser, tones: Tones, address: str, theme: Any) -> None:
    one, two = tones.name(tones.first), tones.name(tones.second)
    places = {
        "runs": "", "run": f"#/run?run={one}", "items": f"#/items?run={one}&mark=wrong",
        "compare": f"#/compare?run={one}&run={two}", "leaderboard": "#/leaderboard",
    }  # fmt: skip
    ready = {
        "items": "document.querySelectorAll('.clip .play').length === 2",
        "leaderboard": "document.querySelector('tbody')",
    }
    with watched(browser, color_scheme=theme) as at:
        for name in PAGES:
            at.open(address + places[name])
            at.until(ready.get(name, "document.querySelector('h1')"))
            at.until("!document.body.innerText.includes('Loading')")
            assert find_faults(at) == [], name
    with watched(browser, viewport={"width": 390, "height": 800}, color_scheme=theme) as at:
        for name in PAGES:
            at.open(address + places[name])
            at.until("document.querySelector('h1')")
            wide = at.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, name


def test_an_audiogram_can_be_used_by_all(browser: Browser, audiogram: Path) -> None:
    root = audiogram.parents[2]
    name = audiogram.relative_to(root).as_posix()
    with served(root, audiograms=Audiograms(describe_audiogram, open_trials)) as url:
        for theme, width in (("light", 1400), ("dark", 390)):
            with watched(browser, color_scheme=theme, viewport={"width": width, "height": 800}) as at:
                at.open(f"{url}#/audiogram?run={name}")
                at.until("document.querySelectorAll('tbody tr').length === 1 && document.querySelector('.curves')")
                assert find_faults(at) == []
                assert at.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
                at.page.click("[aria-label='trials of pitch, track 2']")
                at.until("location.hash.includes('pitch-2-') && document.querySelectorAll('.row').length > 0")
                at.until(
                    "[...document.querySelectorAll('.row b')].every(each => each.innerText.startsWith('pitch-2-'))"
                )
                at.press("j")
                at.until(f"{SETTLED} && {CLIPS}")


def test_a_site_opens_from_disk_without_a_network(browser: Browser, tones: Tones, tmp_path: Path) -> None:
    pages = pages_of(tones.root)
    plan = apart(plan_site, pages, SiteOptions(items="all", sound=True))
    site = apart(write_site, pages, plan, tmp_path / "site", lambda _: None)
    run = tones.name(tones.second)
    with watched(browser, offline=True) as at:
        at.open(f"{site.as_uri()}/index.html")
        assert "Apache-2.0" in at.page.inner_text("footer")
        at.page.click("td a:has-text('always-a')")
        at.until("document.querySelector('h1').innerText.includes('always-a')")
        at.page.click("a.button:has-text('Wrong answers')")
        at.until(
            "document.querySelectorAll('.row').length === 9 && document.querySelectorAll('.clip .play').length === 2"
        )
        at.page.select_option("label:has-text('Condition') select", "noise:0")
        at.until(f"document.querySelectorAll('.row').length === 3 && {SETTLED} && {CLIPS}")
        at.press("1")
        at.until(PLAYING)
        at.open(f"{site.as_uri()}/index.html#/compare?run={run}&run={tones.name(tones.first)}")
        at.until("document.querySelectorAll('.count').length === 4 && document.querySelector('.pager')")
        at.open(f"{site.as_uri()}/index.html#/leaderboard")
        at.until("document.querySelectorAll('tbody tr').length === 2")
        assert all(request.startswith(("file:", "data:", "blob:")) for request in at.requests)


def test_a_clip_that_is_gone_says_where_it_was_looked_for(browser: Browser, tmp_path: Path) -> None:
    six(tmp_path)
    with served(tmp_path) as url, watched(browser) as at:
        at.open(f"{url}#/items?run={NAME}")
        at.until("document.querySelector('.item')")
        assert "No sound was sent." in at.page.inner_text(".item")
