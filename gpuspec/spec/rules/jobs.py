"""Rules for all finite workloads."""

from collections.abc import Iterator

from gpuspec.manifests import Path
from gpuspec.numbers import read_whole
from gpuspec.spec.artifacts import Artifact
from gpuspec.spec.failing import OnExit, OnExitOfShard
from gpuspec.spec.forms import MOST_EXIT
from gpuspec.spec.model_source import ModelRef
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.references import image
from gpuspec.spec.rules.violation import SpecViolation, exactly_one


def artifact(source: Artifact | None, field: str) -> Iterator[SpecViolation]:
    """Yield a violation unless files come from exactly one place."""
    if source is not None:
        path: Path = ("spec", field)
        yield from exactly_one(source, ("pvc", "image", "hub"), path, f"`{field}`")
        yield from image(source.image, (*path, "image"))
        for name in ("path", "mount", "version"):
            if source.hub is not None and getattr(source, name) is not None:
                hint = "write `hub.revision`" if name == "version" else "delete it"
                message = f"a download has no `{name}`"
                yield SpecViolation(message, (*path, name), hint, key=True, needs=((*path, "hub"),))


def tokens(
    model: ModelRef, field: str, data: Artifact | None, where: str
) -> Iterator[SpecViolation]:
    """Yield a violation if a model and a dataset have different tokens, because only one is read."""
    hub, data_hub = model.source.hub, data.hub if data else None
    if hub is None or data_hub is None or hub.token_secret is None or data_hub.token_secret is None:
        return
    if (hub.token_secret, hub.token_key) != (data_hub.token_secret, data_hub.token_key):
        yield SpecViolation(
            f"two tokens, of Secrets {hub.token_secret} and {data_hub.token_secret}, for one variable",
            ("spec", where, "hub", "tokenSecret"),
            "name one Secret in both: programs read HF_TOKEN",
            needs=(("spec", field, "source"),),
        )


def exit_codes(
    codes: tuple[int, ...], on: OnExit | OnExitOfShard, path: Path
) -> Iterator[SpecViolation]:
    """Yield a violation for lists and tables of exit codes that the Job API rejects."""
    listed_codes: set[int] = set()
    for index, code in enumerate(codes):
        if code in listed_codes:
            message = f"exit code {code} is listed twice"
            yield SpecViolation(message, (*path, "failOnExitCodes", index), "delete one")
        listed_codes.add(code)
    for text in on:
        number = read_whole(text, MOST_EXIT)
        if not number or str(number) != text:
            message = f"{shown(text)} is not an exit code of a failure"
            hint = f"write a whole number from 1 to {MOST_EXIT}"
            yield SpecViolation(message, (*path, "onExitCode", text), hint, key=True)
