#!/usr/bin/env bash
# Lints, and writes the findings for readers (the log, annotations, the job's summary) and for code scanning
# (gpuspec.sarif). Findings do not fail the job here: they have to be uploaded first.
set -euo pipefail

options=()
[[ -z $SEVERITY ]] || options+=(--severity "$SEVERITY")
[[ -z $PROFILE ]] || options+=(--cluster "$PROFILE")
if [[ $FAIL_ON == never ]]; then options+=(--exit-zero); else options+=(--fail-on "$FAIL_ON"); fi

code=0
gpuspec lint "$LOOK_AT" --allow-empty "${options[@]}" --format sarif -o gpuspec.sarif \
    --format markdown -o "$RUNNER_TEMP/gpuspec-lint.md" --format text || code=$?
# 1 means findings; a higher code means that nothing was linted.
((code < 2)) || exit "$code"
cat "$RUNNER_TEMP/gpuspec-lint.md" >>"$GITHUB_STEP_SUMMARY"
if ((code)); then echo "findings=true"; else echo "findings=false"; fi >>"$GITHUB_OUTPUT"
