"""A world for one story: a profile's nodes and platform objects, and workloads rendered on it.

Everything in it is what the commands make: `gpuspec cluster render` of the profile, `gpuspec render`
of each workload. While a story waits, the kubelets of its nodes go on: pods start, deletions end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

import gpuspec
from gpuspec.kinds import kind_of
from gpuspec.manifests.values import at
from gpuspec.targets import names, target_of
from tests.control_plane import karpenter, kubelet
from tests.control_plane.client import PATIENCE, Client, Object, Ref, Refused, until
from tests.control_plane.crds import served
from tests.control_plane.drivers import handed_out
from tests.control_plane.kueue import condition
from tests.control_plane.nodes import join, nodes

T = TypeVar("T")
QUEUES = "kueue.x-k8s.io/v1beta2"
GPU = "nvidia.com/gpu"
# What has pods and goes away with the namespace's story. Of one name with others are Volcano's Job and Knative's
# Service, which nobody runs.
_NOT_RUN = ("volcano", "knative")
OWNERS = {target.kind: target for target in map(target_of, names()) if target.name not in _NOT_RUN}
# What makes such an object anew while it is there itself.
WRAPPER = ("workload.codeflare.dev/v1beta2", "AppWrapper")
# The condition of a run that has ended well, where it is not called as a Job's.
DONE = {"JobSet": "Completed", "PyTorchJob": "Succeeded", "TFJob": "Succeeded"}

UNSEEN = ("must be created before", "denied the request: runtime '")
"""What Trainer's webhook says of a runtime that its cache has not yet seen."""


