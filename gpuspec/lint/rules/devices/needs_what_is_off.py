"""An object needs a feature that another object in the set turns off."""

from collections.abc import Iterator

from gpuspec.lint.analysis.devices.switches import PAIRS, RequiredSetting, SettingOff
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU423",
    "needs-what-is-off",
    "warning",
    "An object needs a feature that the operator's settings disable",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield each pair whose setting is off in all objects; with several clusters, one may have it
    on."""
    for pair in PAIRS:
        holders = context.collection.of(pair.group, pair.kind)
        setting_offs = [pair.off(holder) for holder in holders]
        if not setting_offs or setting_offs[0] is None or None in setting_offs:
            continue
        if pair.instead is not None and context.collection.named(*pair.instead) is not None:
            continue
        for path in pair.needs(obj):
            yield _found(path, pair, holders[0], setting_offs[0])


def _found(
    path: tuple[str | int, ...], pair: RequiredSetting, holder: Object, off: SettingOff
) -> RawFinding:
    until = f", which is off before release {off.until}" if off.until else ""
    return RawFinding(
        path,
        f"{pair.needed}, but {pair.kind} `{holder.name}` {pair.lacking}{until}: {pair.end}",
        note=pair.mend,
        severity="info" if off.until else None,
        confidence="possible" if off.until else pair.confidence,
        related=(RelatedPlace(holder.number, off.path, "the setting"),),
    )
