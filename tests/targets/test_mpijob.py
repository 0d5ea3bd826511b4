"""Workers that an MPIJob carries: what mpirun starts in them, how ssh comes in, what is refused."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.targets.conftest import TRAINING, Run, Values

INSTALLED: Values = {"mpi-operator": "0.8", "kueue": "0.19", "jobset": "0.12"}
HERE: Values = {"installed": INSTALLED, "targets": {"gang": "mpijob"}}
SEVERAL = TRAINING | {"workers": 4, "run": "1", "gpu": {"count": 2}}
ROOT: Values = {
    "capabilities": ["SYS_CHROOT", "SETUID", "SETGID"],
    "waivers": {"root": "the image has no other user", "capabilities": "sshd gives up rights"},
}


def made(run: Run, spec: Values, **profile: Any) -> tuple[Values, Values]:
    """The files of ssh, and the MPIJob."""
    files, job = run.objects("Training", spec, **HERE | profile)
    assert (files["kind"], job["apiVersion"]) == ("ConfigMap", "kubeflow.org/v2beta1")
    return files["data"], job["spec"]


def pod(job: Values, role: str) -> Values:
    found: Values = job["mpiReplicaSpecs"][role]["template"]["spec"]
    return found


def main(job: Values, role: str) -> Values:
    found: Values = pod(job, role)["containers"][0]
    return found


def line(run: Run, **spec: Any) -> list[str]:
    """What the launcher runs."""
    launcher = main(made(run, SEVERAL | spec)[1], "Launcher")
    return [*launcher.get("command", ()), *launcher.get("args", ())]


def said(run: Run, spec: Values, **profile: Any) -> str:
    """What is said of a spec that is rendered."""
    code, _, err = run("render", "Training", spec, profile=HERE | profile)
    assert code == 0, err
    return " ".join(err.split())


def test_a_process_is_started_in_each_slot(run: Run) -> None:
    """As many as there are GPUs, one worker after the other, and bound to no core."""
    job = made(run, SEVERAL)[1]
    assert (job["slotsPerWorker"], job["mpiReplicaSpecs"]["Worker"]["replicas"]) == (2, 4)
    words = line(run)
    options = ["-np", "8", "--bind-to", "none", "--map-by", "slot"]
    assert words == ["mpirun", *options, "python", "-m", "train"]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"command": ["mpirun", "-np", "8", "a"], "args": ["b"]}, ["mpirun", "-np", "8", "a", "b"]),
        ({"command": ["/opt/mpi/bin/mpiexec", "a"]}, ["/opt/mpi/bin/mpiexec", "a"]),
        ({"command": ["bash", "-c", "exec mpirun a"]}, ["bash", "-c", "exec mpirun a"]),
        ({"command": ["run.sh"], "launcher": "none"}, ["run.sh"]),
        ({"command": []}, []),
    ],
)
def test_a_command_that_starts_processes_is_left_alone(
    run: Run, spec: Values, words: list[str]
) -> None:
    assert line(run, **spec) == words


@pytest.mark.parametrize(
    ("command", "number"),
    [
        (["mpirun", "-np", "9", "a"], 9),
        (["mpirun", "-n", "12", "a", "-n", "3"], 12),
        (["bash", "-c", "ulimit -l unlimited; mpirun --np 9 a"], 9),
    ],
)
def test_more_processes_than_slots_are_refused(run: Run, command: list[str], number: int) -> None:
    text = run.refused("Training", SEVERAL | {"command": command}, **HERE)
    assert f"mpirun has to start {number} processes, but 4 workers × 2 slots are 8" in text


@pytest.mark.parametrize(
    "command",
    [
        ["mpirun", "-np", "8", "a"],
        ["mpirun", "--oversubscribe", "-np", "80", "a"],
        ["mpirun", "-npernode", "1", "a", "-np", "80"],
        ["mpirun", "-np", "$(NUMBER)", "a"],
        ["mpirun", "--bind-to", "none", "-x", "A", "a", "-b", "8", "-n", "80"],
        ["mpirun", "-np", "4", "a", ":", "-np", "4", "b"],
    ],
)
def test_what_agrees_or_is_not_known_is_not_spoken_of(run: Run, command: list[str]) -> None:
    """A number of the program's own, or of another way to place processes, is not mpirun's."""
    assert "mpirun starts" not in said(run, SEVERAL | {"command": command})


def test_idle_slots_are_spoken_of(run: Run) -> None:
    text = said(run, SEVERAL | {"command": ["mpirun", "-np", "4", "a"]})
    assert "mpirun starts 4 processes, but 4 workers × 2 slots are 8" in text


@pytest.mark.parametrize(("mpi", "called"), [("intel", "Intel"), ("mpich", "MPICH")])
def test_another_mpi_is_told_by_its_own_ways(run: Run, mpi: str, called: str) -> None:
    """No option and no variable of Open MPI; more processes than slots it takes."""
    job = made(run, SEVERAL | {"mpi": mpi})[1]
    assert job["mpiImplementation"] == called
    assert main(job, "Launcher")["command"][:4] == ["mpirun", "-np", "8", "python"]
    assert "PRTE_MCA" not in str(job)
    assert line(run, mpi=mpi, command=["mpirun", "-np", "9", "a"])[2] == "9"


def test_an_mpi_that_nobody_starts_is_spoken_of(run: Run) -> None:
    text = said(run, SEVERAL | {"mpi": "intel", "target": "jobset"})
    assert "target jobset starts nothing by MPI: `mpi` changes nothing" in text


def test_a_worker_serves_ssh_and_has_what_its_plan_gives_it(run: Run) -> None:
    """As the user of the pod, by a port that needs no right, and with its variables for what is started."""
    spec = SEVERAL | {"env": {"NCCL_DEBUG": "INFO"}, "user": {"uid": 4000, "gid": 5000}}
    files, job = made(run, spec)
    worker = main(job, "Worker")
    assert [port["containerPort"] for port in worker["ports"]] == [2222]
    assert worker["readinessProbe"]["tcpSocket"] == {"port": "ssh"}
    assert worker["resources"]["limits"]["nvidia.com/gpu"] == "2"
    assert {"name": "NCCL_DEBUG", "value": "INFO"} in worker["env"]
    assert "app:x:4000:5000::/home/app:/bin/sh" in files["passwd"].splitlines()
    saved = worker["command"][2].partition("export -p > ")[2].partition(")")[0]
    assert f"ForceCommand . {saved};" in files["sshd_config"]
    assert job["sshAuthMountPath"] == "/home/app/.ssh"
    at = {mount["mountPath"]: mount.get("subPath") for mount in worker["volumeMounts"]}
    for name, path in (("passwd", "/etc/passwd"), ("ssh_config", "/etc/ssh/ssh_config")):
        assert at[path] == name


def test_a_launcher_has_neither_gpus_nor_data(run: Run) -> None:
    """It goes to any node; what any node has at hand it may read."""
    pool = {
        "name": "h100",
        "gpu": {"model": "H100-80GB", "count": 2},
        "taints": [{"key": "nvidia.com/gpu", "value": "present"}],
        "rdma": {"resource": "rdma/ib", "memlock": "unlimited", "domain": "rack"},
        "allocatable": {"cpu": 32, "memory": "256Gi", "ephemeralStorage": "1Ti"},
    }
    spec = SEVERAL | {
        "dataset": {"pvc": "data"},
        "volumes": [{"mount": "/scripts", "configMap": "scripts"}],
        "sidecars": [{"name": "watch", "image": "ghcr.io/example/watch:1"}],
    }
    job = made(run, spec, pools=[pool])[1]
    worker, launcher = pod(job, "Worker"), pod(job, "Launcher")
    assert "rdma/ib" in str(worker)
    assert "tolerations" in worker
    for strange in ("rdma/ib", "nvidia.com/gpu", "persistentVolumeClaim", "tolerations", "watch"):
        assert strange not in str(launcher), strange
    mounts = [mount["mountPath"] for mount in main(job, "Launcher")["volumeMounts"]]
    assert "/scripts" in mounts
    (term,) = worker["affinity"]["podAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    labels = term["podAffinityTerm"]["labelSelector"]["matchLabels"]
    assert labels["training.kubeflow.org/job-role"] == "worker"


def test_a_worker_leaves_room_for_the_launcher(run: Run) -> None:
    """Of its share of a node, which a queue may have for both; not of what the spec asks for."""
    pool = {
        "name": "h100",
        "gpu": {"model": "H100-80GB", "count": 8},
        "allocatable": {"cpu": 96, "memory": "1024Gi", "ephemeralStorage": "1Ti"},
    }
    whole = SEVERAL | {"gpu": {"count": 8}}
    job = made(run, whole, pools=[pool])[1]
    theirs = run.objects("Training", whole | {"target": "jobset"}, **HERE | {"pools": [pool]})[0]
    (jobs,) = theirs["spec"]["replicatedJobs"]
    usual = jobs["template"]["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"]
    mine, more = (main(job, role)["resources"]["requests"] for role in ("Worker", "Launcher"))
    assert int(mine["cpu"]) + int(more["cpu"]) == int(usual["cpu"])
    assert mine["memory"] != usual["memory"]
    assert main(job, "Worker")["resources"]["limits"]["memory"] == mine["memory"]
    said = {"cpu": "90", "memory": "900Gi"}
    job = made(run, whole | {"resources": said}, pools=[pool])[1]
    assert said.items() <= main(job, "Worker")["resources"]["requests"].items()


def test_a_launcher_knows_the_hosts_whichever_open_mpi_the_image_has(run: Run) -> None:
    """The controller tells version 4; version 5 would start all processes in the launcher."""
    job = made(run, SEVERAL)[1]
    told = {each["name"]: each.get("value") for each in main(job, "Launcher")["env"]}
    assert told["PRTE_MCA_prte_default_hostfile"] == "/etc/mpi/hostfile"
    own = {"PRTE_MCA_prte_default_hostfile": "/mine"}
    job = made(run, SEVERAL | {"env": own})[1]
    values = [each for each in main(job, "Launcher")["env"] if each["name"] in own]
    assert [each["value"] for each in values] == ["/mine"]


def test_a_launcher_waits_for_every_worker(run: Run) -> None:
    job = made(run, SEVERAL)[1]
    assert job["launcherCreationPolicy"] == "WaitForWorkersReady"
    (wait,) = pod(job, "Launcher")["initContainers"]
    script = wait["command"][2]
    assert "$i -lt 4" in script
    assert '"work-1-worker-$i.work-1"' in script


def test_a_launcher_gives_up_where_nothing_else_ends_the_run(run: Run, tmp_path: Path) -> None:
    """A worker that never comes would hold the others' GPUs; `duration.max` does it otherwise."""

    def script(**more: Any) -> str:
        (wait,) = pod(made(run, SEVERAL | more)[1], "Launcher")["initContainers"]
        return str(wait["command"][2])

    assert "exit" not in script(duration={"max": "1h"})
    (tmp_path / "ssh-keyscan").write_text("#!/bin/sh\n")
    (tmp_path / "sleep").write_text("#!/bin/sh\necho >> looks\n")
    for each in ("ssh-keyscan", "sleep"):
        (tmp_path / each).chmod(0o755)
    looks = ["/bin/sh", "-c", script().replace("-lt 1800", "-lt 5")]
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    ended = subprocess.run(looks, env=path, cwd=tmp_path, timeout=60, check=False)
    assert ended.returncode == 1
    assert len((tmp_path / "looks").read_text().splitlines()) == 4


