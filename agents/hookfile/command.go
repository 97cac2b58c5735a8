package hookfile

import "github.com/git-trace/git-trace/agents/shell"

// Command is the shell command by which an agent calls the program for an event. It is quoted for a POSIX shell.
func Command(binary, agent, event string) string {
	return shell.Quote(binary) + " hook " + agent + " " + event
}

// ParseCommand takes apart what Command wrote, in whatever quoting. It also takes the form `git trace hook AGENT EVENT`
// that people write by hand, whose binary is "git".
func ParseCommand(command string) (binary, agent, event string, ok bool) {
	words := shell.Words(command)
	if len(words) == 5 && words[0] == "git" && words[1] == "trace" {
		words = append(words[:1], words[2:]...)
	}
	if len(words) != 4 || words[1] != "hook" {
		return "", "", "", false
	}
	return words[0], words[2], words[3], true
}
