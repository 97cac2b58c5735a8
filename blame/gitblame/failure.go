package gitblame

import (
	"bytes"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Failure is git's refusal of a blame.
type Failure struct {
	Code    int    // git's exit status; -1 when a signal killed it
	Message string // git's own first line without its "fatal: "
	unread  bool   // git could not read an object
}

// Error is git's own message.
func (f *Failure) Error() string {
	if f.Message == "" {
		return "git blame failed and printed nothing"
	}
	return f.Message
}

// NoPath reports that the file to blame is missing, in the revision or in the work tree.
func (f *Failure) NoPath() bool {
	for _, prefix := range []string{"no such path ", "Cannot lstat ", "Cannot stat "} {
		if strings.HasPrefix(f.Message, prefix) {
			return true
		}
	}
	return false
}

// NoCommit reports that HEAD has no commit.
func (f *Failure) NoCommit() bool { return f.Message == "no such ref: HEAD" }

// ExitCode returns git's exit status for the command: 129 for wrong usage, else 128.
func (f *Failure) ExitCode() int {
	if f.Code == usageCode {
		return usageCode
	}
	return fatalCode
}

// The exit statuses of git (git(1)).
const (
	fatalCode = 128
	usageCode = 129
)

// newFailure reads git's messages: the last line has the reason; for wrong usage the first line.
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

// file returns the file whose content git could not read, with the name that it has in that commit.
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
