"""The life of workers that an MPIJob carries: they serve, their launcher starts, is tried again, ends."""

from __future__ import annotations

from typing import Any

import pytest

from tests.control_plane import kubelet
from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.meeting import differences, resolve, variables
from tests.control_plane.nodes import node
from tests.control_plane.specs import H100, pool, queue, training
from tests.control_plane.stories import World, main

pytestmark = pytest.mark.control_plane
ROLE = "training.kubeflow.org/job-role"
INDEX = "training.kubeflow.org/replica-index"
RACK = "example.com/rack"
INSTALLED = {"kueue": "0.19", "mpi-operator": "0.8"}
CPU_NODE = node("cpu-0", {"cpu": "32", "memory": "128Gi"}, {"kubernetes.io/arch": "amd64"})
# What a worker has otherwise than that of a Job, beside what controllers write of whose it is: it
# serves, waits for what ssh starts, and leaves room for the launcher.
OTHERWISE = {
    "spec.containers.main.command",
    "spec.containers.main.env.JOB_COMPLETION_INDEX",
    "spec.containers.main.env.K_MPI_JOB_ROLE",
    "spec.containers.main.env.MASTER_ADDR.value",
    "spec.containers.main.env.NNODES",
    "spec.containers.main.env.NODE_RANK",
    "spec.containers.main.ports",
    "spec.containers.main.readinessProbe",
    "spec.containers.main.resources.limits.memory",
    "spec.containers.main.resources.requests.cpu",
    "spec.containers.main.resources.requests.memory",
    "spec.containers.main.volumeMounts.ssh-auth",
    "spec.containers.main.volumeMounts.sshd",
    "spec.dnsConfig",
    "spec.hostname",
    "spec.restartPolicy",
    "spec.subdomain",
    "spec.volumes.ssh-auth",
    "spec.volumes.sshd",
}
# What the launcher is told by its controller, for Open MPI.
TOLD = {
    "K_MPI_JOB_ROLE": "launcher",
    "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
    "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
    "OMPI_MCA_orte_set_default_slots": "8",
    "OMPI_MCA_plm_rsh_args": "-o ConnectionAttempts=10",
}


@pytest.fixture
def here(training_world: Worlds) -> World:
    """Three nodes with GPUs, one without, no queue, and a profile that has gangs carried by MPIJobs."""
    nodes = pool("h100", H100, nodes=3)
    made = training_world(nodes, targets={"gang": "mpijob"}, installed=INSTALLED)
    made.create([CPU_NODE])
    return made


def gang(**more: Any) -> Object:
    return training("gang", workers=2, command=["python", "-m", "train"], **more)


def test_an_mpijob_is_stored_as_it_is_rendered(here: World) -> None:
    """The schema has nothing to fill in but `suspend`, which is the queue's."""
    files, made = here.render(gang(retries={"limit": 1}, duration={"max": "8h"}, mpi="intel"))
    assert here.client.create(files).object["data"] == files["data"]
    answer = here.client.create(made)
    assert answer.warnings == ()
    stored = answer.object
    assert stored["spec"]["runPolicy"].pop("suspend") is False
    assert stored["spec"] == made["spec"]
    assert stored["metadata"]["labels"] == made["metadata"]["labels"]
    assert stored["metadata"]["annotations"] == made["metadata"]["annotations"]


