#!/bin/sh
# Prepares a machine that goes with an agent's work: a cloud session, a background agent, a job.
#
#   sh setup.sh LEVEL [REMOTE [OPTION…]]     from a work tree; README.md beside it says where to call it
#
# LEVEL is commits, conversations or log. A level that the clone has already stays. OPTIONs are those of git trace init,
# where the machine does not tell the agent. It may run twice.
set -eu
die() { echo "setup.sh: $*" >&2; exit 1; }
level=${1-} remote=${2:-origin}
shift $(($# < 2 ? $# : 2))
case $level in commits | conversations | log) ;; *) die "name a level: commits, conversations or log" ;; esac
url=$(git remote get-url --push "$remote") || die "there is no remote '$remote'"

if ! command -v git-trace >/dev/null || ! command -v git-trace-hook >/dev/null; then
  command -v go >/dev/null || die "install git-trace in the image, or Go"
  go install github.com/git-trace/git-trace/cmd/git-trace@latest github.com/git-trace/git-trace/cmd/git-trace-hook@latest
  PATH=$PATH:$(go env GOPATH)/bin
fi
if [ -z "$(git config --local "remote.$remote.traceShare" || :)" ]; then
  git config --local "remote.$remote.traceShare" "$level"
fi
# The machine's address of the remote is often a proxy's, another one each time.
git config --local "remote.$remote.traceUrl" "$(printf %s "$url" | sed 's#^\(https\{0,1\}://\)[^/@]*@#\1#')"
git config --local trace.autoPush true
if [ -n "${GITHUB_ENV-}" ]; then
  echo GITTRACE_ELSEWHERE=1 >>"$GITHUB_ENV"
fi
if [ $# -eq 0 ]; then
  if [ "${CLAUDE_CODE_REMOTE-}" = true ]; then
    set -- --agent claude-code
  elif [ "${GITHUB_JOB-}" = copilot-setup-steps ]; then
    set -- --agent copilot-cli
  fi
  if git grep -q git-trace-hook -- .claude .codex .cursor .github/hooks .gemini .qwen; then
    set -- "$@" --project-settings # otherwise each hook would be there twice
  fi
fi
git-trace init "$@"
