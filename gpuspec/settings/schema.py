"""The JSON Schema of a configuration, for editors."""

from typing import Any

import msgspec

from gpuspec.settings.config import Config


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of `.gpuspec.yaml`, and of `[tool.gpuspec]`."""
    schema = msgspec.json.schema(Config)
    definitions: dict[str, Any] = schema["$defs"]
    root = definitions.pop(Config.__name__)
    root["description"] = "The linter's settings of a repository."
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, **root, "$defs": definitions}
