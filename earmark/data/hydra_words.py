"""Words of a command line as Hydra has them, in the words of this package.

+key=value ++key=value   as key=value: a setting that is not known is refused either way
eval.X=V                 as X=V
runtime.X=V              as model.X=V
hydra.run.dir=DIR        as results= and output_dir=; ${now:...} is the time, ${model.name} the model
"""

from __future__ import annotations

import re

from earmark.errors import UsageError


def plain_words(word: str) -> list[str]:
    """One word of a command line in our own words.

    >>> plain_words("+eval.seed=7"), plain_words("runtime.gpu_memory_utilization=0.5"), plain_words("limit=3")
    (['seed=7'], ['model.gpu_memory_utilization=0.5'], ['limit=3'])
    >>> plain_words("hydra.run.dir=out/${model.name}/${now:%Y-%m-%d}/${now:%H-%M-%S}")
    ['results=out', 'output_dir={model}/{time}']
    """
    key, equals, value = word.lstrip("+").partition("=")
    if word.startswith("~"):
        raise UsageError(f"'{word}': settings are not removed; set one to null instead: {key.lstrip('~')}=null")
    if not equals:
        return [word]
    if key.startswith("hydra."):
        if key != "hydra.run.dir":
            raise UsageError(f"{word}: of Hydra's own settings only hydra.run.dir is used; earmark run --help")
        from earmark.data.settings_folder import run_dir_words  # noqa: PLC0415 - of few command lines

        return run_dir_words(value)
    return [f"{plain_key(key)}={value}"]


def plain_key(key: str) -> str:
    """The name that a setting has here.

    >>> plain_key("eval.seed"), plain_key("runtime.engine.dtype"), plain_key("runtime")
    ('seed', 'model.engine.dtype', 'runtime')
    """
    key = key.lstrip("+")
    if key.startswith("eval."):
        return key.removeprefix("eval.")
    return f"model.{key.removeprefix('runtime.')}" if key.startswith("runtime.") else key


def quote(text: str) -> str:
    """A text as Hydra's grammar quotes it: a backslash is special only before a quotation mark.

    >>> print(quote("it's C:\\\\x"))
    'it\\'s C:\\x'
    """
    escaped = re.sub(r"(\\*)('|\Z)", lambda match: 2 * match[1] + ("\\'" if match[2] else ""), text)
    return f"'{escaped}'"
