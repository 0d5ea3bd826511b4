#!/usr/bin/env bash
# Says on the pull request what it changes. The comment is one, and is written anew with each push;
# without differences none is made. Forks cannot comment: then the job's summary has it.
set -euo pipefail

git cat-file -e "$BASE^{commit}" 2>/dev/null || git fetch --quiet --no-tags --depth=1 origin "$BASE"
options=(--format markdown -o "$RUNNER_TEMP/gpuspec-diff.md")
[[ -z $PROFILE ]] || options+=(--cluster "$PROFILE")

code=0
gpuspec diff "$BASE:./$LOOK_AT" "$LOOK_AT" "${options[@]}" || code=$?
((code < 2)) || exit "$code"
cat "$RUNNER_TEMP/gpuspec-diff.md" >>"$GITHUB_STEP_SUMMARY"
if ((code)); then echo "differences=true"; else echo "differences=false"; fi >>"$GITHUB_OUTPUT"

comment=(gh pr comment "$NUMBER" --edit-last --body-file "$RUNNER_TEMP/gpuspec-diff.md")
# What was said of an earlier push must not stand when nothing is left of it.
if ((code)); then comment+=(--create-if-none); fi
"${comment[@]}" || ((!code)) || echo "::notice::gpuspec: no comment was made; the job's summary has it"
