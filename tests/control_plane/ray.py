"""What KubeRay tells the pods that it makes."""

import shlex

from tests.control_plane.client import Object


def started(pod: Object) -> dict[str, str]:
    """What `ray start` is told in a pod."""
    (line,) = pod["spec"]["containers"][0]["args"]
    words = shlex.split(line.partition("ray start")[2])
    return dict(word.removeprefix("--").partition("=")[::2] for word in words if "=" in word)
