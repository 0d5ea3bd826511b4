"""Fields of a spec without any effect, each of which gets a note."""

from collections.abc import Iterator

from gpuspec.enumeration import counted
from gpuspec.manifests import Path
from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.distribution import most_replicas
from gpuspec.plan.hub import hub_data
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.wording import written
from gpuspec.spec import MODELS, HubData, InferenceSpec, Objectives, Replicas, TrainingFields
from gpuspec.spec.inference import Availability
from gpuspec.spec.model_source import Hub

_Said = tuple[Path, str]


def notes(resolution: Resolution) -> list[Note]:
    """Return a loud note for each field without an effect, with what decides instead."""
    spec = resolution.spec
    unused_fields = [*_clusters(resolution), *_token_key(resolution), *_folder(resolution)]
    if isinstance(spec, TrainingFields):
        unused_fields += _loaders(spec)
    if isinstance(spec, InferenceSpec):
        unused_fields += [
            *_spread(spec),
            *_bounds(spec),
            *_failures(spec),
            *_aims(resolution, spec),
        ]
    unused_notes = [
        Note(text, Origin("spec", ("spec", *path)), loud=True) for path, text in unused_fields
    ]
    return [*unused_notes, *_lost(spec), *_unscraped(resolution)]


def _aims(resolution: Resolution, spec: InferenceSpec) -> Iterator[_Said]:
    """Yield objectives without an alert that reports their violation."""
    profile = resolution.profile.spec
    if profile.monitoring is not None and "prometheus-operator" in profile.installed:
        return
    if spec.objectives != Objectives():
        text = "objectives: nothing monitors them: the profile has no monitoring with alerts"
        yield ("objectives",), text


def _unscraped(resolution: Resolution) -> Iterator[Note]:
    """Yield metrics that the profile does not scrape; another scraper may."""
    if resolution.spec.metrics is not None and resolution.profile.spec.monitoring is None:
        text = "metrics: the profile has no monitoring, so nothing rendered scrapes them"
        yield Note(text, Origin("spec", ("spec", "metrics")))


def _clusters(resolution: Resolution) -> Iterator[_Said]:
    """Yield `clusters` with a profile that was not chosen by it: the only profile, or the default
    one."""
    if not resolution.workload.is_for(resolution.profile):
        yield (
            ("clusters",),
            f"clusters: they do not include profile {resolution.profile.name}",
        )


def _token_key(resolution: Resolution) -> Iterator[_Said]:
    hubs: list[tuple[Path, Hub | HubData]] = []
    if resolution.model is not None and (hub := resolution.model[1].source.hub) is not None:
        hubs.append(((*resolution.model[0], "source", "hub"), hub))
    if (data := hub_data(resolution)) is not None:
        hubs.append(data)
    for path, hub_source in hubs:
        if hub_source.token_key != Hub().token_key and hub_source.token_secret is None:
            message = "tokenKey names the key of a Secret, and no tokenSecret is named"
            yield (*path[1:], "tokenKey"), message


def _folder(resolution: Resolution) -> Iterator[_Said]:
    """Yield a mount path of weights that no setting names: only a model server has such
    settings."""
    if resolution.model is None or resolution.runtime.settings.path is not None:
        return
    (*_, field), source = resolution.model[0], resolution.model[1].source
    if source.hub is not None or source.path is None:
        return
    texts = (
        *resolution.spec.command,
        *resolution.spec.args,
        *map(str, resolution.spec.env.values()),
    )
    # Of an image's own entrypoint nothing is known; a program that is told the mount looks itself.
    mount = source.mount or MODELS
    if texts and not any(source.path in word or mount in word for word in texts):
        where = f"{mount}/{source.path}"
        text = (
            f"the program does not know that the weights are at {where}: pass the path in "
            "`args` or `env`"
        )
        yield (field, "source", "path"), text


def _loaders(spec: TrainingFields) -> Iterator[_Said]:
    if spec.data_loaders and spec.resources.shm is not None:
        text = (
            f"dataLoaders has no effect: resources.shm: {written(spec.resources.shm)} sets "
            "the size of /dev/shm"
        )
        yield ("dataLoaders",), text


def _spread(spec: InferenceSpec) -> Iterator[_Said]:
    if most_replicas(spec) > 1:
        return
    for field in Availability.__struct_fields__:
        if getattr(spec.availability, field) == "hard":
            yield (
                ("availability", field),
                f"availability.{field}: it has no effect on one replica",
            )


def _bounds(spec: InferenceSpec) -> Iterator[_Said]:
    """Yield autoscaler settings without an autoscaler, or with one that is configured otherwise."""
    replicas = spec.replicas
    if not isinstance(replicas, Replicas):
        return
    given_fields = [
        *(["signal"] if replicas.signal != "queue" else []),
        *(name for name in ("target", "metric") if getattr(replicas, name) is not None),
        *(["metricFrom"] if replicas.metric_from is not None else []),
    ]
    if replicas.min == replicas.max:
        why = f"min and max are {counted(replicas.min, 'replica')}, and nothing scales them"
    elif "signal" in given_fields and (replicas.metric or replicas.metric_from) is not None:
        takes = f"metric {replicas.metric}" if replicas.metric else "metricFrom"
        given_fields, why = ["signal"], f"{takes} replaces it"
    else:
        return
    for name in given_fields:
        yield ("replicas", name), f"replicas.{name}: {why}"


def _failures(spec: InferenceSpec) -> Iterator[_Said]:
    startup = spec.probes.startup
    if startup is not None and startup.failures is not None and spec.startup.budget is not None:
        text = f"probes.startup.failures follows from startup.budget: {spec.startup.budget}"
        yield ("probes", "startup", "failures"), text


def _lost(spec: object) -> list[Note]:
    """Return the work lost by an interruption, which is the use of `every`, known to `explain`."""
    checkpoint = getattr(spec, "checkpoint", None)
    if checkpoint is None:
        return []
    text = f"an interruption loses up to {checkpoint.every} of work"
    return [Note(text, Origin("spec", ("spec", "checkpoint", "every")))]
