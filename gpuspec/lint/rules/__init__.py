"""Rules, one module each, in a folder for each family; each has its page beside it.

A family is what its rules are about, in five to fifteen of them, and its docstring is its heading
in `docs/rules.md`. Codes and names are for ever, families are not: nothing selects by them.
"""
