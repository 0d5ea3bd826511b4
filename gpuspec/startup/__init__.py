"""Code that only shortens the start-up time. Without it, every command does the same, but later.

What each is worth stands in a table of docs/decisions.md.

- `process`: `--version` before any import, no garbage collection, an end without taking the
  interpreter apart.
- `quick`: plain arguments of `render`, `lint` and `argocd`, without typer.
- `light`: msgspec without `inspect`, PyYAML without patterns that nobody asks for.
- `made`: tables and templates' forms that are read and laid out beforehand; they lie in `data/`.
- `sha`: SHA-256 without OpenSSL.
- `gate`: which rules `render` has to ask.

The rest knows one function of each: `process.run` and `run_krm` are the programs, `made.made_of` is
asked by tables and templates, `gate.rules` by the façade, `sha.sha256` by digests.
"""
