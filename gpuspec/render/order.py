"""The order of a merged list, as `kubectl patch` leaves it."""

Entry = tuple[int | None, int | None]
"""One item of a merged list: its index in the patch and its index in the base, if it has one."""


def merged_order(places: dict[int, int | None], remaining: list[int]) -> list[Entry]:
    """Return the items of a merged list in their new order.

    Items that the patch names stand in the patch's order, the others in the base's. One of the
    others goes first only if the base contains it before the patch's next item, so new items come
    first (`mergeSortedSlice` of Kubernetes' strategicpatch package).

    Args:
        places: for each index of the patch that stays, its index in the base, or None if new.
        kept: indices of the base that were not deleted.
    """
    placed = list(places.items())
    placed_indices = set(places.values())
    others = [old for old in remaining if old not in placed_indices]
    order: list[Entry] = []
    while placed or others:
        old = placed[0][1] if placed else None
        if not placed or (others and old is not None and others[0] < old):
            order.append((None, others.pop(0)))
        else:
            order.append(placed.pop(0))
    return order
