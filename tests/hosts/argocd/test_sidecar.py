"""The contract with Argo CD's sidecar, played: its commands, its environment, its user, its root.

The image is made by the steps of our container files, over this machine's root (see `tests/hosts/containers.py`
for what that proves), and by `deploy/image/debian.py`, with a root of its own. Commands are those of the plugin.yaml that lies in the image; they run as uid 999 without a
privilege on a read-only root with a /tmp of its own, in the Application's folder of a repository that
was unpacked there.
"""

import fcntl
import functools
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from gpuspec import __version__
from tests.hosts import containers
from tests.hosts.argocd.conftest import APP
from tests.hosts.argocd.servers import by_name
from tests.hosts.programs import program

ROOT = Path(__file__).parents[3]
FILES = (ROOT / "deploy/image/Containerfile", ROOT / "deploy/argocd/Containerfile")
PLUGIN = "home/argocd/cmp-server/config/plugin.yaml"
ENVIRONMENT = {
    "ARGOCD_APP_NAME": "chat-eu",
    "ARGOCD_APP_NAMESPACE": "serving",
    "ARGOCD_APP_PROJECT_NAME": "serving",
    "ARGOCD_APP_REVISION": "0123456789abcdef0123456789abcdef01234567",
    "ARGOCD_APP_SOURCE_PATH": APP,
    "ARGOCD_APP_SOURCE_REPO_URL": "https://git.example.com/ml/specs.git",
    "ARGOCD_APP_SOURCE_TARGET_REVISION": "main",
    "KUBE_VERSION": "1.36.2",
    "KUBE_API_VERSIONS": "apps/v1,apps/v1/Deployment,batch/v1,batch/v1/Job,networking.k8s.io/v1,"
    "networking.k8s.io/v1/NetworkPolicy,policy/v1,policy/v1/PodDisruptionBudget,v1,v1/Service,"
    "v1/ServiceAccount,autoscaling/v2,autoscaling/v2/HorizontalPodAutoscaler",
    "ARGOCD_APP_PARAMETERS": '[{"name": "profile", "string": "../../clusters/eu.yaml"}]',
    "PARAM_PROFILE": "../../clusters/eu.yaml",
}

Sidecar = Callable[..., "subprocess.Popen[bytes]"]


class Shared(NamedTuple):
    """A folder that all processes of the tests share, and whether what belongs there is there already."""

    folder: Path
    done: bool


@contextmanager
def shared(factory: pytest.TempPathFactory, name: str) -> Iterator[Shared]:
    """A folder for what is made once, whichever process is first; a test that fails leaves it unmade."""
    base = factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        base = base.parent
    scratch = base / name
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        mark = scratch / "done"
        if not mark.exists():
            shutil.rmtree(scratch, ignore_errors=True)
        yield Shared(scratch, mark.exists())
        mark.touch()


@pytest.fixture(scope="session")
def images(tmp_path_factory: pytest.TempPathFactory) -> tuple[containers.Image, containers.Image]:
    """The image and the sidecar's image, by the steps of their files over this machine's root."""
    with shared(tmp_path_factory, "containers") as (scratch, again):
        if not again and (reason := containers.lacking(scratch)):
            pytest.skip(reason)
        known = {"docker.io/library/python:3.13-slim": containers.base(scratch)}
        plain = containers.build(FILES[0], known, scratch, again=again)
        known[f"gpuspec:{__version__}"] = plain
        return plain, containers.build(FILES[1], known, scratch, again=again)


def debian(factory: pytest.TempPathFactory) -> containers.Image:
    """The sidecar's image as `deploy/image/debian.py` makes it, without an engine."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to play a container: sudo make hosts-test")
    if shutil.which("mmdebstrap") is None:
        pytest.skip("mmdebstrap is not installed; to install it: apt-get install mmdebstrap")
    with shared(factory, "debian") as (scratch, again):
        archive = scratch / "image.tar"
        if not again:
            scratch.mkdir()
            subprocess.run([ROOT / "deploy/image/debian.py", archive, *FILES], check=True)
        return containers.unpacked(archive, scratch, again=again)


DEBIAN = pytest.param("debian", marks=pytest.mark.binaries)


@pytest.fixture(scope="session", params=["containerfile", DEBIAN])
def image(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> containers.Image:
    """The sidecar's image, however it is made."""
    if request.param == "debian":
        return debian(tmp_path_factory)
    made: tuple[containers.Image, containers.Image] = request.getfixturevalue("images")
    return made[1]


