"""Rules for the ports of a server, its sidecars, and its Service."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.escaping.meant import did_you_mean
from gpuspec.kubernetes import RESTRICTED_CAPABILITY
from gpuspec.manifests import Path
from gpuspec.spec.inference import InferenceSpec
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.helpers import port_names
from gpuspec.spec.rules.violation import SpecViolation

_RUNTIME: Path = ("spec", "runtime")
_EXPOSE: Path = ("spec", "expose")
_PORTS: Path = (*_EXPOSE, "ports")
_SIDECARS: Path = ("spec", "sidecars")


def problems(spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for ports."""
    container = spec.expose.container_port
    runtime = runtimes.get(spec.runtime)
    if not runtime.ports and spec.expose.port is None and container is None:
        message = f"runtime {spec.runtime} needs `expose.port`"
        hint = "set expose: {port: 8080}"
        yield SpecViolation(message, _RUNTIME, hint, needs=(_EXPOSE,))
    field = "containerPort" if container is not None else "port"
    listens = container if container is not None else (None if runtime.ports else spec.expose.port)
    if listens is not None:
        yield from _privileged(spec, listens, (*_EXPOSE, field))
    runtime_ports = {
        port.number: f"{spec.runtime}'s {port.name} port" for port in runtime.ports[1:]
    }
    if listens in runtime_ports:
        yield SpecViolation(
            f"{listens} is {runtime_ports[listens]}", (*_EXPOSE, field), needs=(_RUNTIME,)
        )
    number_of_port = {port.name: port.number for port in runtime.ports} or {"http": 0}
    if listens is not None:
        number_of_port[next(iter(number_of_port))] = listens
    yield from _sidecars(spec, number_of_port)
    yield from _further(spec, number_of_port)
    yield from _through(spec)


def _privileged(spec: InferenceSpec, port: int, path: Path) -> Iterator[SpecViolation]:
    if port >= 1024 or RESTRICTED_CAPABILITY in spec.capabilities:
        return
    who = "non-root server" if spec.waivers.root is None else "server without capabilities"
    hint = "listen on 1024 or above: expose: {port: 80, containerPort: 8080}"
    if spec.waivers.root is not None:
        hint += f"; or add capabilities: [{RESTRICTED_CAPABILITY}]"
    yield SpecViolation(
        f"a {who} cannot listen on port {port}",
        path,
        hint,
        needs=(_RUNTIME, _EXPOSE, ("spec", "waivers"), ("spec", "capabilities")),
    )


def _sidecars(spec: InferenceSpec, number_of_port: dict[str, int]) -> Iterator[SpecViolation]:
    """Yield conflicts between sidecars' ports, because containers of a pod share its ports, and a
    Service finds a port by name in any of them."""
    needs = (_RUNTIME, _EXPOSE)
    for index, container in enumerate(spec.sidecars):
        for name, number in container.ports.items():
            where: Path = (*_SIDECARS, index, "ports", name)
            if name in number_of_port:
                message = f"the server also has a port `{name}`, which the Service finds by name"
                yield SpecViolation(message, where, "choose another name", key=True, needs=needs)
            elif number in number_of_port.values():
                message = f"port {number} belongs to the server"
                yield SpecViolation(
                    message, where, "containers of a pod share its ports", needs=needs
                )


def _through(spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Check that the port in front of the server is a sidecar's, and that the Service has it once."""
    name, where = spec.expose.through, (*_EXPOSE, "through")
    if name is None:
        return
    ports = [port for container in spec.sidecars for port in container.ports]
    if name not in ports:
        existing_ports = (
            f"existing ports: {', '.join(ports)}" if ports else "add ports: {…} to the sidecar"
        )
        yield SpecViolation(
            f"no sidecar has a port {shown(name)}",
            where,
            did_you_mean(name, ports) or existing_ports,
            needs=(_SIDECARS,),
        )
    elif name in spec.expose.ports:
        message = f"the Service already leads to {name} by `through`"
        yield SpecViolation(
            message, (*_PORTS, name), "delete one of the two", key=True, needs=(where,)
        )


def _further(spec: InferenceSpec, number_of_port: dict[str, int]) -> Iterator[SpecViolation]:
    """Check that a Service has each port name and number once, and so has a pod, apart from its
    sidecars' ports."""
    yield from port_names(spec.expose.ports, _PORTS)
    beside = {
        number: (name, container.name)
        for container in spec.sidecars
        for name, number in container.ports.items()
    }
    names = {name for name, _ in beside.values()}
    main = next(iter(number_of_port))
    served = {spec.expose.port or number_of_port[main]: main} | {
        number: name for name, number in number_of_port.items() if name != main
    }
    needs = (_RUNTIME, _EXPOSE, _SIDECARS)
    for name, number in spec.expose.ports.items():
        where = (*_PORTS, name)
        if name in number_of_port:
            message = f"the server has a port `{name}`, which the Service already has"
            yield SpecViolation(message, where, "choose another name", key=True, needs=needs)
        elif number in served:
            message = f"port {number} of the Service is already `{served[number]}`"
            yield SpecViolation(message, where, "use another number", needs=needs)
        elif name not in names and number in number_of_port.values():
            yield SpecViolation(
                f"port {number} belongs to the server", where, "delete it", needs=needs
            )
        elif name not in names and number in beside:
            called, sidecar = beside[number]
            message = f"port {number} belongs to sidecar {sidecar}, as `{called}`"
            yield SpecViolation(message, where, f"write {called}: {number}", needs=needs)
        elif name not in names:
            yield from _privileged(spec, number, where)
        served.setdefault(number, name)
