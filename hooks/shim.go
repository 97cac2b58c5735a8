package hooks

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/shell"
	"github.com/git-trace/git-trace/hooks/runner"
)

// version of the texts below. A block with another version is reported as stale, and an install replaces it.
const version = 4

// part is the content of our block in one hook file.
type part struct {
	hook   string
	kind   kind
	binary string // absolute path of git-trace; empty in a hook that only runs another hook
	next   string // shell word for the hook that runs next (chain, source, forward)
}

const purpose = `: put here by "git trace init", taken out by "git trace uninstall".`

// locate finds the common git directory without starting a process (gitrepository-layout(5)). Hooks run at the top of
// the work tree, or in the git directory of a bare repository. GIT_DIR is set for some hooks only. In linked work trees
// and submodules, .git is a file. A linked work tree names the common directory in "commondir".
const locate = `# Starts no process where nothing is traced, never fails, and prints nothing.
git_trace_dir=${GIT_COMMON_DIR-} git_trace_line=
if [ -z "$git_trace_dir" ]; then
	git_trace_dir=${GIT_DIR:-.git}
	if [ -f "$git_trace_dir" ]; then
		IFS= read -r git_trace_line <"$git_trace_dir" || :
		git_trace_dir=${git_trace_line#gitdir: }
	fi
	[ -d "$git_trace_dir" ] || git_trace_dir=.
	if [ -f "$git_trace_dir/commondir" ]; then
		IFS= read -r git_trace_line <"$git_trace_dir/commondir" || :
		case $git_trace_line in
		/* | ?:*) git_trace_dir=$git_trace_line ;;
		*) git_trace_dir=$git_trace_dir/$git_trace_line ;;
		esac
	fi
fi
`

const traced = `[ -d "$git_trace_dir/traces" ] && [ ! -e "$git_trace_dir/traces/` + offName + `" ]`

// offName is the file in <common>/traces that disables hooks which must stay for other repositories.
const offName = "hooks.off"

const program = `	git_trace_bin=@BINARY@
	[ -x "$git_trace_bin" ] || git_trace_bin=git-trace
`

// call runs git-trace. The braces suppress the shell's message if the program is missing or was killed.
const call = locate + `if ` + traced + `; then
` + program + `	{ "$git_trace_bin" git-hook @HOOK@ ${1+"$@"}; } @STDIN@>/dev/null 2>&1 || :
fi
` + tidy

// callTold is call with the process id of git. Work that starts before a push waits until git has ended. Patches that
// the same process applies belong together (package correlate).
const callTold = locate + `if ` + traced + `; then
` + program + `	{ GITTRACE_GIT_PID=$PPID "$git_trace_bin" git-hook @HOOK@ ${1+"$@"}; } @STDIN@>/dev/null 2>&1 || :
fi
` + tidy

// callSeen is call for a commit. It also tests whether git's messages go to a terminal, where a person may read ours.
const callSeen = locate + `if ` + traced + `; then
` + program + `	git_trace_seen=
	[ ! -t 2 ] || git_trace_seen=1
	{ ` + runner.SeenEnv + `=$git_trace_seen "$git_trace_bin" git-hook @HOOK@ ${1+"$@"}; } @STDIN@>/dev/null 2>&1 || :
	unset git_trace_seen || :
fi
` + tidy

// callFed is call for a hook that shares its standard input with another hook: both get all of it. The script starts
// itself again with a copy of its input, and marks this call by an argument. A mark in the environment could get lost,
// and then the script would start itself without end. A here-document needs a temporary file in some shells. The input
// is lines of ids, which every echo prints unchanged. In some shells printf is a program, whose arguments are limited
// in length.
const callFed = `if [ "${1-}" = --git-trace-fed ]; then
	shift
else
` + locate + `if ` + traced + `; then
` + program + `	git_trace_in=$(cat)
	{ echo "$git_trace_in" | "$git_trace_bin" git-hook @HOOK@ ${1+"$@"}; } >/dev/null 2>&1 || :
	{ [ -z "$git_trace_in" ] || echo "$git_trace_in" 2>/dev/null; } | "$0" --git-trace-fed ${1+"$@"}
	exit
fi
` + tidy + `fi
`

const tidy = `unset git_trace_dir git_trace_line git_trace_bin || :
`

// handOver runs the other hook as git would: only if it exists and is executable, in the same directory, with the same
// arguments and standard input. Its exit status becomes the status of the hook.
const handOver = `git_trace_next=@NEXT@
if [ -f "$git_trace_next" ] && [ -x "$git_trace_next" ]; then
	exec "$git_trace_next" ${1+"$@"}
fi
`

const readIn = `git_trace_next=@NEXT@
if [ -f "$git_trace_next" ] && [ -x "$git_trace_next" ]; then
	. "$git_trace_next"
fi
`

// readsInput reports whether git-trace reads the standard input that a hook gets from git (githooks(5)).
func readsInput(hook string) bool { return hook == "post-rewrite" }

// text returns the block with its markers, in POSIX shell. It works in scripts that run under `set -e` and `set -u`.
func (p part) text() []byte {
	var b strings.Builder
	b.WriteString(marks.Begin + "\n# version " + strconv.Itoa(version) + ", " + string(p.kind) + purpose + "\n")
	stdin := "</dev/null "
	if readsInput(p.hook) {
		stdin = ""
	}
	switch {
	case p.binary == "":
	case readsInput(p.hook) && p.kind != own:
		b.WriteString(callFed)
	case p.hook == "post-applypatch", p.hook == PushHook:
		b.WriteString(callTold)
	case p.hook == "post-commit":
		b.WriteString(callSeen)
	default:
		b.WriteString(call)
	}
	switch p.kind {
	case chain, forward:
		b.WriteString(handOver)
	case source:
		b.WriteString(readIn)
	}
	b.WriteString(marks.End + "\n")
	return []byte(strings.NewReplacer(
		"@BINARY@", shell.Quote(filepath.ToSlash(p.binary)), "@HOOK@", p.hook, "@STDIN@", stdin, "@NEXT@", p.next,
	).Replace(b.String()))
}

// file returns a whole hook file that is ours, with the given "#!" line.
func (p part) file(shebang string) []byte {
	return append([]byte(shebang), p.text()...)
}

// plainShebang is the first line of hook files that are only ours.
const plainShebang = "#!/bin/sh\n"

// binaryOf returns the path of git-trace that a block starts, or "".
func (b *block) binaryOf() string {
	words := shell.Words(b.lineAfter("\tgit_trace_bin="))
	if len(words) != 1 {
		return ""
	}
	return words[0]
}
