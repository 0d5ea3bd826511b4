"""What is there for start-up time alone. Without it every command does the same, later.

Shares are of the time that the processor spends on one clean manifest (`lint`), or on one spec
(`render`), with the file and without it; docs/decisions.md has the table.

- `process`: `--version` before any import (a fifth of the time), no garbage collection (render: 18 %),
  an end without taking the interpreter apart (lint: 19 %, render: 23 %).
- `quick`: plain arguments of `render`, `lint` and `argocd`, without typer (lint: 46 %, render: 41 %).
- `light`: msgspec without `inspect` (lint: 11 %, render: 13 %).
- `made`: tables and templates' forms that are read and laid out beforehand; they lie in `data/`
  (tables, lint: 11 %, render: 7 %; forms, render: 37 %).
- `sha`: SHA-256 without OpenSSL (lint: 2 %, which keeps it within nine times a bare interpreter).
- `gate`: which rules `render` has to ask (render: 39 %).

The rest knows one function of each: `process.run` and `run_krm` are the programs, `made.made_of` is
asked by tables and templates, `gate.rules` by the façade, `sha.sha256` by digests.
"""
