"""CEL expressions that select devices by the attributes of their DRA driver."""

from collections.abc import Iterable, Sequence

from gpuspec import hardware
from gpuspec.hardware import ClaimDriver, GpuModel
from gpuspec.spec import Pool, model_of


def among(attribute: str, values: Iterable[str]) -> str:
    """Return an expression: an attribute has one of these values."""
    distinct_values = list(dict.fromkeys(values))
    if len(distinct_values) == 1:
        return f"{attribute} == '{distinct_values[0]}'"
    return (
        f"{attribute} in [{', '.join(repr(distinct_value) for distinct_value in distinct_values)}]"
    )


def product(driver: ClaimDriver) -> str:
    """Return a device's product name, written as in labels."""
    name = f"device.attributes['{driver.driver}'].{driver.product}"
    return f"{name}.replace(' ', '-')" if driver.blanks else name


def products_of(pool: Pool, model: GpuModel, exact: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the vendor's product names for the GPUs of a pool: from its labels, from `exact`, or
    all possible ones."""
    whole = model.whole or model
    vendor = hardware.vendor(whole.vendor)
    labeller = hardware.labellers()[str(vendor and vendor.labeller)]
    stated = pool.labels.get(str(labeller.product))
    if stated is not None:
        return (hardware.split_product(stated).name,)
    return tuple(exact) or labeller.values_of(whole)


def names_of(driver: ClaimDriver, pools: Sequence[Pool]) -> str | None:
    """Return an expression: a device is one of the pools' products; None if a product's name is
    unknown."""
    products_of_pools = [products_of(pool, model_of(pool)) for pool in pools]
    if driver.product is None or not all(products_of_pools):
        return None
    return among(product(driver), (name for names in products_of_pools for name in names))
