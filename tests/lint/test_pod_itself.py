"""What pods of any program get wrong: volumes over files, users, programs that end, processes."""

import json

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: work, namespace: ml}}
spec:
  {pod}
  containers:
    - name: main
      image: {image}
      command: {command}
      {more}
      resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: files, namespace: ml}}
data: {{config.yaml: "a: 1", ca.crt: x}}
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: work}}
spec:
  selector: {{matchLabels: {{app: work}}}}
  template:
    metadata: {{labels: {{app: work}}}}
    spec:
      containers:
        - name: main
          image: {image}
          {line}
          resources: {{limits: {{nvidia.com/gpu: 1}}}}
"""
OWN = "registry.example.com/work:1"


def said(
    code: str,
    *command: str,
    image: str = OWN,
    pod: str = "restartPolicy: Never",
    more: str = "",
    gpus: str = "1",
) -> list[str]:
    text = POD.format(
        image=image,
        command=json.dumps(command or ["python", "/app/main.py"]),
        pod=pod,
        more=more,
        gpus=gpus,
    )
    return [one.found.message for one in raised(text) if one.rule.code == code]


def mounted(path: str, volume: str = "emptyDir: {}", also: str = "") -> dict[str, str]:
    return {
        "pod": f"volumes: [{{name: v, {volume}}}]",
        "more": f"volumeMounts: [{{name: v, mountPath: {path}{also}}}]",
    }


FILES = "configMap: {name: files}"


def test_a_volume_over_files_of_the_image() -> None:
    (message,) = said("GPU838", **mounted("/app"))
    assert "is empty and hides `/app/main.py` of the image" in message
    (message,) = said("GPU838", **mounted("/opt/conda", "persistentVolumeClaim: {claimName: c}"))
    assert "hides the libraries and programs" in message
    (message,) = said("GPU838", **mounted("/etc/ssl/certs", FILES))
    assert "hides the certificates" in message
    assert said("GPU838", **mounted("/app/out")) == []
    assert said("GPU838", **mounted("/app", "persistentVolumeClaim: {claimName: c}")) == []
    assert said("GPU838", **mounted("/etc/ssl/certs/ca.crt", FILES, ", subPath: ca.crt")) == []
    assert (
        said("GPU838", "bash", "-c", "git clone x /app && python /app/main.py", **mounted("/app"))
        == []
    )


def test_a_file_that_a_variable_names_and_a_folder_in_its_place() -> None:
    place = mounted("/certs", FILES)
    place["more"] += "\n      env: [{name: SSL_CERT_FILE, value: /certs/NAME}]"
    (message,) = said("GPU822", pod=place["pod"], more=place["more"].replace("NAME", "bundle.pem"))
    assert "has no file `bundle.pem`" in message
    assert said("GPU822", pod=place["pod"], more=place["more"].replace("NAME", "ca.crt")) == []
    (message,) = said("GPU822", **mounted("/etc/app/config.yaml", FILES))
    assert "becomes a folder" in message
    assert said("GPU822", **mounted("/etc/app/config.yaml", FILES, ", subPath: config.yaml")) == []


def test_users() -> None:
    (message,) = said("GPU619", pod="securityContext: {runAsNonRoot: true, runAsUser: 0}")
    assert "`runAsUser` is 0" in message
    (message,) = said("GPU768", "jupyter", "lab", pod="securityContext: {runAsUser: 0}")
    assert message.startswith("Jupyter refuses to run as root")
    assert said("GPU768", "jupyter", "lab", pod="securityContext: {runAsUser: 1000}") == []
    assert (
        said("GPU768", "jupyter", "lab", "--allow-root", pod="securityContext: {runAsUser: 0}")
        == []
    )


@pytest.mark.parametrize(
    ("image", "line", "words"),
    [
        (OWN, "command: [nvidia-smi]", "`nvidia-smi` ends at once"),
        (OWN, "command: [bash]", "`bash` without a script ends at once"),
        ("nvidia/cuda:12.6.3-base-ubuntu22.04", "", "which gets no terminal, ends at once"),
        ("nvcr.io/nvidia/k8s/cuda-sample:vectoradd-cuda12.5.0", "", "the sample of"),
        (OWN, "command: [nvidia-smi, dmon]", ""),
        (OWN, "command: [bash]\n          tty: true\n          stdin: true", ""),
        (OWN, "", ""),
    ],
)
def test_what_ends_at_once(image: str, line: str, words: str) -> None:
    text = DEPLOYMENT.format(image=image, line=line)
    messages = [one.found.message for one in raised(text) if one.rule.code == "GPU722"]
    assert len(messages) == bool(words)
    assert all(words in message for message in messages)


@pytest.mark.parametrize(
    ("command", "more", "count"),
    [
        (("tune", "run", "--nproc_per_node", "8", "lora_finetune_distributed"), "", 1),
        (("tune", "run", "--nproc_per_node", "4", "lora_finetune_distributed"), "", 0),
        (("tune", "download", "x"), "", 0),
        (("llamafactory-cli", "train", "c.yaml"), "env: [{name: NPROC_PER_NODE, value: '8'}]", 1),
        (("llamafactory-cli", "train", "c.yaml"), "env: [{name: NPROC_PER_NODE, value: '4'}]", 0),
        (("horovodrun", "-np", "8", "-H", "localhost:8", "python", "a.py"), "", 1),
        (("mpirun", "-np", "8", "python", "a.py"), "", 1),
        (("mpirun", "-np", "8", "-H", "a:4,b:4", "python", "a.py"), "", 0),
        (("mpirun", "-np", "8", "gmx_mpi", "mdrun"), "", 0),
    ],
)
def test_processes_for_four_gpus(command: tuple[str, ...], more: str, count: int) -> None:
    assert len(said("GPU732", *command, more=more, gpus="4")) == count


def test_volumes_of_huge_pages() -> None:
    volume = {"pod": "volumes: [{name: v, emptyDir: {medium: HugePages}}]"}
    (message,) = said("GPU913", **volume)
    assert "no container requests huge pages" in message


def test_parts_of_the_driver() -> None:
    image = "nvidia/cuda:12.6.3-runtime-ubuntu22.04"
    (message,) = said("GPU776", "ffmpeg", "-c:v", "h264_nvenc", image=image)
    assert "only `compute,utility` of its image" in message
    assert said("GPU776", "ffmpeg", "-c:v", "h264_nvenc") == []
    more = (
        "env: [{name: NVIDIA_DRIVER_CAPABILITIES, value: compute}]\n"
        "      livenessProbe: {exec: {command: [nvidia-smi]}}"
    )
    (message,) = said("GPU776", more=more)
    assert "`nvidia-smi` needs NVIDIA's driver capability `utility`" in message
