package gitblame

import (
	"bytes"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Failure is the error of a git blame that failed.
type Failure struct {
	Code    int    // git's exit status; -1 if a signal killed it
	Message string // git's reason, without "fatal: " or "error: "
	unread  bool   // git could not read an object
}

// Error returns git's own message.
func (f *Failure) Error() string {
	if f.Message == "" {
		return "git blame failed and printed nothing"
	}
	return f.Message
}

// NoPath reports whether the file to blame is missing, in the revision or in the work tree.
func (f *Failure) NoPath() bool {
	for _, prefix := range []string{"no such path ", "Cannot lstat ", "Cannot stat "} {
		if strings.HasPrefix(f.Message, prefix) {
			return true
		}
	}
	return false
}

// NoCommit reports whether HEAD has no commit.
func (f *Failure) NoCommit() bool { return f.Message == "no such ref: HEAD" }

// ExitCode returns the exit status for the command, as git has it: 129 for wrong usage, otherwise 128.
func (f *Failure) ExitCode() int {
	if f.Code == usageCode {
		return usageCode
	}
	return fatalCode
}

// The exit statuses that git uses (git(1)).
const (
	fatalCode = 128
	usageCode = 129
)

// newFailure reads git's messages. The reason is in the last line, or in the first line for wrong usage.
func newFailure(code int, stderr []byte) *Failure {
	message, unread := "", false
	for line := range bytes.Lines(stderr) {
		text := strings.TrimRight(string(line), "\r\n ")
		why, known := cutReason(text)
		unread = unread || known && code != usageCode && refs.NamesUnread(why)
		if message == "" || known {
			message = why
		}
		if code == usageCode && message != "" {
			break
		}
	}
	return &Failure{Code: code, Message: message, unread: unread}
}

// file returns the path, in its commit, of the file that git could not read.
func (f *Failure) file() string {
	if !strings.HasPrefix(f.Message, "Cannot read blob ") {
		return ""
	}
	_, name, _ := strings.Cut(f.Message, " for path ")
	return name
}

func cutReason(line string) (string, bool) {
	for _, prefix := range []string{"fatal: ", "error: "} {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return rest, true
		}
	}
	return line, false
}
