"""Rules for prefill and decode on separate pods."""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.spec.disaggregation import PREFILL, PREFILL_SUFFIX, place_of, prefill_of
from gpuspec.spec.inference import InferenceSpec, at_least, connector_of
from gpuspec.spec.layout import LONGEST
from gpuspec.spec.router import Router
from gpuspec.spec.rules.references import image
from gpuspec.spec.rules.violation import SpecViolation

_CONNECTOR: Path = ("spec", "connector")
_RUNTIME: Path = ("spec", "runtime")
_NAME: Path = ("metadata", "name")


def problems(
    name: str,
    spec: InferenceSpec,
    of_one_server: Callable[[InferenceSpec], Iterator[SpecViolation]],
) -> Iterator[SpecViolation]:
    """Yield violations of the rules for prefill, its connector and its router. `of_one_server`
    checks the pods of any server."""
    if spec.prefill is None:
        for field in ("connector", "router"):
            if getattr(spec, field) is not None:
                message = f"`{field}` needs a server with `prefill`"
                yield SpecViolation(
                    message, ("spec", field), "delete it", key=True, needs=(PREFILL,)
                )
        return
    runtime = runtimes.get(spec.runtime)
    connector = connector_of(spec)
    if runtime.disaggregation is None:
        able = [
            runtime_name
            for runtime_name in runtimes.names()
            if runtimes.get(runtime_name).disaggregation
        ]
        message = f"runtime {spec.runtime} does not support separate prefill pods"
        hint = f"delete it; supported by {' and '.join(able)}"
        yield SpecViolation(message, PREFILL, hint, key=True, needs=(_RUNTIME,))
        return
    assert connector is not None  # each of these servers knows every connector
    if spec.router is not None:
        yield from _router(spec.router, runtime.disaggregation.router)
    yield from _names(name)
    yield from _release(spec, connector, runtime.title)
    for side_spec, path in ((spec, ("spec",)), (prefill_of(spec), PREFILL)):
        yield from _divided(spec, side_spec, connector, path)
    yield from _args(spec, connector)
    inference_spec = prefill_of(spec)
    yield from _told_apart(spec, [*of_one_server(spec)], of_one_server(inference_spec))


def _told_apart(
    spec: InferenceSpec, server: list[SpecViolation], prefill: Iterator[SpecViolation]
) -> Iterator[SpecViolation]:
    """Yield violations that only the prefill pods have, at their place in the spec."""
    server_violations = {(violation.message, violation.path) for violation in server}
    for violation in prefill:
        if (violation.message, violation.path) in server_violations:
            continue
        path = place_of(spec, violation.path)
        needs = (PREFILL, *(place_of(spec, need) for need in violation.needs))
        yield replace(violation, path=path if path[:2] == PREFILL else PREFILL, needs=needs)


def _router(router: Router, router_program: runtimes.RouterProgram) -> Iterator[SpecViolation]:
    if router.image is not None:
        yield from image(router.image, ("spec", "router", "image"))
    ours = (
        router_program.mode,
        router_program.host,
        router_program.listens,
        router_program.prefill,
        router_program.decode,
    )
    flags = {flag for setting in ours for flag in setting.flags}
    for index, word in enumerate(router.args):
        if runtimes.flag(word) in flags:
            message = (
                f"`{word.partition('=')[0]}` may not be in `args`: Services and probes follow "
                "from it"
            )
            path = ("spec", "router", "args", index)
            yield SpecViolation(message, path, "delete it", needs=(PREFILL, _RUNTIME))


def _names(name: str) -> Iterator[SpecViolation]:
    room = LONGEST - len(PREFILL_SUFFIX)
    if len(name) > room:
        yield SpecViolation(
            f"the name has {len(name)} characters, {len(name) - room} too many",
            _NAME,
            f"its prefill pods are named <name>{PREFILL_SUFFIX}, at most {LONGEST} characters",
            needs=(PREFILL,),
        )


def _release(
    spec: InferenceSpec, connector: runtimes.Connector, title: str
) -> Iterator[SpecViolation]:
    spans = max(spec.nodes, prefill_of(spec).nodes) > 1 and connector.spans_since
    since, method = connector.since, f"hands its cache over by {connector.title}"
    if spans:
        since, method = spans, f"{method} from replicas on several nodes"
    if at_least(spec, since) is False:
        message = f"{title} {method} since {since}"
        yield SpecViolation(
            message, ("spec", "image"), "use a newer one", needs=(PREFILL, _CONNECTOR)
        )


def _divided(
    spec: InferenceSpec, inference_spec: InferenceSpec, connector: runtimes.Connector, path: Path
) -> Iterator[SpecViolation]:
    """Yield pipeline stages if the stages cannot transfer their parts of the cache."""
    if connector.stages or (inference_spec.parallelism.pipeline or 1) == 1:
        return
    where: Path = ("spec", "parallelism", "pipeline")
    if path == PREFILL:
        where = place_of(spec, where)
        if where[:2] != PREFILL:
            return  # it is said of the server's own
    yield SpecViolation(
        f"{connector.title} cannot transfer a cache that is split into "
        f"{inference_spec.parallelism.pipeline} stages",
        where,
        "delete it: then all GPUs of a replica share each layer",
        key=True,
        needs=(PREFILL, _CONNECTOR, _RUNTIME),
    )


def _args(spec: InferenceSpec, connector: runtimes.Connector) -> Iterator[SpecViolation]:
    """Yield arguments that set the side of the transfer, which the spec sets."""
    prefill_args = spec.prefill.args if spec.prefill else None
    for words, setting, path in (
        (spec.args, connector.decode, ("spec", "args")),
        (prefill_args or (), connector.prefill, (*PREFILL, "args")),
    ):
        for index, word in enumerate(words):
            if runtimes.flag(word) in setting.flags:
                message = (
                    f"`{word.partition('=')[0]}` may not be in `args`: it follows from `connector`"
                )
                yield SpecViolation(message, (*path, index), "delete it", needs=(PREFILL, _RUNTIME))
