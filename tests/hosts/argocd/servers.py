"""Argo CD's own repo server and plugin server, run beside the tests, and what is asked of them.

The plugin server has our `plugin.yaml` and runs our command; the repo server clones repositories of this
machine, and finds the plugin server's socket as it does in its pod.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.control_plane.processes import Process, free_ports, listens

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "deploy/argocd/plugin.yaml"
SERVED = (
    *("apps/v1", "apps/v1/Deployment", "autoscaling/v2", "autoscaling/v2/HorizontalPodAutoscaler"),
    *("networking.k8s.io/v1", "networking.k8s.io/v1/NetworkPolicy", "policy/v1"),
    *("policy/v1/PodDisruptionBudget", "v1", "v1/Service", "v1/ServiceAccount"),
)
GIT = ("git", "-c", "user.name=test", "-c", "user.email=test@example.com")


@dataclass(frozen=True)
class Answer:
    """What a server answered: a code of gRPC, and the answer or the error."""

    code: str
    error: str = ""
    answer: Any = None

    @property
    def objects(self) -> list[Any]:
        """The manifests of a repo server, which sends each as JSON."""
        assert self.code == "OK", self.error
        return [json.loads(text) for text in self.answer["manifests"]]


@dataclass(frozen=True)
class Servers:
    """Both servers, running."""

    program: Path
    folder: Path
    address: str

    @property
    def unpacked(self) -> list[Path]:
        """The repositories that the plugin server has unpacked at this moment."""
        return [*(self.folder / "work/_cmp_server").iterdir()]

    def log(self) -> list[dict[str, Any]]:
        """The lines that the plugin server has logged."""
        lines = (self.folder / "plugin.log").read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def plugin(
        self, method: str, root: Path, folder: str, env: dict[str, str], **how: int
    ) -> list[Answer]:
        """Ask the plugin server for the Application's folder of a repository."""
        return self._ask(
            {
                "method": method,
                "socket": str(self.folder / "plugins/gpuspec.sock"),
                "root": str(root),
                "folder": str(root / folder),
                "env": [f"{name}={value}" for name, value in env.items()],
                **how,
            }
        )

    def generate(self, source: dict[str, Any], **request: Any) -> Answer:
        """Ask the repo server for the manifests of an Application's source."""
        (answer,) = self._ask(
            {
                "method": "generate",
                "address": self.address,
                "request": {
                    "repo": {"repo": source["repoURL"]},
                    "revision": "HEAD",
                    "appName": "chat-eu",
                    "namespace": "serving",
                    "projectName": "serving",
                    "projectSourceRepos": ["*"],
                    "kubeVersion": "1.36.2",
                    "apiVersions": SERVED,
                    "applicationSource": source,
                }
                | request,
            }
        )
        return answer

    def details(self, source: dict[str, Any]) -> Answer:
        """Ask the repo server what it knows of an Application's source: its kind, and its parameters."""
        request = {"repo": {"repo": source["repoURL"]}, "source": source, "appName": "chat-eu"}
        (answer,) = self._ask({"method": "details", "address": self.address, "request": request})
        return answer

    def _ask(self, question: dict[str, Any]) -> list[Answer]:
        done = subprocess.run(
            [self.program, "ask"],
            input=json.dumps(question),
            capture_output=True,
            text=True,
            check=True,
        )
        return [Answer(**json.loads(line)) for line in done.stdout.splitlines()]


@contextmanager
def servers(program: Path) -> Iterator[Servers]:
    """Start both, and what they need; a path of a socket must be short."""
    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="argocd-", dir="/tmp"))
        )
        for name in ("config", "plugins", "home", "tmp", "work"):
            (folder / name).mkdir()
        shutil.copy(PLUGIN, folder / "config")
        redis, server, metrics = free_ports(3)
        environment = {
            "PATH": f"{Path(sys.executable).parent}:{program.parent}:{os.environ['PATH']}",
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder / "tmp"),
            "ARGOCD_PLUGINSOCKFILEPATH": str(folder / "plugins"),
            "ARGOCD_CMP_WORKDIR": str(folder / "work"),
            "ARGOCD_ASK_PASS_SOCK": str(folder / "tmp/ask-pass.sock"),
            "ARGOCD_GPG_ENABLED": "false",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }

        def start(name: str, *command: str, **more: str) -> Process:
            process = Process(name, [program, *command], folder, {**environment, **more})
            stack.callback(process.stop, 0)  # the plugin server does not end when it is asked to
            return process

        start("redis", "redis", f"127.0.0.1:{redis}").wait(lambda: listens(redis))
        config = ("--config-dir-path", str(folder / "config"))
        # No request takes as little: this variable does not end a plugin's commands.
        start("plugin", "argocd-cmp-server", *config, ARGOCD_EXEC_TIMEOUT="1ms").wait(
            (folder / "plugins/gpuspec.sock").is_socket
        )
        start(
            "repository",
            *("argocd-repo-server", "--disable-tls", "--client-ca-path="),
            *("--redis", f"127.0.0.1:{redis}"),
            *("--address", "127.0.0.1", "--port", str(server)),
            *("--metrics-address", "127.0.0.1", "--metrics-port", str(metrics)),
            *("--plugin-use-manifest-generate-paths", "--plugin-tar-exclude=.git/*"),
        ).wait(lambda: listens(server))
        yield Servers(program, folder, f"127.0.0.1:{server}")


def by_name(objects: Iterable[Any]) -> list[Any]:
    """Objects in an order that is nobody's."""
    return sorted(objects, key=lambda made: (made["kind"], made["metadata"]["name"]))


def committed(folder: Path) -> str:
    """A folder as a repository with a commit of all that it holds; returns its URL."""
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "specs")):
        subprocess.run([*GIT, *command], cwd=folder, check=True)
    return folder.as_uri()
