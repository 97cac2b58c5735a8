package intake

import (
	"fmt"
	"io"

	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
)

// `unread` reports the unreadable parts of a history: the first commits by id, then only the number.
type unread struct {
	w       io.Writer
	commits int
	partial bool // this is a partial clone
}

// `note` notes the parts of a commit that could not be read.
func (u *unread) note(c *history.Commit) {
	if len(c.Unread) == 0 {
		return
	}
	const most = 10
	if u.commits++; u.commits > most {
		return
	}
	for i := range c.Unread[:min(len(c.Unread), most)] {
		part := &c.Unread[i]
		text := fmt.Sprintf("commit %.8s", c.ID)
		if part.Path != "" {
			text += ": " + part.Path
		}
		text += ": " + part.Cause.Error()
		if !part.Object.IsZero() {
			text += " (" + part.Object.String() + ")"
		}
		fmt.Fprintf(u.w, "git-trace: warning: %s\n", cells.Message(text))
	}
}

// fault returns the error of a command that left out unreadable parts.
func (u *unread) fault() error {
	if u.commits == 0 {
		return nil
	}
	if u.partial {
		return exit.Fail(exit.Unchecked, fmt.Errorf("%s could not be read whole: this is a partial clone",
			numbers.Count(u.commits, "commit")),
			"git fetch --refetch --no-filter brings what is missing; all else is done")
	}
	return exit.Fail(exit.Unchecked, fmt.Errorf("%s could not be read whole", numbers.Count(u.commits, "commit")),
		"git fsck names what is damaged or missing; all else is done")
}
