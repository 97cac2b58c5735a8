package main

import (
	"fmt"
	"os"
	"time"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/view"
)

// tellOffer prints the remote's publications to a user who never pulled, and reports whether there are any. With again
// false, it prints only after a new request to the remote, which happens once a day. It prints nothing if
// git-trace-serve runs the command.
func (a *app) tellOffer(repo *refs.Repo, again bool) bool {
	if os.Getenv(view.Unasked) != "" {
		return false
	}
	offer := sharing.Offered(a.life, repo, time.Now())
	if offer == nil || offer.Writers == 0 || !again && !offer.New {
		return false
	}
	fmt.Fprintf(a.std.err, "git-trace: hint: %s has traces of %s: git trace pull\n", cells.Message(offer.Remote),
		numbers.Count(offer.Writers, "clone"))
	return true
}
