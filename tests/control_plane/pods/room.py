"""Changes of a pod that decide how much room it takes."""

from __future__ import annotations

from random import Random

from tests.control_plane.pods.pieces import IMAGE, RUNTIMES, Change, Object, ask, container


def host_ports(rng: Random, made: Object, nodes: list[Object]) -> None:
    """Ports of the host."""
    container = made["spec"]["containers"][-1]
    rows: dict[tuple[object, ...], Object] = {}
    for _ in range(rng.randint(1, 2)):
        row: Object = {"protocol": rng.choice(("TCP", "TCP", "UDP"))}
        row |= {"containerPort": 8000, "hostPort": rng.choice((8080, 9090))}
        if rng.random() < 0.4:
            row["hostIP"] = rng.choice(("10.0.0.1", "10.0.0.2", "0.0.0.0"))
        rows[row["protocol"], row["hostPort"], row.get("hostIP")] = row
    found = list(rows.values())
    if rng.random() < 0.2:
        made["spec"]["hostNetwork"] = True
        found = [{"containerPort": row["hostPort"]} for row in found[:1]]
    container["ports"] = found


def asks(name: str, *amounts: str) -> Change:
    """So much of one resource."""

    def change(rng: Random, made: Object, nodes: list[Object]) -> None:
        ask(made, name, rng.choice(amounts))

    return change


def limits(rng: Random, made: Object, nodes: list[Object]) -> None:
    """Limits that stand for requests."""
    limits = {"cpu": rng.choice(("500m", "3", "6", "15")), "memory": rng.choice(("1Gi", "12Gi"))}
    made["spec"]["containers"][-1]["resources"] = {"limits": limits}


def init(rng: Random, made: Object, nodes: list[Object]) -> None:
    """Two init containers."""
    made["spec"]["initContainers"] = [
        container(rng, f"init-{at}", rng.choice(("100m", "2", "5", "9"))) for at in range(2)
    ]


def sidecar(rng: Random, made: Object, nodes: list[Object]) -> None:
    """A sidecar, and an init container before or after it."""
    first = container(rng, "sidecar", rng.choice(("100m", "1", "3", "6")))
    first["restartPolicy"] = "Always"
    after = container(rng, "init", rng.choice(("100m", "2", "4")))
    made["spec"]["initContainers"] = rng.sample([first, after], rng.randint(1, 2))


def two_before(rng: Random, made: Object, nodes: list[Object]) -> None:
    """A sidecar and an init container, to be put in order."""
    names = {"sidecar": rng.choice(("1", "2", "3")), "init": rng.choice(("2", "4", "6"))}
    made["spec"]["initContainers"] = [
        {"name": name, "image": IMAGE, "resources": {"requests": {"cpu": cpu}}}
        for name, cpu in names.items()
    ]
    made["spec"]["initContainers"][0]["restartPolicy"] = "Always"


def order(rng: Random, made: Object, nodes: list[Object]) -> None:
    """Which of them comes first."""
    rng.shuffle(made["spec"]["initContainers"])


def overhead(rng: Random, made: Object, nodes: list[Object]) -> None:
    """What its runtime class adds."""
    name = rng.choice((*RUNTIMES, ""))
    if name:
        made["spec"] |= {"runtimeClassName": name, "overhead": RUNTIMES[name]}


def whole_pod(rng: Random, made: Object, nodes: list[Object]) -> None:
    """Resources of the whole pod instead of its containers'."""
    for each in made["spec"]["containers"]:
        each["resources"] = {"requests": {"cpu": "100m"}} if rng.random() < 0.5 else {}
    asks: Object = {"cpu": rng.choice(("300m", "3", "6")), "memory": rng.choice(("1Gi", "12Gi"))}
    if rng.random() < 0.5:
        asks.pop(rng.choice(("cpu", "memory")))
    where = rng.choice(("requests", "limits"))
    made["spec"]["resources"] = {where: asks}


def whole_pages(rng: Random, made: Object, nodes: list[Object]) -> None:
    """Huge pages of the whole pod."""
    pages = rng.choice(("64Mi", "256Mi", "1Gi"))
    limits = {"hugepages-2Mi": pages, "memory": "1Gi", "cpu": "1"}
    for each in made["spec"]["containers"]:
        each["resources"] = {}
    made["spec"]["resources"] = {"limits": limits}
