"""Write the page of model servers from their files: `python docs/make_servers.py`."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from gpuspec import runtimes
from gpuspec.plan.drain import EXIT
from gpuspec.runtimes import Images, Runtime

PAGE = Path(__file__).parent / "servers.md"

HEAD = """# Model servers

<!-- Made by docs/make_servers.py from gpuspec/runtimes/data. Do not edit. -->

What gpuspec knows of a server when a spec says `runtime`, and when the linter meets its image or its command.
Each fact stands with its source and its reason in `gpuspec/runtimes/data/<runtime>.yaml`; `gpuspec explain` says
which of them a value comes from. A server that has no file is `custom`: its spec says the port and the probes. One that
*spans nodes* starts a replica on several by processes of its own, with target [`lws`](targets.md#lws). What else of
its metrics can be scaled on: [What is measured](signals.md).
"""

FIGURES = """## Figures

Memory in MiB. *Finishes*: whether the server finishes its running requests after SIGTERM. What follows from the
figures: [start-up budget](derivations.md#startup-budget), [host memory](derivations.md#host-memory),
[shared memory](derivations.md#shm), [drain](derivations.md#drain).
"""

STOPS = """## When a pod goes away

The pod is withdrawn, its `preStop` lets requests that still arrive be answered, the server is told to stop (SIGTERM), and
after the grace period it is killed. *Longest* is the spec's `longestRequest`. A server that finishes its requests is
told to stop once no new ones come; of any other the pause is as long as the longest one, so that nothing runs any more
when it is told. The last 15s are for the process to end. Nothing is cut off either way; a `--shutdown-timeout` or
the like of the spec's own that is shorter than the longest request is said in a note.
"""

SEVERAL = """## Several models

A spec has one `model`, and no list of them. Two servers serve more than one by themselves, and for them `model` is the
folder: `id` says what it is called in annotations and metrics, `size` how much of it is loaded at once.

- Triton serves all models of its repository, which is what `source` mounts; clients name one in the path of a request.
- Ollama serves whatever its store has, which is what `source` mounts, and loads on request. Fill the store beforehand:
  what is pulled into one replica another has not.

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

vLLM, SGLang, TGI, TensorRT-LLM, NIM, llama.cpp, LMDeploy, TEI and Infinity are rendered with one model each: most of them
take one, and fill the GPU with its cache. Variants of a model are `adapters`; further models are specs of their own, on
[shares](sharing.md) of a GPU where they are small. A list would have to say what is loaded at once, when it goes,
and which replica has which, and what is derived of a model (start-up budget, host memory, room for its download)
would hold for none of them.
"""

SHARES = """## On a shared GPU

A server that fills its GPU is told its part of the share; see [Sharing](sharing.md#what-follows-from-a-share).
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
    columns = "runtime | running requests | told by | preStop | grace period | why"
    lines += ["", STOPS, *_table(columns, known, _stop)]
    lines += ["", SEVERAL.rstrip()]
    columns = "runtime | told by | part of the share | beside neighbours"
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
        ", ".join(filter(None, map(_images, one.images))) or "–",
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
        why = "it fills its GPU all the same" if known.greedy else "it is not known to fill a GPU"
        return f"nothing: {why}", "–", "–"
    told = setting.arguments[0] if setting.arguments else setting.environment[0].partition("=")[0]
    since = f", from {known.told_since} on" if known.told_since else ""
    return f"`{told}`{since}", f"{known.part:g}", known.beside or "–"


def _code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words) or "–"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
