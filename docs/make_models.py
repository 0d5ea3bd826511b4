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

This page lists what gpuspec knows of models, by their names in the hub. If a spec sets no `size`, gpuspec uses the size in
this table. If a spec sets a clearly different size, a note says so. See [weights](derivations.md#weights) for the values
that follow, and [GPU823](rules.md#gpu823), [GPU916](rules.md#gpu916), [GPU918](rules.md#gpu918), [GPU923](rules.md#gpu923)
and [GPU924](rules.md#gpu924) for the linter's findings. For a model that is not in the table, gpuspec reads the name:
parameters (`-70B`, four fifths of the product for `8x7B`) times the bits of its [format](#formats).

*Files*: size of the weights as published. *Token*: size of the KV cache of one token of context in 16 bits, over all GPUs.
Layers that keep no full context (sliding windows, chunks, linear attention) are not counted. *Context*: tokens, from the
model's configuration. *Gated*: downloads need the token of a user who has accepted the licence. – means not known; under
*gated* it also means no. A row is for all names in it. The source of each value is in `gpuspec/models/data/models.yaml`.
"""

FORMATS = """## Formats

*Least*: the minimum of bits per parameter. *Most*: the maximum, with scales and with the layers that stay at 16 bits. The
first row with a word in the last part of the model's name applies.
"""

METHODS = """## Methods

Methods by which servers quantize weights, set by `model.quantization` or by the server's own option. *As it loads*: the server
quantizes files with more bits while it loads them. For the other methods the files are already quantized. If a method can
mean several numbers of bits, the lowest counts.
"""

LIBRARY = """## Ollama's library and GGUF files

The models of the first table that names in Ollama's library mean, for [GPU823](rules.md#gpu823). A name without a tag means
the first tag. – is a model that is not in the first table. Without a word for a format they have 4 bits. gpuspec recognises
GGUF files and repositories by the last part of a name in the first table, followed by words for formats.
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
