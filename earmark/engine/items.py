"""Items of a benchmark as a run asks them: a sample of them, in several orders of their choices."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

from earmark.config.settings import RunSettings
from earmark.types import Benchmark, Item, replace


def select_items(benchmark: Benchmark, settings: RunSettings) -> Benchmark:
    """Apply `sample=`, `choice_order=` and `until=` to a benchmark; they sign the run as settings of the benchmark."""
    seed = settings.seed_of(benchmark)
    if settings.sample is not None:
        signed = {"sample": settings.sample, "sample_seed": seed}
        benchmark = replace(
            benchmark,
            items=functools.partial(_sampled, benchmark, _draw(benchmark, settings.sample, seed)),
            settings={**benchmark.settings, **signed},
        )
    if settings.choice_order:
        from earmark.engine.choice_orders import parse_choice_order, with_choice_orders  # noqa: PLC0415 - of few runs

        benchmark = with_choice_orders(benchmark, parse_choice_order(settings.choice_order), seed)
    if settings.until is not None:
        ordered = functools.partial(_shuffled, benchmark, settings.limit, seed)
        benchmark = replace(
            benchmark, items=ordered, settings={**benchmark.settings, "until": settings.until, "until_seed": seed}
        )
    return benchmark


def _shuffled(benchmark: Benchmark, limit: int | None, seed: int) -> Iterator[Item]:
    from earmark.engine.questions import limit_items  # noqa: PLC0415 - of few runs
    from earmark.engine.random_order import shuffle_items  # noqa: PLC0415

    return iter(shuffle_items(limit_items(benchmark, limit), seed))


def _draw(benchmark: Benchmark, size: int, seed: int) -> Callable[[], frozenset[tuple[str, str]]]:
    """The sample of a benchmark, drawn when it is first needed and kept."""
    from earmark.engine.sample import draw_sample  # noqa: PLC0415 - of few runs

    @functools.cache
    def draw() -> frozenset[tuple[str, str]]:
        return draw_sample(benchmark.items(), size, seed)

    return draw


def _sampled(benchmark: Benchmark, draw: Callable[[], frozenset[tuple[str, str]]]) -> Iterator[Item]:
    chosen = draw()
    return (item for item in benchmark.items() if item.state == "skipped" or (item.task, item.id) in chosen)
