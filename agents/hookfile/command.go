package hookfile

import (
	"strings"

	"github.com/git-trace/git-trace/agents/shell"
)

// LookedFor is the program in a command that is committed for a team; the command finds it on the PATH.
const LookedFor = "git-trace-hook"

// Command returns the shell command with which an agent calls the program for an event. It is quoted for a POSIX shell.
// If the program is LookedFor and does not exist, the command does nothing, without a message. fish(1) accepts the
// command too.
func Command(binary, agent, event string) string {
	call := shell.Quote(binary) + " hook " + agent + " " + event
	if binary != LookedFor {
		return call
	}
	return ifThere(binary) + call + orElse
}

// ifThere and orElse are the shell text before and after the call of a program that may be missing.
func ifThere(binary string) string {
	return "command -v " + shell.Quote(binary) + " >/dev/null 2>&1 && "
}

const orElse = " || true"

// Call returns the call in a command, without the check around it.
func Call(command string) string {
	rest, looked := strings.CutPrefix(command, "command -v ")
	_, call, found := strings.Cut(rest, " >/dev/null 2>&1 && ")
	if !looked || !found {
		return command
	}
	return strings.TrimSuffix(call, orElse)
}

// ParseCommand parses a command made by Command, in any quoting. It also accepts the form `git trace hook AGENT EVENT`
// that people write by hand; the result `binary` is then "git".
func ParseCommand(command string) (binary, agent, event string, ok bool) {
	words := shell.Words(Call(command))
	if len(words) == 5 && words[0] == "git" && words[1] == "trace" {
		words = append(words[:1], words[2:]...)
	}
	if len(words) != 4 || words[1] != "hook" {
		return "", "", "", false
	}
	return words[0], words[2], words[3], true
}
