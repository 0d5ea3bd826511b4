"""A real control plane on loopback: etcd, API server, controllers, scheduler, and Kueue if wanted.

What is left out, and why. Controllers that need machines (nodes' lifecycle, addresses, volumes):
nodes are simulated, and the test plays their kubelet. The admission plugin TaintNodesByCondition:
it taints each new node until that lifecycle controller lifts it. Authorisation: all is allowed.
"""

import json
import shutil
import tempfile
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from tests.control_plane import binaries, certificates, operators
from tests.control_plane.client import Client
from tests.control_plane.kueue import Kueue
from tests.control_plane.processes import Process, free_ports

TOKEN = "loopback"
CONTROLLERS = (
    "cronjob",
    "daemonset",
    "deployment",
    "disruption",
    "endpointslice",
    "garbage-collector",
    "job",
    "namespace",
    "pod-garbage-collector",
    "replicaset",
    "resourcequota",
    "serviceaccount",
    "statefulset",
    "ttl-after-finished",
)


class Switched(NamedTuple):
    """What is off as Kubernetes comes."""

    gates: str = ""
    """Feature gates, as its programs are told of them."""
    apis: str = ""
    """Versions of APIs that are served."""
    controllers: tuple[str, ...] = ()
    authorization: str = "AlwaysAllow"
    """Who may do what: everybody anything, or `RBAC`."""


class ControlPlane:
    """Everything that runs; a context manager that starts it and stops it.

    `minor` is that of Kubernetes. `scheduler` are settings of a KubeSchedulerConfiguration, such as
    its profiles. `kueue` are settings of its manager's Configuration; None leaves Kueue out.
    `operators` are others that run, by name; `switched` is what is on beyond what usually is.
    Raises `binaries.Missing` for a program that is not built.
    """

    def __init__(
        self,
        minor: str = binaries.NEWEST,
        *,
        scheduler: dict[str, Any] | None = None,
        kueue: dict[str, Any] | None = None,
        operators: Sequence[str] = (),
        switched: Switched | None = None,
    ) -> None:
        binaries.ready(minor, *(() if kueue is None else ("kueue",)), *operators)
        self.minor = minor
        self.folder = Path(tempfile.mkdtemp(prefix="gpuspec-control-plane-"))
        self._scheduler = scheduler or {}
        self._kueue = kueue
        self._operators = operators
        self._switched = switched or Switched()
        self._running: list[Process] = []
        self._clients: list[Client] = []

    def __enter__(self) -> "ControlPlane":
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def client(self) -> Client:
        """A client of the API server, with a connection of its own."""
        made = Client(self.port, TOKEN, self.certificates.authority)
        self._clients.append(made)
        return made

    def stop(self) -> None:
        """Stop what runs, last started first, and remove the folder."""
        for client in self._clients:
            client.close()
        while self._running:
            self._running.pop().stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(
        self,
        name: str,
        *arguments: str,
        at: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Process:
        """Start one program more; it is stopped with the rest."""
        path = at or binaries.program(name, self.minor)
        process = Process(name, [path, *arguments], self.folder, environment)
        self._running.append(process)
        return process

    # ---------------------------------------------------------------------------------- start

    def _start(self) -> None:
        self.certificates = certificates.make(self.folder)
        store, peer, self.port = free_ports(3)
        self._etcd(store, peer)
        client = self.client()
        server = self._server(store)
        self.kubeconfig = self.folder / "kubeconfig"
        self.kubeconfig.write_text(json.dumps(self._kubeconfig(), indent=1), encoding="utf-8")
        server.wait(client.healthy)
        self._controllers()
        self._schedule()
        # Kueue looks which kinds are there when it starts.
        for name in self._operators:
            operators.start(self, client, name)
        if self._kueue is not None:
            Kueue(self, self._kueue).start(client)

    def _etcd(self, port: int, peer: int) -> Process:
        here = f"http://127.0.0.1:{peer}"
        return self.run(
            "etcd",
            "--name=only",
            f"--data-dir={self.folder / 'etcd'}",
            f"--listen-client-urls=http://127.0.0.1:{port}",
            f"--advertise-client-urls=http://127.0.0.1:{port}",
            f"--listen-peer-urls={here}",
            f"--initial-advertise-peer-urls={here}",
            f"--initial-cluster=only={here}",
            "--unsafe-no-fsync",
            "--log-level=warn",
        )

    def _server(self, store: int) -> Process:
        tokens = self.folder / "tokens.csv"
        tokens.write_text(f'{TOKEN},admin,admin,"system:masters"\n', encoding="utf-8")
        made = self.certificates
        return self.run(
            "kube-apiserver",
            f"--etcd-servers=http://127.0.0.1:{store}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--secure-port={self.port}",
            f"--cert-dir={self.folder}",
            f"--tls-cert-file={made.server}",
            f"--tls-private-key-file={made.server_key}",
            f"--token-auth-file={tokens}",
            f"--authorization-mode={self._switched.authorization}",
            f"--service-account-signing-key-file={made.accounts_key}",
            f"--service-account-key-file={made.accounts_key}",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-cluster-ip-range=10.96.0.0/16",
            "--endpoint-reconciler-type=none",
            "--disable-admission-plugins=TaintNodesByCondition",
            "--allow-privileged=true",
            "--enable-priority-and-fairness=false",
            "--profiling=false",
            *self._gates(),
            *([f"--runtime-config={apis}"] if (apis := self._switched.apis) else ()),
        )

    def _controllers(self) -> None:
        controllers = (*CONTROLLERS, *self._switched.controllers)
        self.run(
            "kube-controller-manager",
            f"--kubeconfig={self.kubeconfig}",
            f"--service-account-private-key-file={self.certificates.accounts_key}",
            f"--controllers={','.join(f'{name}-controller' for name in controllers)}",
            "--leader-elect=false",
            "--secure-port=0",
            "--kube-api-qps=1000",
            "--kube-api-burst=1000",
            "--horizontal-pod-autoscaler-sync-period=1s",
            "--profiling=false",
            *self._gates(),
        )

    def _gates(self) -> tuple[str, ...]:
        return (f"--feature-gates={gates}",) if (gates := self._switched.gates) else ()

    def _schedule(self) -> None:
        settings = {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "clientConnection": {"kubeconfig": str(self.kubeconfig), "qps": 1000, "burst": 1000},
            "leaderElection": {"leaderElect": False},
            **self._scheduler,
        }
        path = self.folder / "scheduler.json"
        path.write_text(json.dumps(settings), encoding="utf-8")
        self.run("kube-scheduler", f"--config={path}", "--secure-port=0", *self._gates())

    def _kubeconfig(self) -> dict[str, Any]:
        authority = b64encode(self.certificates.authority.read_bytes()).decode()
        server = f"https://127.0.0.1:{self.port}"
        name = "gpuspec"
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {
                    "name": name,
                    "cluster": {"server": server, "certificate-authority-data": authority},
                }
            ],
            "users": [{"name": name, "user": {"token": TOKEN}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
            "current-context": name,
        }
