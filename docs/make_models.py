"""Write the page of models from their table: `python docs/make_models.py`."""

from collections.abc import Iterator
from pathlib import Path

from gpuspec.models import KnownModel, Method, known_models, methods, precisions
from gpuspec.models.tables import table
from gpuspec.numbers import inexact

PAGE = Path(__file__).parent / "models.md"
KIB, GIB = 1 << 10, 1 << 30

HEAD = """# Models

<!-- Made by docs/make_models.py from gpuspec/models/data. Do not edit. -->

What gpuspec knows of models, by their names in the hub. A spec that says no `size` is taken to have what stands here,
and one that says another is doubted; see [weights](derivations.md#weights) for what follows, and
[GPU823](rules.md#gpu823), [GPU916](rules.md#gpu916), [GPU918](rules.md#gpu918), [GPU923](rules.md#gpu923) and
[GPU924](rules.md#gpu924) for what the linter says. Of a model that is not here the name is read: parameters (`-70B`, four fifths of the product for
`8x7B`) times the bits of its [format](#formats).

*Files*: size of the weights as published. *Token*: what the KV cache of one token of context takes in 16 bits, over all
GPUs; layers that forget (sliding windows, chunks, linear attention) are not counted, and – stands where that is not
known. *Context*: tokens, as the model's configuration says. *Gated*: downloads need the token of somebody who has
accepted the licence; – stands where it is not known too. A row stands for all names in it; what is taken from where is in
`gpuspec/models/data/models.yaml`.
"""

FORMATS = """## Formats

Bits that a parameter takes at least, and at most with scales and with the layers that stay at 16 bits. The first row of
which a word stands in the last part of a name counts.
"""

METHODS = """## Methods

What servers are told to hold weights as, by `model.quantization` or by their own option. *As it loads*: of files that
are wider; the others are what the files have already. The least of what a method can mean counts.
"""

LIBRARY = """## Ollama's library and GGUF files

The rows that names of Ollama's library mean, for [GPU823](rules.md#gpu823). The tag that stands first is what a name
without one means; – is a model that is not here. Without a word for a format they are in 4 bits. GGUF files and
repositories are known by the last part of a name above, with words of formats behind it.
"""


def text() -> str:
    """The page."""
    lines = [HEAD, "| model | parameters | format | files | token | context | gated | source |"]
    lines += ["|---" * 8 + "|", *map(_model, known_models())]
    lines += ["", FORMATS, "| format | least | most | words |", "|---" * 4 + "|"]
    lines += [
        f"| `{one.name}` | {inexact(one.bits):g} | {inexact(one.most):g} | {_code(one.words)} |"
        for one in precisions().values()
    ]
    lines += ["", METHODS, "| method | bits | as it loads |", "|---" * 3 + "|"]
    lines += map(_method, methods().values())
    lines += ["", LIBRARY, "| name | tags |", "|---" * 2 + "|", *_library()]
    lines += ["", "## Sources", "", *_sources()]
    return "\n".join(lines) + "\n"


def _model(one: KnownModel) -> str:
    cells = (
        "<br>".join(f"`{name}`" for name in (one.name, *one.also)),
        f"{inexact(one.parameters):g}B",
        one.precision.name,
        f"{one.size / GIB:.4g}Gi",
        f"{one.values * 2 / KIB:.4g}Ki" if one.values else "–",
        str(one.context),
        "yes" if one.gated else "–",
        _names()[one.source],
    )
    return f"| {' | '.join(cells)} |"


def _method(one: Method) -> str:
    return f"| `{one.name}` | {inexact(one.precision.bits):g} | {'yes' if one.online else '–'} |"


def _names() -> dict[str, str]:
    return {said: name for name, said in table("models")["sources"].items()}


def _library() -> Iterator[str]:
    for name, tags in table("library")["models"].items():
        known = (f"{tag}: {f'`{one}`' if one else '–'}" for tag, one in tags.items())
        yield f"| `{name}` | {'; '.join(known)} |"


def _sources() -> Iterator[str]:
    for table_name in ("models", "library"):
        for name, said in table(table_name)["sources"].items():
            yield f"- {name}: {said}"


def _code(words: tuple[str, ...]) -> str:
    return ", ".join(f"`{word}`" for word in words)


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
