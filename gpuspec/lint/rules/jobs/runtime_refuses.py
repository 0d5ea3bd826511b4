"""A TrainJob that does not go with its runtime, which Trainer's webhook refuses."""

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping, text, whole
from gpuspec.objects.objects import Object
from gpuspec.objects.runtimes import runtime_of

RULE = Rule(
    "GPU780",
    "runtime-refuses",
    "error",
    "A TrainJob overrides something that its runtime does not have, or that only the runtime may set",
)
_RESERVED = {
    "torch": frozenset(
        f"PET_{suffix}"
        for suffix in ("NNODES", "NPROC_PER_NODE", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT")
    ),
    "mpi": frozenset(
        f"OMPI_MCA_{variable}"
        for variable in (
            "orte_default_hostfile",
            "plm_rsh_args",
            "orte_keep_fqdn_hostnames",
            "orte_set_default_slots",
        )
    ),
    "xgboost": frozenset(
        f"DMLC_{suffix}" for suffix in ("TRACKER_URI", "TRACKER_PORT", "TASK_ID", "NUM_WORKER")
    ),
}
"""By policy of a runtime, the variables that Trainer sets itself."""
_JOBS: Path = ("spec", "template", "spec", "replicatedJobs")
_POD: Path = ("template", "spec", "template", "spec")
_PATCHED: Path = ("trainingRuntimeSpec", "template", "spec")
_TUNE = ["tune", "run"]
_TUNED = frozenset(
    ("output_dir", "tokenizer.path", "tokenizer.merges_file", "checkpointer.checkpoint_dir")
)
"""The settings of torchtune that only its runtime may set."""
_MODELS = ("llama3.2-1b", "llama3.2-3b", "llama3.3-70b", "qwen2.5-1.5b")
"""What Trainer has recipes of torchtune for, as the second and third part of a runtime's name."""
_MANY_NODES = "llama3.3-70b"
"""The one model that it tunes on several nodes."""
_VOLUME = "initializer"

_Jobs = dict[str, dict[str, frozenset[str]]]
"""By job of a runtime and by container, the volumes that are mounted in it."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield TrainJobs whose runtime is in the set."""
    runtime = runtime_of(obj, context.collection)
    if runtime is None:
        return
    related = (RelatedPlace(runtime.number, runtime.path(*_JOBS), "the runtime's jobs"),)
    for statements_of in (_initializers, _variables, _tuned):
        for path, fault, note in statements_of(obj, runtime):
            yield RawFinding(
                path, f"{fault}: Trainer rejects the TrainJob", note=note, related=related
            )
    for path, fault, note in _patches(obj, runtime):
        yield RawFinding(
            path,
            f"{fault}: the API server rejects it, and nothing starts",
            note=note,
            related=related,
        )


_Said = Iterator[tuple[Path, str, str]]
"""A fault: path, message, and what to write."""


def _jobs(runtime: Object) -> _Jobs:
    jobs: _Jobs = {}
    for job in map(mapping, items(at(runtime.value, _JOBS))):
        pod = mapping(at(job, _POD))
        containers = (*items(pod.get("initContainers")), *items(pod.get("containers")))
        jobs[text(job.get("name"))] = {
            text(container.get("name")): frozenset(
                text(mount.get("name"))
                for mount in map(mapping, items(container.get("volumeMounts")))
            )
            for container in map(mapping, containers)
        }
    return jobs


def _initializers(obj: Object, runtime: Object) -> _Said:
    """Yield initializers for which the runtime has no job."""
    jobs, patched = _jobs(runtime), {text(job.get("name")) for _, job in _patched(obj)}
    for artifact in ("dataset", "model"):
        path, name = obj.path("spec", "initializer", artifact), f"{artifact}-initializer"
        if at(obj.spec, ("initializer", artifact)) is None or name in patched:
            continue
        if name not in jobs:
            fault = f"runtime `{runtime.name}` has no job `{name}` to download the {artifact}"
            remedy = f"remove `initializer.{artifact}`, or name a runtime with the job `{name}`"
        elif name not in jobs[name]:
            fault = f"job `{name}` of runtime `{runtime.name}` has no container of that name"
            remedy = f"name the container of the job `{name}`"
        elif _VOLUME not in jobs[name][name]:
            fault = f"container `{name}` of runtime `{runtime.name}` mounts no `{_VOLUME}`"
            remedy = f"mount volume `{_VOLUME}` in the container of the runtime"
        else:
            continue
        yield path, fault, remedy


def _patches(obj: Object, runtime: Object) -> _Said:
    """Yield patches for parts that the runtime lacks, which Trainer would add incompletely."""
    jobs = _jobs(runtime)
    for path, job in _patched(obj):
        name = text(job.get("name"))
        containers = [mapping(container) for container in items(at(job, (*_POD, "containers")))]
        if name not in jobs:
            if not any(container.get("image") for container in containers):
                job_names = ", ".join(f"`{job_name}`" for job_name in jobs) or "none"
                yield (
                    (*path, "name"),
                    f"runtime `{runtime.name}` has no job `{name}`, only {job_names}: the patch adds "
                    "one without an image",
                    "write the name of one of the runtime's jobs",
                )
            continue
        for index, container in enumerate(containers):
            if text(container.get("name")) not in jobs[name] and not container.get("image"):
                yield (
                    (*path, *_POD, "containers", index, "name"),
                    f"job `{name}` of runtime `{runtime.name}` has no container "
                    f"`{text(container.get('name'))}`: the patch adds one without an image",
                    "write the name of one of the job's containers",
                )


def _patched(obj: Object) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the jobs that patches change or add."""
    for index, patch in enumerate(map(mapping, items(obj.spec.get("runtimePatches")))):
        where = obj.path("spec", "runtimePatches", index, *_PATCHED, "replicatedJobs")
        for number, job in enumerate(items(at(patch, (*_PATCHED, "replicatedJobs")))):
            yield (*where, number), mapping(job)


def _variables(obj: Object, runtime: Object) -> _Said:
    """Yield variables by which the processes find each other are the runtime's."""
    policies = mapping(runtime.spec.get("mlPolicy"))
    for policy, reserved in _RESERVED.items():
        if policies.get(policy) is None:
            continue
        for index, variable in enumerate(map(mapping, items(at(obj.spec, ("trainer", "env"))))):
            if text(variable.get("name")) in reserved:
                yield (
                    obj.path("spec", "trainer", "env", index),
                    f"`{variable['name']}` is set by Trainer for runtimes of policy `{policy}`",
                    f"remove `{variable['name']}`",
                )


def _tuned(obj: Object, runtime: Object) -> _Said:
    """Yield violations of Trainer's requirements for torchtune's command."""
    trainer = mapping(obj.spec.get("trainer"))
    policies = mapping(runtime.spec.get("mlPolicy"))
    if trainer.get("command") != _TUNE or policies.get("torch") is None:
        return
    first, _, model = runtime.name.partition("-")
    if not first or model.lower() not in _MODELS:
        path = obj.path("spec", "runtimeRef", "name")
        yield (
            path,
            f"torchtune takes the model from the runtime's name, and it does not know `{model}`",
            f"name a runtime for one of these models: {names(sorted(_MODELS))}",
        )
    elif (whole(trainer.get("numNodes"), 1) or 1) > 1 and model.lower() != _MANY_NODES:
        path = obj.path("spec", "trainer", "numNodes")
        fault = f"torchtune trains the model of runtime `{runtime.name}` on one node only"
        yield path, fault, "set `numNodes: 1`"
    for index, word in enumerate(items(trainer.get("args"))):
        if text(word).partition("=")[0] in _TUNED:
            yield (
                obj.path("spec", "trainer", "args", index),
                f"`{text(word).partition('=')[0]}` is set by the runtime for torchtune",
                f"remove `{text(word).partition('=')[0]}`",
            )
