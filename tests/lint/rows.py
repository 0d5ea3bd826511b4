"""Which rules find which row of `docs/coverage.md`: the one place that says so.

The page takes its rules from here; `test_rows.py` holds that each of them speaks of its own page's
wrong manifests, and that nothing would without it.
"""

ASKED = (
    "02 04 05 06 07 09 10 11 12 13 14 15 16 17 18 20 21 22 23 24 25 26 27 "
    "28 29 30 31 33 34 35 36 37 38 39 41 42 43 44 46 47 48 49 52 53 54 65 66"
)
"""Numbers of the rows whose statements ask for a finding of the linter."""
ROWS: dict[str, tuple[str, ...]] = {
    "C-02": ("GPU205", "GPU403"),
    "C-04": ("GPU101", "GPU102", "GPU104"),
    "C-05": ("GPU105", "GPU106"),
    "C-06": ("GPU201",),
    "C-07": ("GPU202", "GPU203"),
    "C-08": ("GPU210",),
    "C-09": ("GPU103", "GPU213"),
    "C-10": ("GPU204",),
    "C-11": ("GPU405",),
    "C-12": ("GPU402", "GPU404", "GPU406", "GPU407"),
    "C-13": ("GPU401",),
    "C-14": ("GPU409",),
    "C-15": ("GPU311", "GPU312", "GPU313"),
    "C-16": ("GPU404",),
    "C-17": ("GPU304", "GPU305"),
    "C-18": ("GPU304",),
    "C-19": ("GPU302", "GPU306"),
    "C-20": ("GPU301",),
    "C-21": ("GPU603", "GPU604", "GPU605", "GPU606"),
    "C-22": ("GPU601", "GPU602", "GPU609", "GPU610", "GPU619"),
    "C-23": ("GPU602",),
    "C-24": ("GPU501", "GPU502"),
    "C-25": ("GPU503", "GPU504"),
    "C-26": ("GPU505", "GPU507", "GPU508", "GPU509"),
    "C-27": ("GPU512", "GPU514", "GPU515"),
    "C-28": ("GPU510", "GPU511"),
    "C-29": ("GPU516", "GPU517"),
    "C-30": ("GPU801", "GPU802", "GPU809"),
    "C-31": ("GPU810", "GPU811"),
    "C-33": ("GPU722", "GPU723"),
    "C-34": ("GPU721", "GPU729"),
    "C-35": ("GPU908", "GPU909"),
    "C-36": ("GPU701", "GPU702", "GPU703"),
    "C-37": ("GPU711", "GPU712", "GPU713", "GPU714", "GPU715", "GPU716"),
    "C-38": ("GPU751",),
    "C-39": ("GPU107",),
    "C-41": ("GPU108", "GPU907"),
    "C-42": ("GPU901", "GPU902", "GPU903", "GPU904"),
    "C-43": ("GPU905",),
    "C-44": ("GPU906", "GPU614", "GPU915"),
    "C-46": ("GPU615", "GPU616", "GPU617"),
    "C-47": ("GPU611",),
    "C-48": ("GPU612", "GPU618"),
    "C-49": ("GPU806", "GPU807"),
    "C-51": ("GPU728",),
    "C-52": ("GPU910", "GPU911", "GPU912", "GPU914"),
    "C-53": ("GPU916",),
    "C-54": ("GPU206",),
    "C-65": ("GPU209",),
    "C-66": ("GPU615",),
}
