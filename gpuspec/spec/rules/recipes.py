"""Rules for the recipe of a pool's fabric: missing fields, and fields without effect."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.hardware import Recipe
from gpuspec.manifests import Path
from gpuspec.spec.fabric import Rdma
from gpuspec.spec.pools import Pool
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.violation import SpecViolation, camel


def problems(pool: Pool, rdma: Rdma, provider: str, path: Path) -> Iterator[SpecViolation]:
    """Yield violations of the rules for a pool's recipe; `path` is that of `rdma`."""
    recipe = rdma.known_recipe
    if recipe is None:
        if rdma.resource is None:
            yield _nothing(provider, path)
    else:
        yield from _provider(recipe, provider, path)
        yield from _unsaid(pool, rdma, recipe, path)
    yield from _image(rdma, recipe, path)
    yield from _waivers(rdma, recipe, path)


def _nothing(provider: str, path: Path) -> SpecViolation:
    names = [recipe.name for recipe in hardware.recipes_of(provider)]
    choices = f"`recipe` ({', '.join(names)}) or `resource`" if names else "`recipe` or `resource`"
    needs = tuple((*path, field) for field in ("recipe", "resource"))
    return SpecViolation("`rdma` has no fabric", path, f"write {choices}", needs=needs)


def _provider(recipe: Recipe, provider: str, path: Path) -> Iterator[SpecViolation]:
    if recipe.provider not in (None, provider) and not hardware.provider(provider).anywhere:
        message = (
            f"recipe {recipe.name} is for nodes of {recipe.provider}, but the provider is "
            f"{provider}"
        )
        yield SpecViolation(
            message, (*path, "recipe"), needs=(("spec", "provider"), ("spec", "extends"))
        )


def _unsaid(pool: Pool, rdma: Rdma, recipe: Recipe, path: Path) -> Iterator[SpecViolation]:
    """Yield required fields that neither the instance type nor the profile sets."""
    machine = pool.labels.get(hardware.INSTANCE_TYPE)
    if machine in recipe.machines:
        return
    missing = [field for field in recipe.must if not getattr(rdma, field)]
    if not missing:
        return
    which = "no machine" if machine is None else f"{shown(machine)}, which is unknown to it"
    names = " and ".join(f"`{field}`" for field in missing)
    yield SpecViolation(
        f"recipe {recipe.name} takes {names} from the machine, but the label `{hardware.INSTANCE_TYPE}` "
        f"names {which}",
        (*path, "recipe"),
        f"set the label ({', '.join(recipe.machines)}), or {names} here",
        needs=((*path[:-1], "labels"), *((*path, field) for field in missing)),
    )


def _image(rdma: Rdma, recipe: Recipe | None, path: Path) -> Iterator[SpecViolation]:
    if rdma.daemon_image is None or (recipe is not None and recipe.daemon is not None):
        return
    whose = "without a recipe there is" if recipe is None else f"recipe {recipe.name} has"
    message = f"`daemonImage`: {whose} no daemon"
    yield SpecViolation(
        message, (*path, "daemonImage"), "delete it", key=True, needs=((*path, "recipe"),)
    )


def _waivers(rdma: Rdma, recipe: Recipe | None, path: Path) -> Iterator[SpecViolation]:
    """Yield empty reasons, and reasons for exceptions that nothing needs."""
    permissions = set(recipe.takes if recipe else ())
    if rdma.memlock != "unlimited" or (recipe and recipe.capabilities):
        permissions.add("capabilities")
    for field in rdma.waivers.__struct_fields__:
        reason, where = getattr(rdma.waivers, field), (*path, "waivers", camel(field))
        if reason is None:
            continue
        if len(reason.split()) < 2:
            message = f"`waivers.{camel(field)}` needs a reason in words"
            yield SpecViolation(message, where, "it becomes an annotation for reviewers")
        elif field not in permissions:
            message = f"`waivers.{camel(field)}`: this fabric does not need it"
            yield SpecViolation(message, where, "delete it", key=True, needs=((*path, "recipe"),))
