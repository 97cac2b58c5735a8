package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// git-trace's own programs may run at the same time as an agent whose commit called a hook. They have the agent's
// environment, but do not write to the work tree. Two marks identify them, at any path and in any version: their
// process name, and a variable in the environment of all processes that a hook starts.

// `own` lists the names of the programs.
var own = map[string]bool{"git-trace": true, "git-trace-hook": true, "git-trace-serve": true}

// ownMark is the beginning of the variable. The process id of the hook follows it.
const ownMark = "GITTRACE_OWN="

// MarkOwn marks this process, and all processes that it starts from now on.
func MarkOwn() {
	if name := strings.TrimSuffix(ownMark, "="); os.Getenv(name) == "" {
		_ = os.Setenv(name, strconv.Itoa(os.Getpid())) // if this fails, the process name still identifies it
	}
	if !own[strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")] {
		rename("git-trace")
	}
}

// Marked returns the environment for a background process of git-trace.
func Marked(env []string) []string { return append(env, ownMark+strconv.Itoa(os.Getpid())) }

// `behind` reports whether an environment belongs to a process that a hook of git-trace started.
func behind(environ []byte) bool {
	return bytes.HasPrefix(environ, []byte(ownMark)) || bytes.Contains(environ, []byte("\x00"+ownMark))
}

// `Behind` reports whether a hook of git-trace started this process. The caller of the hook does not wait for such a
// process.
func Behind() bool {
	value := os.Getenv(strings.TrimSuffix(ownMark, "="))
	return value != "" && value != strconv.Itoa(os.Getpid())
}