def test_a_launcher_is_let_go_when_the_workers_are_ready(here: World) -> None:
    """Not while one of them is not; then it finds both by name, with a slot for each GPU."""
    job = here.submit(gang())
    # The kubelets stand still: nothing makes the pods ready.
    first, second = here.wait(lambda: placed(here, job, "worker", 2), "both workers have a node")
    kubelet.run(here.client, first)
    kubelet.run(here.client, second, ready=False)
    here.a_second_after(job)
    assert of(here, job, "launcher") == []
    kubelet.run(here.client, second)
    (launcher,) = here.wait(lambda: placed(here, job, "launcher", 1), "the launcher has a node")
    assert launcher["spec"]["nodeName"] == "cpu-0"
    assert "nvidia.com/gpu" not in str(launcher["spec"]["containers"][0]["resources"])
    (config,) = (
        here.get(Ref("v1", "ConfigMap", each["configMap"]["name"], here.namespace))
        for each in launcher["spec"]["volumes"]
        if each["name"] == "mpi-job-config"
    )
    name = job.name
    assert config["data"]["hostfile"].splitlines() == [
        f"{name}-worker-{number}.{name}.{here.namespace}.svc slots=8" for number in (0, 1)
    ]
    told = variables(launcher)
    assert TOLD.items() <= told.items()
    assert told["PRTE_MCA_prte_default_hostfile"] == told["OMPI_MCA_orte_default_hostfile"]
    command = launcher["spec"]["containers"][0]["command"]
    assert command[:3] == ["mpirun", "-np", "16"]


def test_the_workers_of_an_mpijob_find_its_first(here: World) -> None:
    """Each by the address that it is told, and by its number the pod that it is."""
    job = here.submit(gang())
    pods = here.wait(lambda: placed(here, job, "worker", 2), "both workers have a node")
    for each in pods:
        kubelet.run(here.client, each)
    (host,) = {variables(each)["MASTER_ADDR"] for each in pods}
    here.wait(lambda: resolve(here, host), f"{host} is known")
    assert resolve(here, host) == [pods[0]["metadata"]["name"]]
    assert [each["metadata"]["labels"][INDEX] for each in pods] == ["0", "1"]


def test_launcher_and_workers_reach_each_other_with_one_key(here: World) -> None:
    """Where the settings of ssh look for it, the controller mounts it, in all three pods."""
    job = here.submit(gang())
    here.started(job, 3)
    files = here.get(Ref("v1", "ConfigMap", f"{job.name}-sshd", here.namespace))["data"]
    for each in here.pods(job):
        (mount,) = (
            one
            for one in each["spec"]["containers"][0]["volumeMounts"]
            if one["name"] == "ssh-auth"
        )
        (secret,) = (one["secret"] for one in each["spec"]["volumes"] if one["name"] == "ssh-auth")
        there = {f"{mount['mountPath']}/{item['path']}" for item in secret["items"]}
        at = mount["mountPath"]
        assert {f"{at}/id_rsa", f"{at}/authorized_keys"} <= there
        assert f"IdentityFile {at}/id_rsa" in files["ssh_config"]
        assert f"HostKey {at}/id_rsa" in files["sshd_config"]
        assert f"AuthorizedKeysFile {at}/authorized_keys" in files["sshd_config"]
        assert each["spec"]["securityContext"]["runAsNonRoot"] is True


def test_a_worker_is_that_of_a_job_but_for_what_it_serves(here: World) -> None:
    """C-58: Of the same spec, each made by its own controller."""
    mine, theirs = (
        here.submit(gang(target=target, launcher="none")) for target in ("mpijob", "job")
    )
    here.until(lambda: len(here.pods(theirs)) == 2, "the Job's pods are made")
    here.until(lambda: len(of(here, mine, "worker")) == 2, "the workers are made")
    for one, other in zip(of(here, mine, "worker"), here.pods(theirs), strict=True):
        found = differences(one, other)
        assert {each for each in found if not each.startswith("metadata.")} == OTHERWISE


def test_a_launcher_that_fails_is_tried_again(here: World) -> None:
    """`retries.limit: 1`, with the same workers; then the MPIJob has failed, and they are ended."""
    job = here.submit(gang(retries={"limit": 1}))
    here.started(job, 3)
    workers = uids(here, job, "worker")
    (old,) = running(here, job, "launcher")
    kubelet.fail(here.client, old)
    here.until(lambda: running(here, job, "launcher"), "another launcher runs", 90)
    assert uids(here, job, "worker") == workers
    kubelet.fail(here.client, running(here, job, "launcher")[0])
    here.until(lambda: here.condition(job, "Failed"), "it has failed")
    here.until(lambda: not of(here, job, "worker"), "the workers are ended")


