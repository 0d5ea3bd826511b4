"""Rules for huge pages and resources of other device plugins, of pods and nodes."""

from collections.abc import Iterator, Mapping

from gpuspec import hardware
from gpuspec.manifests import Path, Quantity
from gpuspec.spec.quoting import either, shown
from gpuspec.spec.rules.resource_names import extended_resource
from gpuspec.spec.rules.violation import SpecViolation

# The sizes of huge pages that Linux has on amd64 and arm64, of which each kernel knows some.
_PAGES = ("64Ki", "2Mi", "32Mi", "512Mi", "1Gi", "16Gi")


def problems(
    hugepages: Mapping[str, Quantity], extended: Mapping[str, int], path: Path
) -> Iterator[SpecViolation]:
    """Yield violations of the rules for `hugepages` and `extended` at a path."""
    for size, amount in hugepages.items():
        where = (*path, "hugepages", size)
        if size not in _PAGES:
            message = f"{shown(size)} is not a size of huge pages"
            yield SpecViolation(message, where, f"use one of {either(_PAGES)}", key=True)
        elif amount.value % Quantity.parse(size).value:
            yield SpecViolation(f"{amount} are not a multiple of {size}", where)
    for name in extended:
        where = (*path, "extended", name)
        if reason := extended_resource(name):
            yield SpecViolation(reason, where, key=True)
        elif hardware.resource(name) is not None:
            message = f"{shown(name)} is the resource of GPUs"
            hint = "use `gpu`, from which it follows; in a profile the pool's `gpu`"
            yield SpecViolation(message, where, hint, key=True)