def test_what_ends_a_run_is_its_launcher(run: Run) -> None:
    spec = SEVERAL | {"retries": {"limit": 5}, "duration": {"max": "1h"}, "queue": "research"}
    files, job = run.objects("Training", spec, **HERE)
    assert files["metadata"]["name"] == "work-1-sshd"
    assert job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "research"
    assert job["spec"]["runPolicy"] == {
        "cleanPodPolicy": "Running",
        "backoffLimit": 5,
        "activeDeadlineSeconds": 3600,
    }
    replicas = job["spec"]["mpiReplicaSpecs"]
    assert replicas["Launcher"]["restartPolicy"] == "Never"
    assert replicas["Worker"]["restartPolicy"] == "OnFailure"
    for role in replicas:
        assert "restartPolicy" not in pod(job["spec"], role)


def test_what_nothing_carries_is_spoken_of(run: Run) -> None:
    text = said(run, SEVERAL | {"checkpoint": {"pvc": "kept", "every": "30m"}})
    assert "the image needs OpenSSH" in text
    assert "resumes from the last periodic checkpoint and loses up to 30m of work" in text


def test_root_is_served_as_sshd_wants_it(run: Run) -> None:
    """The keys lie where the controller gives them a mode that ssh takes, and no group may read them."""
    files, job = made(run, SEVERAL | ROOT)
    assert job["sshAuthMountPath"] == "/root/.ssh"
    assert "passwd" not in files
    assert "IdentityFile /root/.ssh/id_rsa" in files["ssh_config"]
    for role in ("Worker", "Launcher"):
        assert "fsGroup" not in str(pod(job, role)["securityContext"])
    added = main(job, "Worker")["securityContext"]["capabilities"]["add"]
    assert sorted(added) == ["SETGID", "SETUID", "SYS_CHROOT"]
    assert "add" not in main(job, "Launcher")["securityContext"]["capabilities"]
    reasons = {
        role: set(job["mpiReplicaSpecs"][role]["template"]["metadata"]["annotations"])
        for role in ("Worker", "Launcher")
    }
    waiver = "gpuspec.dev/waiver-"
    assert {f"{waiver}root", f"{waiver}capabilities"} <= reasons["Worker"]
    assert {key for key in reasons["Launcher"] if key.startswith(waiver)} == {f"{waiver}root"}
    told = {each["name"] for each in main(job, "Launcher")["env"]}
    assert {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"} <= told

    worker = main(job, "Worker")
    assert worker["command"][2].startswith("chmod 755 /run/sshd; ")
    assert "/run/sshd" in [mount["mountPath"] for mount in worker["volumeMounts"]]


REFUSED: list[tuple[Values, str]] = [
    ({"launcher": "torchrun"}, "starts a process for each GPU, and so does mpirun"),
    ({"retries": {"failOnExitCodes": [3]}}, "it retries after any exit code"),
    ({"run": "r" * 55}, "the names of its pods have 69 characters, 6 too many"),
    ({"waivers": {"root": "the image has no other user"}}, "sshd as root needs the capabilities"),
    (
        {"volumes": [{"mount": "/keys", "secret": "k", "name": "ssh-auth"}]},
        "volume ssh-auth has the name of one that ssh of an MPIJob needs",
    ),
    (
        {"volumes": [{"mount": "/etc/mpi", "configMap": "hosts"}]},
        "ssh of an MPIJob has its own files at /etc/mpi",
    ),
    (
        {"roles": [{"name": "loader", "resources": {"cpu": 1, "memory": "1Gi"}}]},
        "target mpijob supports only workers",
    ),
]


@pytest.mark.parametrize(("spec", "text"), REFUSED)
def test_what_it_cannot_carry_is_refused(run: Run, spec: Values, text: str) -> None:
    assert text in run.refused("Training", SEVERAL | spec, **HERE)


def test_a_queue_of_gpu_nodes_takes_the_launcher_there(run: Run) -> None:
    pools = [{"name": "h100", "gpu": {"model": "H100-80GB", "count": 8}}]
    queues = [
        {"name": "research", "namespaces": ["default"], "pools": [{"pool": "h100", "gpus": 64}]}
    ]
    text = said(run, SEVERAL | {"queue": "research"}, pools=pools, queues=queues)
    assert "queue research admits only to nodes of pool h100: launcher runs there" in text


def test_a_launcher_is_as_large_as_the_spec_says_and_has_labels_of_its_own(run: Run) -> None:
    size = {"cpu": 2, "memory": "4Gi", "ephemeralStorage": "32Gi", "shm": "1Gi"}
    own = {"resources": size, "podLabels": {"role": "l"}, "podAnnotations": {"seen": "y"}}
    spec = SEVERAL | {"podLabels": {"role": "w"}, "mpiLauncher": own}
    job = made(run, spec)[1]
    first, worker = (job["mpiReplicaSpecs"][role]["template"] for role in ("Launcher", "Worker"))
    assert (first["metadata"]["labels"]["role"], worker["metadata"]["labels"]["role"]) == ("l", "w")
    assert first["metadata"]["annotations"]["seen"] == "y"
    assert "seen" not in worker["metadata"]["annotations"]
    launcher = main(job, "Launcher")
    assert launcher["resources"] == {
        "requests": {"cpu": "2", "memory": "4Gi", "ephemeral-storage": "32Gi"},
        "limits": {"memory": "4Gi", "ephemeral-storage": "32Gi"},
    }
    volumes = {each["name"]: each for each in pod(job, "Launcher")["volumes"]}
    assert volumes["tmp"]["emptyDir"] == {"sizeLimit": "32Gi"}
    assert volumes["shm"]["emptyDir"] == {"medium": "Memory", "sizeLimit": "1Gi"}
    assert {"name": "shm", "mountPath": "/dev/shm"} in launcher["volumeMounts"]
    assert "a launcher without GPUs (2 CPU, 4Gi of memory)" in explained(run, spec)


def explained(run: Run, spec: Values) -> str:
    code, out, err = run("explain", "Training", spec, profile=HERE)
    assert code == 0, err
    return " ".join(out.split())


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({"resources": {"shm": "1Gi"}}, "/dev/shm of 1Gi fills the whole memory limit 1Gi"),
        ({"podLabels": {"job-name": "x"}}, "the Job controller sets it"),
    ],
)
def test_a_launcher_that_cannot_be_is_an_error(run: Run, own: Values, words: str) -> None:
    code, _, err = run("render", "Training", SEVERAL | {"mpiLauncher": own}, profile=HERE)
    assert code == 2
    assert words in " ".join(err.split())


def test_a_launcher_that_nobody_starts_is_spoken_of(run: Run) -> None:
    spec = SEVERAL | {"mpiLauncher": {"resources": {"cpu": 2}}, "target": "jobset"}
    words = said(run, spec)
    assert "target jobset starts nothing by MPI: `mpiLauncher` changes nothing" in words


def test_ssh_of_a_main_container_that_alone_is_root_is_roots(run: Run) -> None:
    """In the launcher too, whose other rights are as ever."""
    job = made(run, SEVERAL | ROOT | {"user": {"mainUid": 0}})[1]
    assert job["sshAuthMountPath"] == "/root/.ssh"
    for role in ("Launcher", "Worker"):
        assert main(job, role)["securityContext"]["runAsUser"] == 0
        assert pod(job, role)["securityContext"]["runAsUser"] == 1000
    files, job = made(run, SEVERAL | {"user": {"mainUid": 3000}})
    assert "app:x:3000:1000:" in files["passwd"]
    assert main(job, "Worker")["securityContext"]["runAsUser"] == 3000
