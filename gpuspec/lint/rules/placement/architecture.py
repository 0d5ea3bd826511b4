"""An image for one CPU architecture, and nodes of another."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.placement.placing import in_all, reached, requirement_path, requirements
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU209",
    "wrong-architecture",
    "error",
    "The pod's image, or its selector, is for another CPU architecture than its GPUs' hosts",
)

ARCH = ("kubernetes.io/arch", "beta.kubernetes.io/arch")
_TAGS = {"amd64": ("amd64", "x86_64", "x86-64"), "arm64": ("arm64", "aarch64", "grace")}


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """The selector against the models that it names; image tags against the nodes reached."""
    made = [(one, arch) for one in pod.containers if (arch := _built_for(one.image))]
    asked = [one for one in in_all(pod) if one.key in ARCH and one.operator == "In"]
    if not (asked or made or context.cluster):
        return
    bound = _of_models(pod)
    for one in asked:
        if bound and not bound & set(one.values):
            yield Found(
                requirement_path(pod, one),
                f"stays Pending: the hosts of the GPUs that the pod is bound to are "
                f"{_words(bound)}, and `{one.key}` asks for {' or '.join(one.values)}",
            )
            return
    there = {str(one.pool.architecture) for one in reached(pod, context)} or bound
    for container, arch in made:
        if there and arch not in there:
            yield Found(
                container.path("image"),
                f"the image is named as built for {arch}, and the pod goes to {_words(there)} "
                "hosts: it ends with `exec format error` unless it is built for both",
                confidence="likely",
            )
            return
    if len(there) < 2 or _says(pod):
        return
    if made:
        yield _mixed(
            made[0][0].path("image"), f"the image is named as built for {made[0][1]}", there
        )
    elif pod.gpu_containers:
        path = pod.gpu_containers[0].path("image")
        why = "nothing says which CPU architecture the image is built for"
        yield _mixed(path, why, there)


def _built_for(image: str) -> str | None:
    """The architecture that an image's tag names."""
    tag = image.rpartition("/")[2].partition(":")[2].partition("@")[0].lower()
    for arch, words in _TAGS.items():
        for word in words:
            if word in tag:
                return arch
    return None


def _mixed(path: tuple[str | int, ...], why: str, there: set[str]) -> Found:
    sure = why.startswith("the image")
    return Found(
        path,
        f"{why}, and the pod may land on {_words(there)} hosts: on the wrong ones it ends with "
        "`exec format error`",
        note="require `kubernetes.io/arch` in the node affinity, unless the image is built for both",
        severity="warning" if sure else "info",
        confidence="likely" if sure else "possible",
    )


def _of_models(pod: Pod) -> set[str]:
    """The architectures of the hosts of every model that the pod is bound to; empty: any."""
    from gpuspec import hardware

    for one in in_all(pod):
        if one.operator != "In":
            continue
        named = [hardware.from_label(one.key, value) for value in one.values]
        models = [model for found in named for model in found]
        if models and all(named) and all(model.architecture for model in models):
            return {str(model.architecture) for model in models}
    return set()


def _says(pod: Pod) -> bool:
    """Whether the pod chooses an architecture in each of its alternatives."""
    ways = requirements(pod)
    return bool(ways) and all(any(one.key in ARCH for one in way) for way in ways)


def _words(there: set[str]) -> str:
    return " and ".join(sorted(there))
