package blame

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/internal/exit"
)

// Explain returns git's refusal with git's exit status.
func Explain(err error) error {
	var refused *gitblame.Failure
	if !errors.As(err, &refused) {
		return err
	}
	hint := ""
	if form, isUsage := strings.CutPrefix(refused.Message, "usage: git blame "); isUsage {
		err = errors.New("usage: git trace blame " + form)
	}
	switch {
	case refused.ExitCode() == exit.Misuse:
		hint = "git trace help blame says more"
	case refused.NoPath():
		hint = pathHint(refused.Message)
	case refused.NoCommit():
		hint = "there are no commits yet, and no such file in the work tree"
	}
	return exit.Fail(refused.ExitCode(), err, hint)
}

// pathHint returns the hint for git's message about an unknown path.
func pathHint(message string) string {
	_, path, _ := strings.Cut(message, "'")
	if end := strings.LastIndex(path, "'"); end >= 0 {
		path = path[:end]
	}
	if i := strings.LastIndexByte(path, ':'); i > 0 { // FILE:LINE, as editors and compilers write it
		if line, err := strconv.ParseUint(path[i+1:], 10, 31); err == nil {
			return fmt.Sprintf("a line is named by -L: git trace blame -L %d,%d %s", line, line, path[:i])
		}
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "that is a directory; name a file in it"
	}
	return "the path is relative to the current directory; the file must be in that revision or in the work tree"
}
