#!/usr/bin/env bash
# Installs gpuspec into an environment of its own and puts it on the job's path.
set -euo pipefail

home=$RUNNER_TEMP/gpuspec
python3 -m venv "$home"
"$home/bin/pip" install --quiet --disable-pip-version-check "${INSTALL:-$ACTION}"
echo "$home/bin" >>"$GITHUB_PATH"
