#!/bin/sh
# Writes the report of a pull or merge request. GitHub's action and GitLab's job both run it; docs/ci.md tells how. It
# needs no secret and no right to write. What comes from the contributor comes by the environment, never as text of
# this script.
#
#   REPORT_RANGE   the range, as origin/main...HEAD
#   REPORT_FORK    the address of the repository that the branch comes from; empty for none
#   REPORT_OUT     the file to which the page is added
#   REPORT_LIMIT   how long it may be: what git trace report --max-bytes takes
#   REPORT_FETCHED how much may come from the fork, in bytes; 256m if nothing is said
#   REPORT_PROMPTS none, first or all; none if nothing is said
#   REPORT_SARIF   the file for findings against the policy of the base; empty to check nothing
set -eu
export GIT_TERMINAL_PROMPT=0
if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
	git fetch --quiet --no-tags --unshallow origin
fi
# Each log has one writer and a name of its own, so those of the base and of the fork do not meet. A pull bounds what
# arrives, and what it unpacks to.
git trace pull --records --log -- origin >/dev/null || :
if [ -n "${REPORT_FORK-}" ]; then
	git -c trace.maxFetched="${REPORT_FETCHED:-256m}" trace pull --records --log -- "$REPORT_FORK" >/dev/null || :
fi
page=$(mktemp)
trap 'rm -f "$page"' EXIT
git trace report --max-bytes "${REPORT_LIMIT:-github-summary}" --show-prompts "${REPORT_PROMPTS:-none}" \
	-o "$page" -- "$REPORT_RANGE"
cat "$page" >>"$REPORT_OUT"
if [ -n "${REPORT_SARIF-}" ]; then
	git trace check --format sarif -o "$REPORT_SARIF" -- "$REPORT_RANGE" && exit 0
	status=$?
	git trace check -- "$REPORT_RANGE" >&2 || :
	exit "$status"
fi
