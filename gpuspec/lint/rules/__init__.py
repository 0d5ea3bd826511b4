"""Rules, one module each, in a folder for each family; each has its page beside it.

A family has one subject and five to fifteen rules, and its docstring is its heading in
`docs/rules.md`. Codes and names are stable, families are not: nothing selects by them.
"""
