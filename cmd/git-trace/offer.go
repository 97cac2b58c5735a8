package main

import (
	"fmt"
	"os"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/view"
)

// tellOffer tells somebody who never pulled what the remote has, and whether there was something to tell. What is not
// told again is told when the remote was asked, once a day. A server that asks for its user is told nothing.
func (a *app) tellOffer(repo *refs.Repo, again bool) bool {
	if os.Getenv(view.Unasked) != "" {
		return false
	}
	offer := sharing.Offered(a.life, repo, time.Now())
	if offer == nil || offer.Writers == 0 || !again && !offer.New {
		return false
	}
	fmt.Fprintf(a.std.err, "git-trace: hint: %s has traces of %s: git trace pull\n", printable(offer.Remote),
		plural(offer.Writers, "clone"))
	return true
}
