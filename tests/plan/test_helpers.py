"""Init containers and sidecars."""

from types import ModuleType

from tests.plan.conftest import Make

INIT = {"name": "fetch", "image": "fetch:1", "command": ["fetch"], "resources": {"cpu": 1}}
SIDE = {"name": "log", "image": "log:1", "ports": {"metrics": 9100}}


def test_sidecars_are_native_so_that_a_job_still_ends(make: Make) -> None:
    made = make("Training", initContainers=[INIT], sidecars=[SIDE])
    names = [c["name"] for c in made.pod["initContainers"]]
    assert names == ["fetch", "log"]
    assert made.helper("log")["restartPolicy"] == "Always"
    assert "restartPolicy" not in made.helper("fetch")
    assert len(made.pod["containers"]) == 1


def test_helpers_have_requests_and_limits(make: Make) -> None:
    made = make("Training", initContainers=[INIT], sidecars=[SIDE])
    for name, cpu in (("fetch", "1"), ("log", "100m")):
        resources = made.helper(name)["resources"]
        assert resources["requests"]["cpu"] == cpu
        assert resources["limits"]["memory"] == resources["requests"]["memory"] == "128Mi"
        assert not any("gpu" in key for key in resources["limits"])


def test_helpers_have_a_writable_folder_of_their_own_and_a_home(
    make: Make, words: ModuleType
) -> None:
    """C-22: the root is read-only for them too."""
    made = make("Training", initContainers=[INIT], sidecars=[SIDE])
    for name in ("fetch", "log"):
        helper = made.helper(name)
        assert {"name": "tmp", "mountPath": "/tmp", "subPath": name} in helper["volumeMounts"]
        assert words.env(helper)["HOME"] == "/tmp"
        assert words.env(helper)["USER"] == "app"


def test_helpers_see_no_gpu(make: Make, words: ModuleType) -> None:
    """C-21: an image made for CUDA would see every GPU of the node."""
    made = make("Training", sidecars=[SIDE])
    assert words.env(made.helper("log"))["NVIDIA_VISIBLE_DEVICES"] == "void"
    assert "NVIDIA_VISIBLE_DEVICES" not in made.env


def test_a_helpers_own_words_win(make: Make, words: ModuleType) -> None:
    own = {
        **SIDE,
        "env": {"HOME": "/var/log", "LEVEL": 3, "QUIET": True},
        "mounts": [{"volume": "logs", "path": "/tmp"}],
    }
    made = make("Training", sidecars=[own], volumes=[{"mount": "/logs", "size": "1Gi"}])
    helper = made.helper("log")
    assert words.env(helper)["HOME"] == "/var/log"
    assert (words.env(helper)["LEVEL"], words.env(helper)["QUIET"]) == ("3", "true")
    assert helper["volumeMounts"] == [{"name": "logs", "mountPath": "/tmp"}]


def test_helpers_see_the_pods_volumes_by_their_names(make: Make) -> None:
    mounts = [{"volume": "dataset", "path": "/in", "readOnly": True}]
    made = make("Training", dataset={"pvc": "data"}, sidecars=[{**SIDE, "mounts": mounts}])
    assert {"name": "dataset", "mountPath": "/in", "readOnly": True} in made.helper("log")[
        "volumeMounts"
    ]
