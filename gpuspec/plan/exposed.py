"""Ports of a Service besides those of its server: of the main container, or of a sidecar."""

from gpuspec.plan.decision import Decision, from_spec
from gpuspec.spec import InferenceSpec

_BESIDE = "beside the server's own"


def container_ports(spec: InferenceSpec) -> tuple[Decision, ...]:
    """Return the ports that the main container declares; a sidecar declares its own."""
    beside = _of_sidecars(spec)
    return tuple(
        from_spec(("spec", "expose", "ports", name), _declared(name, number), _BESIDE)
        for name, number in spec.expose.ports.items()
        if name not in beside
    )


def service_ports(spec: InferenceSpec) -> tuple[Decision, ...]:
    """Return the ports of the Service."""
    beside = _of_sidecars(spec)
    ports: list[Decision] = []
    for name, number in spec.expose.ports.items():
        # By number: whether a Service looks for names in sidecars hangs on the cluster's version.
        target = beside.get(name, name)
        value = {"name": name, "port": number, "targetPort": target}
        why = "a port of a sidecar" if name in beside else _BESIDE
        ports.append(from_spec(("spec", "expose", "ports", name), value, why))
    return tuple(ports)


def front(spec: InferenceSpec) -> int | None:
    """Return the port of the sidecar that clients use instead of the server's; None if there is
    none.

    By number, like other ports of sidecars.
    """
    return _of_sidecars(spec)[spec.expose.through] if spec.expose.through is not None else None


def targets(spec: InferenceSpec) -> list[str | int]:
    """Return the target ports in the pods, as a NetworkPolicy lists them."""
    return [decision.value["targetPort"] for decision in service_ports(spec)]


def _declared(name: str, number: int) -> dict[str, str | int]:
    return {"name": name, "containerPort": number}


def _of_sidecars(spec: InferenceSpec) -> dict[str, int]:
    return {name: number for container in spec.sidecars for name, number in container.ports.items()}