class World:
    """The nodes and the platform of one profile; a context manager that takes all away again.

    One at a time: the names of nodes, queues, flavors and classes are the cluster's. The namespace
    stays, since its end takes the API server long.
    """

    def __init__(self, client: Client, namespace: str, profile: Object, folder: Path) -> None:
        self.client, self.namespace = client, namespace
        self._folder = folder
        (self.profile,) = gpuspec.load_profiles(self._file("profile", profile))
        self._made: list[Ref] = []

    def __enter__(self) -> World:
        try:
            self._begin()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def _begin(self) -> None:
        machines = nodes(self.profile)
        join(self.client, machines)
        self._made += [Ref.of(each) for each in machines]
        self.create(handed_out(self.profile, machines))
        platform = gpuspec.platform(self.profile).objects
        for space in {each["metadata"].get("namespace", "") for each in platform} - {""}:
            if self.client.find(Ref("v1", "Namespace", space)) is None:
                # An operator's, which stays.
                made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}}
                self.client.create(made)
        self.create(each for each in platform if each["kind"] != "Namespace")
        for ref in self._made:
            if ref.kind == "ClusterQueue":
                self.until(partial(self.condition, ref, "Active"), f"queue {ref.name} is active")

    def end(self) -> None:
        """Take all away, and wait until it is gone."""
        kinds = [WRAPPER, *((each.api, kind) for kind, each in OWNERS.items())]
        owners = [each for each in kinds if served(self.client, *each)]
        for version, kind in (*owners, (QUEUES, "Workload"), ("v1", "Pod")):
            for each in self.client.objects(Ref(version, kind, namespace=self.namespace)):
                self.client.delete(Ref.of(each), grace=0)
        pods = Ref("v1", "Pod", namespace=self.namespace)
        self.until(lambda: not self._workloads() and not self.client.objects(pods), "all ends")
        for ref in reversed(self._made):
            self.client.delete(ref)
        for ref in self._made:
            self.until(partial(self._gone, ref), f"{ref.kind} {ref.name} is gone")
        if self._provisions:
            self.until(lambda: not karpenter.made(self.client), "Karpenter's nodes are gone")

    # ------------------------------------------------------------------------------------ making

    def render(self, spec: Object) -> list[Object]:
        """What `gpuspec render` makes of a spec on this profile, in the story's namespace."""
        meta = spec["metadata"]
        path = self._file(meta["name"], spec | {"metadata": meta | {"namespace": self.namespace}})
        (workload,) = gpuspec.load(path)
        return gpuspec.render(workload, self.profile).objects

    def submit(self, spec: Object) -> Ref:
        """Render a spec and create its objects. Gives the one that has the pods."""
        made = self.render(spec)
        self.create(made)
        return main(made)

    def create(self, objects: Iterable[Object]) -> None:
        """Create objects; they go away with the world."""
        for each in objects:
            self._create(each)
            if each["kind"] not in (*OWNERS, WRAPPER[1]):
                self._made.append(Ref.of(each))

    def _create(self, value: Object) -> None:
        """Create an object, when its webhook has seen what was created just before it."""

        def created() -> bool:
            try:
                self.client.create(value)
            except Refused as refused:
                if not any(words in str(refused) for words in UNSEEN):
                    raise
                return False
            return True

        until(created, f"{value['kind']} is taken")

    # ----------------------------------------------------------------------------------- looking

    def until(self, probe: Callable[[], T | None], what: str, seconds: float = PATIENCE) -> T:
        """Ask again until the answer is more than nothing, while kubelets go on."""

        def step() -> T | None:
            self._step()
            return probe()

        return until(step, what, seconds)

    def wait(self, probe: Callable[[], T | None], what: str) -> T:
        """The same with kubelets that stand still."""
        return until(probe, what)

    def get(self, ref: Ref) -> Object:
        """Read an object."""
        return self.client.get(ref)

    def pods(self, ref: Ref, phase: str = "") -> list[Object]:
        """The pods of what carries them, by name; those in one phase, if one is asked for."""
        known = kind_of(ref.api_version.partition("/")[0], ref.kind)
        if ranks := OWNERS[ref.kind].ranks:
            labels = f"{ranks.pods}={ref.name}"
        elif mates := OWNERS[ref.kind].mates:
            labels = ",".join(f"{key}={value}" for key, value in mates(ref.name).items())
        elif known is not None and known.pod_label:
            labels = f"{known.pod_label}={ref.name}"
        else:
            wanted = self.get(ref)["spec"]["selector"]["matchLabels"]
            labels = ",".join(f"{key}={value}" for key, value in wanted.items())
        found = self.client.objects(Ref("v1", "Pod", namespace=self.namespace), labels)
        found.sort(key=lambda pod: str(pod["metadata"]["name"]))
        return [pod for pod in found if phase in ("", pod["status"]["phase"])]

    def places(self, ref: Ref) -> list[str]:
        """The nodes that its pods run on, sorted."""
        return sorted(pod["spec"]["nodeName"] for pod in self.pods(ref, "Running"))

    def started(self, ref: Ref, pods: int = 1) -> list[str]:
        """Wait until so many pods run, no fewer and no more. Gives their nodes."""
        self.until(lambda: len(self.places(ref)) == pods, f"{pods} pods of {ref.name} run")
        return self.places(ref)

    def workload(self, job: Ref) -> Object:
        """Kueue's Workload of a Job, once it is there."""
        uid = self.get(job)["metadata"]["uid"]

        def probe() -> Object | None:
            return next((each for each in self._workloads() if _owner(each) == uid), None)

        return self.until(probe, f"Kueue has a Workload for {job.name}")

    def held(self, job: Ref) -> str:
        """Wait until Kueue has looked at a Job and holds it back, without a pod. Gives its reason."""

        def probe() -> str | None:
            for each in self.workload(job).get("status", {}).get("conditions", ()):
                if each["type"] == "QuotaReserved" and each["status"] == "False":
                    return str(each["message"])
            return None

        said = self.until(probe, f"Kueue says why {job.name} waits")
        assert self.waits(job)
        return said

    def waits(self, job: Ref) -> bool:
        """Whether a Job is suspended and has no pod."""
        found = self.get(job)
        kind = kind_of(job.api_version.partition("/")[0], job.kind)
        assert kind is not None
        assert kind.queueing is not None
        return at(found, kind.queueing.suspend) is True and not self.pods(job)

    def a_second_after(self, ref: Ref) -> None:
        """Wait until what is made now is later than an object, as Kueue counts: in whole seconds."""
        then = datetime.fromisoformat(self.get(ref)["metadata"]["creationTimestamp"])
        self.until(lambda: (datetime.now(UTC) - then).seconds >= 1, f"a second after {ref.name}")

    def condition(self, ref: Ref, kind: str) -> Object | None:
        """A condition of an object that is true; None while it is not."""
        found = self.get(ref)
        conditions = found.get("status", {}).get("conditions") or ()
        true = condition(found, kind)
        return next((dict(each) for each in conditions if true and each["type"] == kind), None)

    def finish(self, job: Ref) -> None:
        """End the pods of what carries a run well, and wait until it is complete."""
        for pod in self.pods(job, "Running"):
            kubelet.succeed(self.client, pod)
        done = DONE.get(job.kind, "Complete")
        self.until(partial(self.condition, job, done), f"{job.name} is complete")

    # ------------------------------------------------------------------------------------- below

    def _step(self) -> None:
        """What kubelets would have done by now, those of new nodes too."""
        kubelet.step(self.client, self.namespace)
        if self._provisions:
            karpenter.step(self.client)

    @property
    def _provisions(self) -> bool:
        return any(pool.karpenter is not None for pool in self.profile.spec.pools)

    def _file(self, name: str, value: Object) -> str:
        path = self._folder / f"{name}.json"
        path.write_text(json.dumps(value), encoding="utf-8")
        return str(path)

    def _gone(self, ref: Ref) -> bool:
        found = self.client.find(ref)
        if found is not None and ref.kind == "Topology":
            # Kueue looks once whether flavors use it, which on a slow machine is before it has
            # noticed that they are gone; a change of it has it look again.
            touched = {"annotations": {"example.com/touched": found["metadata"]["resourceVersion"]}}
            with suppress(Refused):
                self.client.patch(ref, {"metadata": touched})
        return found is None

    def _workloads(self) -> list[Object]:
        return self.client.objects(Ref(QUEUES, "Workload", namespace=self.namespace))


def main(objects: Iterable[Object]) -> Ref:
    """The object with the pods, among those of one workload."""
    return next(Ref.of(each) for each in objects if each["kind"] in OWNERS)


def _owner(value: Object) -> str:
    owners = value["metadata"].get("ownerReferences") or ({"uid": ""},)
    return str(owners[0]["uid"])
