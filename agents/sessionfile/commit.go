package sessionfile

import (
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/records/assemble"
)

// Committed finds the commit that a command made, in git's output: [main 07d0fb2] message.
func Committed(command, output string) *assemble.Commit {
	if !strings.Contains(command, "git") || !strings.Contains(command, "commit") {
		return nil
	}
	var commit *assemble.Commit
	for line := range strings.Lines(output) {
		rest, found := strings.CutPrefix(line, "[")
		head, _, closed := strings.Cut(rest, "] ")
		if !found || !closed {
			continue
		}
		words := strings.Fields(head)
		if len(words) < 2 || len(words) > 4 || len(words[len(words)-1]) < 7 || !ObjectName(words[len(words)-1]) {
			continue
		}
		commit = &assemble.Commit{SHA: words[len(words)-1], Kind: "committed"}
		if words[0] != "detached" {
			commit.Branch = payload.Name(words[0])
		}
		if strings.Contains(command, "--amend") {
			commit.Kind = "amended"
		}
	}
	return commit
}

// ObjectName reports whether a text can be the id of a git object, full or abbreviated.
func ObjectName(text string) bool {
	if len(text) < 4 || len(text) > 64 {
		return false
	}
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