def test_a_launcher_that_is_done_ends_the_workers(here: World) -> None:
    """All is well then, and the GPUs are free."""
    job = here.submit(gang())
    here.started(job, 3)
    kubelet.succeed(here.client, running(here, job, "launcher")[0])
    here.until(lambda: here.condition(job, "Succeeded"), "it is done")
    here.until(lambda: not of(here, job, "worker"), "the workers are ended")


def test_a_hung_mpijob_is_ended_by_its_deadline(here: World) -> None:
    """`duration.max`, with retries left."""
    job = here.submit(gang(duration={"max": "1s"}))
    failed = here.until(lambda: here.condition(job, "Failed"), "it has failed")
    assert failed["reason"] == "DeadlineExceeded"
    here.until(lambda: not of(here, job, "worker"), "the workers are ended")


def test_a_queue_admits_workers_and_launcher_together(training_world: Worlds) -> None:
    """No pod of it is made while one of its three nodes is taken; later all are, at once."""
    here = training_world(
        pool("h100", H100, nodes=3),
        queues=[queue("research", {"h100": 24})],
        targets={"gang": "mpijob"},
        installed=INSTALLED,
    )
    first = here.submit(training("first", queue="research", target="job"))
    here.started(first)
    job = here.submit(training("gang", workers=3, queue="research"))
    assert "nvidia.com/gpu" in here.held(job)
    parts = {each["name"]: each["count"] for each in here.workload(job)["spec"]["podSets"]}
    assert parts == {"launcher": 1, "worker": 3}
    here.finish(first)
    here.started(job, 4)


def test_a_launcher_from_a_queue_waits_by_itself(training_world: Worlds) -> None:
    """Its Job is made while the queue holds all back, and goes on with it: before a worker is ready."""
    here = training_world(
        pool("h100", H100, nodes=2),
        queues=[queue("research", {"h100": 16})],
        targets={"gang": "mpijob"},
        installed=INSTALLED,
    )
    made = here.render(training("gang", workers=2, queue="research"))
    here.create(made)
    job = main(made)
    # The kubelets stand still: no worker is ready.
    (launcher,) = here.wait(lambda: placed(here, job, "launcher", 1), "the launcher has a node")
    (wait,) = launcher["spec"]["initContainers"]
    assert f"{job.name}-worker-$i.{job.name}" in wait["command"][2]
    assert "$i -lt 2" in wait["command"][2]


def test_the_workers_of_an_mpijob_lie_in_one_rack(training_world: Worlds) -> None:
    """Where the topology asks for it; their launcher is beside one of them, on CPUs that it left."""
    levels = [{"name": "rack", "label": RACK}, {"name": "host", "label": "kubernetes.io/hostname"}]
    here = training_world(
        pool("h100", H100, nodes=4),
        queues=[queue("research", {"h100": 32})],
        topology={"levels": levels},
        targets={"gang": "mpijob"},
        installed=INSTALLED,
    )
    near = {"level": "rack", "required": True}
    job = here.submit(training("gang", workers=2, queue="research", topology=near))
    here.started(job, 3)
    places = [each["spec"]["nodeName"] for each in of(here, job, "worker")]
    assert len(set(places)) == 2
    racks = {here.get(Ref("v1", "Node", place))["metadata"]["labels"][RACK] for place in places}
    assert len(racks) == 1


def of(here: World, job: Ref, role: str) -> list[Object]:
    """The pods of one role, by name."""
    return [each for each in here.pods(job) if each["metadata"]["labels"][ROLE] == role]


def running(here: World, job: Ref, role: str) -> list[Object]:
    return [each for each in of(here, job, role) if each["status"]["phase"] == "Running"]


def placed(here: World, job: Ref, role: str, number: int) -> list[Object] | None:
    """The pods of one role, once there are so many and each has a node."""
    found = [each for each in of(here, job, role) if each["spec"].get("nodeName")]
    return found if len(found) == number else None


def uids(here: World, job: Ref, role: str) -> set[str]:
    return {each["metadata"]["uid"] for each in of(here, job, role)}
