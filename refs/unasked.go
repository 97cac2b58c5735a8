package refs

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// StartNothing stops git processes for this repository from starting programs that its configuration or its hooks name.
// It is for answers that nobody requested, such as an editor's hints. It switches off filters and hooks by settings in
// the environment (git-config(1)), and conversions of diffs by options. Programs that verify signatures are started
// only if the user's own configuration names them. Objects that a partial clone left on its remote are not fetched.
func (r *Repo) StartNothing(ctx context.Context) error {
	list, err := r.Git(ctx, nil, "config", "--list", "--show-scope", "--name-only", "-z")
	if err != nil {
		return fmt.Errorf("list settings: %w", err)
	}
	off := [][2]string{{"core.fsmonitor", "false"}, {"core.hooksPath", os.DevNull}}
	words := strings.Split(string(list), "\x00")
	for i := 0; i+1 < len(words); i += 2 { // the scope comes before the name
		theirs := words[i] == "local" || words[i] == "worktree"
		if value, starts := instead(words[i+1], theirs); starts {
			off = append(off, [2]string{words[i+1], value})
		}
	}
	count, _ := strconv.Atoi(os.Getenv("GIT_CONFIG_COUNT")) // git rejects an invalid number, and then the call fails
	env := []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_CONFIG_COUNT=" + strconv.Itoa(count+len(off))}
	for i, setting := range off {
		n := strconv.Itoa(count + i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+setting[0], "GIT_CONFIG_VALUE_"+n+"="+setting[1])
	}
	r.unasked = &settled{env}
	return nil
}

// settled holds additional environment variables for git processes.
type settled struct{ env []string }

func (s *settled) all() []string {
	if s == nil {
		return nil
	}
	return s.env
}

// `instead` returns a harmless value for a setting that may start a program. It does this for filters
// (gitattributes(5)) from any source, and for programs that verify signatures if the repository itself names them.
func instead(name string, theirs bool) (value string, starts bool) {
	section, rest, _ := strings.Cut(name, ".")
	switch key := rest[strings.LastIndexByte(rest, '.')+1:]; section {
	case "filter":
		if key == "required" {
			return "false", true
		}
		return "", key == "clean" || key == "smudge" || key == "process"
	case "gpg":
		programs := map[string]string{"ssh.program": "ssh-keygen", "x509.program": "gpgsm", "program": "gpg",
			"openpgp.program": "gpg"}
		value, starts = programs[rest]
		return value, starts && theirs
	}
	return "", false
}

// `quiet` adds options so that git's commands do not convert the contents that they compare.
func (r *Repo) quiet(args []string) []string {
	if r.unasked == nil || slices.Contains(args, "--git-completion-helper") { // git then compares nothing
		return args
	}
	var options []string
	verb := verbOf(args)
	switch verb {
	case "blame":
		options = []string{"--no-textconv"}
	case "diff", "log", "show", "diff-tree", "diff-index", "diff-files":
		options = []string{"--no-textconv", "--no-ext-diff"}
	default:
		return args
	}
	for i, arg := range args {
		if arg == verb {
			return append(append(append([]string{}, args[:i+1]...), options...), args[i+1:]...)
		}
	}
	return args
}
