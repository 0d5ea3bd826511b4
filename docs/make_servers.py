"""Write the page of model servers from their files: `python docs/make_servers.py`."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from gpuspec import runtimes
from gpuspec.plan.drain import EXIT
from gpuspec.runtimes import Images, Runtime

PAGE = Path(__file__).parent / "servers.md"

HEAD = """# Model servers

<!-- Made by docs/make_servers.py from gpuspec/runtimes/data. Do not edit. -->

This page lists what gpuspec knows of each model server. It uses these facts for the `runtime` of a spec, and the linter uses
them for an image or a command of the server. Each fact has its source and its reason in
`gpuspec/runtimes/data/<runtime>.yaml`. `gpuspec explain` names the fact that a value comes from. A server without a file is
`custom`: its spec gives the port and the probes. A server that *spans nodes* runs one replica on several nodes with its own
processes, with target [`lws`](targets.md#lws). [What is measured](signals.md) lists more metrics for autoscaling.
"""

FIGURES = """## Figures

Memory is in MiB. *Finishes*: whether the server finishes its running requests after SIGTERM. gpuspec derives these values
from the figures: [start-up budget](derivations.md#startup-budget), [host memory](derivations.md#host-memory),
[shared memory](derivations.md#shm), [drain](derivations.md#drain).
"""

STOPS = """## When a pod goes away

A pod ends in these steps:

1. Kubernetes removes the pod from the Service's endpoints.
2. The `preStop` hook waits while the server answers requests that still arrive.
3. The kubelet sends SIGTERM to the server.
4. The kubelet kills the server after the grace period.

*Longest* is the spec's `longestRequest`. A server that finishes its requests gets SIGTERM when no new requests arrive. For any
other server `preStop` waits for the length of the longest request too, so that no request runs at SIGTERM. The last 15s are
for the process to end. No request is cut off in either case. If the spec sets an option such as `--shutdown-timeout` to less
than the longest request, a note says so.
"""

SEVERAL = """## Several models

A spec has one `model`, and no list of models. Two servers can serve several models. For them `model` is the folder of all
models: `id` is its name in annotations and metrics, and `size` is how much of it is loaded at once.

- Triton serves all models of its repository, which `source` mounts. Clients name the model in the path of a request.
- Ollama serves all models of its store, which `source` mounts, and loads them on request. Fill the store beforehand: a model
  that one replica pulls is missing in the others.

<!-- file: scorers.yaml -->
```yaml
apiVersion: gpuspec.dev/v1alpha1
kind: Inference
metadata: {name: scorers, namespace: serving}
spec:
  runtime: triton
  image: nvcr.io/nvidia/tritonserver:26.07-py3
  gpu: {models: [L4]}
  model: {id: scorers, size: 6Gi, source: {pvc: repository}}
```

```console
$ gpuspec render scorers.yaml
...
        - --model-repository=/models
...
          claimName: repository
...
```

gpuspec renders vLLM, SGLang, TGI, TensorRT-LLM, NIM, llama.cpp, LMDeploy, TEI and Infinity with one model each. Most of them
accept only one, and fill the GPU with its cache. Write variants of a model as `adapters`. Write further models as specs of
their own, on [shares](sharing.md) of a GPU if they are small. A list of models would need to say which are loaded at once,
when they are unloaded, and which replica has which. The values that gpuspec derives from a model (start-up budget, host
memory, disk for its download) would fit none of them.
"""

SHARES = """## On a shared GPU

A server that fills its GPU gets an option that limits it to its share; see
[Sharing](sharing.md#what-follows-from-a-share).
"""


def text() -> str:
    """The page."""
    known = [runtimes.get(name) for name in runtimes.names()]
    lines = [
        HEAD,
        *_table(
            "runtime | server | checked | port | ready | scaled on | spans nodes | adapters",
            known,
            _face,
        ),
    ]
    lines += ["", "## How it is recognised", ""]
    lines += _table("runtime | images | started by", known, _marks)
    columns = (
        "runtime | engine s | s per GiB | memory | per GPU | weights × | shm | per GPU | finishes"
    )
    lines += ["", FIGURES, *_table(columns, known, _figures)]
    columns = "runtime | running requests | option | preStop | grace period | why"
    lines += ["", STOPS, *_table(columns, known, _stop)]
    lines += ["", SEVERAL.rstrip()]
    columns = "runtime | option | part of the share | with neighbours"
    lines += ["", SHARES, *_table(columns, known, _share), "", "## Notes", ""]
    lines += [f"- {one.title}: {note}" for one in known for note in one.notes]
    return "\n".join(lines) + "\n"


def _table(
    columns: str, known: Iterable[Runtime], row: Callable[[Runtime], tuple[str, ...]]
) -> Iterator[str]:
    yield f"| {columns} |"
    yield "|---" * len(columns.split(" | ")) + "|"
    for one in known:
        yield f"| `{one.name}` | {' | '.join(row(one))} |"


def _face(one: Runtime) -> tuple[str, ...]:
    return (
        one.title,
        one.checked,
        str(one.ports[0].number) if one.ports else "–",
        f"`{one.probes.readiness.path}`" if one.probes else "–",
        _signal(one),
        (f"since {one.nodes.since}" if one.nodes.since else "yes") if one.nodes else "–",
        _adapters(one),
    )


def _adapters(one: Runtime) -> str:
    known = one.adapters
    if known is None:
        return "–"
    since = f" since {known.since}" if known.since else ""
    return f"`{known.option or known.variable or known.folder}`{since}"


def _signal(one: Runtime) -> str:
    if one.metrics is None:
        return "–"
    former = one.metrics.former
    before = f"; before {former.until} `{former.queue}`" if former else ""
    return f"`{one.metrics.queue}`{before}"


def _marks(one: Runtime) -> tuple[str, ...]:
    return (
        ", ".join(filter(None, map(_images, filter(lambda each: each.recognised, one.images))))
        or "–",
        _code(one.commands.serves if one.commands else ()),
    )


def _images(each: Images) -> str:
    """The repositories of one publisher, and the tags of them that hold another program."""
    but = f" (not {_code(each.other_tags)})" if each.other_tags else ""
    return _code(each.repositories) + but


def _figures(one: Runtime) -> tuple[str, ...]:
    start, memory, shm, stop = one.startup, one.memory, one.shm, one.shutdown
    host = (memory.base_mib, memory.gpu_mib, memory.weights)
    figures = (start.seconds, start.seconds_per_gib, *host, shm.base_mib, shm.gpu_mib)
    finishes = "yes" if stop.drains else "no"
    if stop.drain_since:
        finishes = f"since {stop.drain_since}"
    return *(f"{figure:g}" for figure in figures), finishes


def _stop(one: Runtime) -> tuple[str, ...]:
    stop, pause = one.shutdown, runtimes.common().withdrawal.seconds
    since = f" since {stop.drain_since}" if stop.drain_since else ""
    known = f"{pause}s" + (f"; before {stop.drain_since} {pause}s + longest" if since else "")
    told = [
        *(stop.drain.arguments[:1] if stop.drain else ()),
        *(stop.drain.names if stop.drain else ()),
    ]
    return (
        f"finished{since}" if stop.drains else "may be dropped",
        _code(word.partition("=")[0] for word in told),
        known if stop.drains else f"{pause}s + longest",
        f"{pause}s + longest + {EXIT}s",
        " ".join(stop.why.split()),
    )


def _share(one: Runtime) -> tuple[str, ...]:
    known, setting = one.gpu_memory, one.settings.memory_fraction
    if setting is None:
        why = "the server fills its GPU anyway" if known.greedy else "not known to fill its GPU"
        return f"none: {why}", "–", "–"
    told = setting.arguments[0] if setting.arguments else setting.environment[0].partition("=")[0]
    since = f", from {known.told_since} on" if known.told_since else ""
    return f"`{told}`{since}", f"{known.part:g}", known.beside or "–"


def _code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words) or "–"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
