"""Training and fine-tuning."""

from collections.abc import Iterator

from gpuspec.manifests import dns_label
from gpuspec.spec.jobs import FineTuneSpec, TrainingFields
from gpuspec.spec.model_source import ModelRef
from gpuspec.spec.rules.broken import Broken, exactly_one
from gpuspec.spec.rules.devices import memory_problem

# The part of the stored weights that stays in GPU memory, whatever the optimiser adds to it:
# all of it for full and LoRA training, a 4-bit copy of 16-bit weights for QLoRA.
METHOD_FACTOR = {"full": 1.0, "lora": 1.0, "qlora": 0.25}
DIGEST_LENGTH = 8
LABEL_LIMIT = 63


def problems(name: str, spec: TrainingFields) -> Iterator[Broken]:
    """Broken rules of what training and fine-tuning share."""
    yield from job_name(name, spec.run, spec.workers)
    yield from exit_codes(spec.retries.fail_on_exit_codes, ("spec", "retries", "failOnExitCodes"))
    if spec.launcher not in (None, "none") and not spec.command:
        yield Broken(
            f"launcher {spec.launcher} needs a `command` to start",
            ("spec", "launcher"),
            "the image's entrypoint cannot be seen from here; write e.g. [python, -m, train]",
        )
    yield from run_time(spec.duration.expected, spec.duration.max)
    if spec.dataset is not None:
        yield from exactly_one(spec.dataset, ("pvc", "image"), ("spec", "dataset"), "the dataset")
    checkpoint, longest = spec.checkpoint, spec.duration.max
    if checkpoint and longest and checkpoint.every.seconds >= longest.seconds:
        yield Broken(
            f"a checkpoint every {checkpoint.every} is never written in {longest}",
            ("spec", "checkpoint", "every"),
        )


def fine_tune_problems(spec: FineTuneSpec) -> Iterator[Broken]:
    """Broken rules of fine-tuning alone."""
    yield from model_source(spec.base_model, "baseModel")
    if spec.base_model.size:
        yield from memory_problem(
            spec.base_model.size,
            spec,
            spec.gpu.count * spec.workers,
            ("spec", "baseModel", "size"),
            METHOD_FACTOR[spec.method],
        )


def model_source(model: ModelRef, field: str) -> Iterator[Broken]:
    """Broken unless the weights have exactly one source."""
    yield from exactly_one(
        model.source, ("pvc", "image", "hub"), ("spec", field, "source"), "the model's source"
    )
    if model.source.hub and model.source.path:
        yield Broken("a hub has no `path`", ("spec", field, "source", "path"))


def run_time(expected: object, longest: object) -> Iterator[Broken]:
    """Broken when the expected time is above the greatest."""
    seconds = [getattr(value, "seconds", None) for value in (expected, longest)]
    if seconds[0] and seconds[1] and seconds[0] > seconds[1]:
        yield Broken(
            f"expected {expected}, but stopped after {longest}", ("spec", "duration", "max")
        )


def exit_codes(codes: tuple[int, ...], path: tuple[str, ...]) -> Iterator[Broken]:
    """Broken for codes that the Job API refuses."""
    for index, code in enumerate(codes):
        if not 1 <= code <= 255:
            yield Broken(f"exit code {code} is not between 1 and 255", (*path, index))
    if len(set(codes)) != len(codes):
        yield Broken("an exit code stands here twice", path)


def job_name(name: str, run: str | None, pods: int) -> Iterator[Broken]:
    """Broken when the Job's or its pods' names would not be legal.

    A Job's name becomes a label of its pods (63 characters), and an Indexed Job's pod has the
    host name `<job>-<index>`, a DNS label as well.
    """
    job = f"{name}-{run if run is not None else '0' * DIGEST_LENGTH}"
    path = ("spec", "run") if run is not None else ("metadata", "name")
    if run is not None and (reason := dns_label(run)):
        yield Broken(f"`spec.run` is part of the Job's name: {reason}", path)
        return
    room = LABEL_LIMIT - (len(str(pods - 1)) + 1 if pods > 1 else 0)
    if len(job) > room:
        yield Broken(
            f"the Job's name {job!r} has {len(job)} characters, {len(job) - room} too many",
            path,
            "its pods' host names are <job>-<index>, DNS labels of 63 characters at most",
        )