@pytest.fixture(scope="session")
def container(image: containers.Image) -> Iterator[containers.Container]:
    """The sidecar, running."""
    with containers.Container(image) as running:
        yield running


@pytest.fixture
def sidecar(image: containers.Image, container: containers.Container, repo: Path) -> Sidecar:
    """Begins a command of the plugin as the server does, with the repository unpacked anew."""
    plugin = yaml.safe_load(image.file(PLUGIN).read_text())["spec"]
    commands = {
        "generate": plugin["generate"],
        "discover": plugin["discover"]["find"],
        "parameters": plugin["parameters"]["dynamic"],
    }
    unpacked = functools.cache(lambda: container.give(repo))

    def start(name: str, folder: str = APP, **changes: str) -> "subprocess.Popen[bytes]":
        words = [*commands[name]["command"], *commands[name].get("args", [])]
        env = {**ENVIRONMENT, **changes}
        return container.start(words, env=env, folder=f"{unpacked()}/{folder}")

    return start


def answer(process: "subprocess.Popen[bytes]") -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out.decode(), err.decode()


def rendered(repo: Path) -> str:
    """What the checkout renders of the same."""
    command = ["render", ".", "-c", "../../clusters/eu.yaml"]
    return subprocess.run(
        [Path(sys.executable).parent / "gpuspec", *command],
        cwd=repo / APP,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_nothing_can_be_written_but_tmp(container: containers.Container) -> None:
    """What is played is what is meant: the user, no privilege, a root that is read-only."""
    probe = """\
import os, pathlib
print(os.getuid(), os.getgroups())
print(*(l.split()[1] for l in open('/proc/self/status') if l.startswith(('CapEff', 'NoNewPrivs'))))
for place in ('/x', '/opt/gpuspec/x', '/home/argocd/x', '/var/tmp/x', '/tmp/x'):
    try:
        pathlib.Path(place).write_text('')
        print(place, 'written')
    except OSError as error:
        print(place, error.errno)
"""
    done = container.run(["/opt/gpuspec/bin/python", "-c", probe])
    assert done.stdout.decode().splitlines() == [
        "999 []",
        "0000000000000000 1",
        *(f"{place} 30" for place in ("/x", "/opt/gpuspec/x", "/home/argocd/x", "/var/tmp/x")),
        "/tmp/x written",
    ], done.stderr.decode()


def test_image_answers_and_has_nothing_to_compile_at_each_start(images: Any) -> None:
    plain, side = images
    assert (plain.user, plain.entrypoint) == ("999:999", ["gpuspec"])
    assert side.user == plain.user
    assert side.entrypoint == ["/var/run/argocd/argocd-cmp-server"]
    with containers.Container(plain) as running:
        done = running.run([*plain.entrypoint, "--version"])
    assert done.stdout.decode() == f"gpuspec {__version__}\n"
    (package,) = plain.layer.glob("opt/gpuspec/lib/python*/site-packages/gpuspec")
    assert list(package.glob("cli/__pycache__/generating.*.pyc"))


def test_both_images_are_run_alike(image: containers.Image, images: Any) -> None:
    _, side = images
    assert (image.user, image.entrypoint, image.folder) == (
        side.user,
        side.entrypoint,
        side.folder,
    )
    assert image.env["PATH"].startswith("/opt/gpuspec/bin:")
    assert image.env["PYTHONDONTWRITEBYTECODE"] == "1"


def test_generate_prints_the_manifests_and_nothing_else(sidecar: Sidecar, repo: Path) -> None:
    """C-60: the bytes that a person renders, wherever the command is run."""
    code, out, err = answer(sidecar("generate"))
    assert (code, err) == (0, "")
    assert out == rendered(repo)
    assert answer(sidecar("generate", "."))[:2] == (0, out)


def test_discover_and_parameters(sidecar: Sidecar) -> None:
    assert answer(sidecar("discover")) == (0, "./chat.yaml\n", "")
    code, out, err = answer(sidecar("discover", "clusters", ARGOCD_APP_SOURCE_PATH="clusters"))
    assert (code, out) == (2, "")
    assert err.startswith("error: no gpuspec workload in the folder of the Application\n")
    code, out, err = answer(sidecar("parameters"))
    assert (code, err) == (0, "")
    assert {"name": "chat:gpu.count", "string": "1"}.items() <= next(
        one for one in yaml.safe_load(out) if one["name"] == "chat:gpu.count"
    ).items()


def test_thirty_at_a_time_print_the_same_bytes(sidecar: Sidecar, repo: Path) -> None:
    """C-60."""
    running = [sidecar("generate") for _ in range(30)]
    assert {answer(process) for process in running} == {(0, rendered(repo), "")}


@pytest.mark.binaries
def test_argo_cds_own_server_starts_it_there(container: containers.Container, repo: Path) -> None:
    """As in its pod: beside the image, as the image's user, with the description that the image has."""
    argo = f"{container.give(program('argo-cd').parent)}/argo-cd"
    asked = {
        "method": "generate",
        "socket": "/tmp/gpuspec.sock",
        "root": (root := container.give(repo)),
        "folder": f"{root}/{APP}",
        "env": [f"{name}={text}" for name, text in ENVIRONMENT.items()],
    }
    script = 'while [ ! -S /tmp/gpuspec.sock ]; do sleep 0.1; done; printf %s "$1" | "$0" ask'
    server = container.start([argo, "argocd-cmp-server"], env={"ARGOCD_PLUGINSOCKFILEPATH": "/tmp"})
    try:
        done = container.run(["sh", "-c", script, argo, json.dumps(asked)])
    finally:
        server.kill()
        server.communicate()
    assert done.returncode == 0, done.stderr.decode()
    made = json.loads(done.stdout)
    assert made["code"] == "OK", made
    manifests = map(yaml.safe_load, made["answer"]["manifests"])
    assert by_name(manifests) == by_name(yaml.safe_load_all(rendered(repo)))


def test_a_termination_while_it_prints_is_a_failure_at_once(sidecar: Sidecar, repo: Path) -> None:
    """The server's own reader has stopped: what did get out is cut off, and the exit code says so."""
    text = (repo / APP / "chat.yaml").read_text()
    for number in range(20):
        (repo / APP / f"{number}.yaml").write_text(
            text.replace("name: chat", f"name: chat-{number}")
        )
    process = sidecar("generate")
    assert process.stdout is not None
    printed = process.stdout.fileno()
    wait_until(lambda: waiting(printed) >= 65536 or process.poll() is not None)
    os.killpg(process.pid, signal.SIGTERM)
    process.wait(timeout=5)
    code, out, err = answer(process)
    assert (code, err) == (-signal.SIGTERM, "")
    whole = rendered(repo)
    assert whole.startswith(out)
    assert len(out) < len(whole)


@pytest.mark.parametrize("after", [0.02, 0.1, 0.2])
def test_a_termination_before_it_prints_leaves_nothing(
    sidecar: Sidecar, repo: Path, after: float
) -> None:
    text = (repo / APP / "chat.yaml").read_text()
    for number in range(100):
        (repo / APP / f"{number}.yaml").write_text(
            text.replace("name: chat", f"name: chat-{number}")
        )
    process = sidecar("generate")
    time.sleep(after)
    os.killpg(process.pid, signal.SIGTERM)
    assert answer(process) == (-signal.SIGTERM, "", "")


def waiting(pipe: int) -> int:
    """Bytes that wait in a pipe to be read."""
    return int(struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0])


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)
