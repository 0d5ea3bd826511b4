#!/usr/bin/env bash
# Comments on the pull request with its changes. There is one comment, which each push updates; without differences
# none is created. A fork cannot comment: then only the job's summary has the changes.
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
# Without differences, a comment on an earlier push is still updated.
if ((code)); then comment+=(--create-if-none); fi
"${comment[@]}" || ((!code)) || echo "::notice::gpuspec: the comment failed; the job's summary has the changes"
