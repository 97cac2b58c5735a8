package shared

import (
	"cmp"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/checkpoint"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/sharing"
)

// Events lists events that somebody may have written in this clone's name. It shows the first ones, and counts the
// others.
func Events(w io.Writer, all []events.Event) {
	const most = 10
	for i, e := range all {
		if i == most {
			fmt.Fprintf(w, "  and %s more\n", numbers.Thousands(len(all)-most))
			return
		}
		fmt.Fprintf(w, "  %s %s  %s", numbers.Thousands(int(e.Seq)), e.Time.Local().Format("2006-01-02 15:04"),
			cells.Message(string(e.Type)))
		if e.Agent != "" {
			fmt.Fprintf(w, " of %s", cells.Message(e.Agent))
		}
		if e.Type == events.CommitAnchored {
			data := events.DataOf[events.CommitData](e)
			fmt.Fprintf(w, " %.12s: %s", data.Commit, numbers.Count(data.Added, "line"))
			for _, o := range data.Owners {
				if o.Agent != "" {
					fmt.Fprintf(w, ", %s", cells.Message(o.Agent))
				}
			}
		}
		fmt.Fprintln(w)
	}
}

// mostTold limits the refused logs that are named.
const mostTold = 10

// Pulled prints the data that came from a remote.
func Pulled(w io.Writer, p *sharing.Pulled) {
	commits, conversations, texts, writers := 0, 0, 0, map[string]sharing.PulledWriter{}
	for _, o := range p.Writers {
		if o.LeftOut != "" && !o.Kept {
			continue
		}
		known := writers[o.Writer] // a whole log contains the events of its digest
		commits += max(0, o.Commits-known.Commits)
		conversations += max(0, o.Conversations-known.Conversations)
		texts += o.Records
		known.Commits, known.Conversations = max(known.Commits, o.Commits), max(known.Conversations, o.Conversations)
		writers[o.Writer] = known
	}
	fmt.Fprintf(w, "%s: %s, %s, %s", cells.Message(p.Remote), numbers.Count(len(writers), "writer"),
		numbers.Count(commits, "commit"),
		numbers.Count(conversations, "conversation"))
	if texts > 0 {
		fmt.Fprintf(w, " (%s)", numbers.Count(texts, "text"))
	}
	if p.Changed == 0 {
		fmt.Fprint(w, "; nothing new")
	}
	fmt.Fprintln(w)
	told := 0
	for _, o := range p.Writers {
		if o.LeftOut != "" {
			told++
		}
		switch {
		case o.LeftOut != "" && told > mostTold:
		case o.Kept:
			fmt.Fprintf(w, "  not taken: %s: %s\n", cells.Message(o.Ref), cells.Message(o.LeftOut))
		case o.LeftOut != "":
			fmt.Fprintf(w, "  left out: %s: %s\n", cells.Message(o.Ref), cells.Message(o.LeftOut))
		}
		if o.Anew {
			fmt.Fprintf(w, "  started again: %s: its writer removed something from it\n", cells.Message(o.Ref))
		}
	}
	if told > mostTold {
		fmt.Fprintf(w, "  and %s more; git trace verify --fetched names them\n", numbers.Thousands(told-mostTold))
	}
	for i, d := range p.Doubts {
		if i == mostTold {
			fmt.Fprintf(w, "  and %s more in doubt\n", numbers.Thousands(len(p.Doubts)-mostTold))
			break
		}
		fmt.Fprintf(w, "  in doubt: %s\n", d)
	}
}

// FetchedLog describes the state of a fetched log in one line.
func FetchedLog(s sharing.FetchedState) string {
	who := cmp.Or(s.Remote, "set aside") + " " + s.Writer
	if s.Own {
		who += " (this clone)"
	}
	if s.Why != "" {
		return cells.Message(who + ": left out: " + s.Why)
	}
	text := who + ": consistent, " + numbers.Count(int(s.Events), "event")
	text += map[bool]string{true: " of a digest, ", false: " of the whole log, "}[s.Digest]
	switch s.Signed {
	case checkpoint.Good:
		text += "signed by " + s.Signer
		if !s.Digest && s.Made.Seq < s.Events {
			text += fmt.Sprintf(" up to event %d", s.Made.Seq)
		}
	case checkpoint.Unsigned:
		text += "not signed"
	default:
		text += "its signature does not count: " + string(s.Signed)
	}
	if !s.Published.IsZero() {
		text += ", of " + s.Published.Local().Format("2 Jan 2006")
	}
	if s.Witnessed > 0 {
		text += fmt.Sprintf(", others saw event %d", s.Witnessed)
	}
	return cells.Message(text)
}

// Kept lists the first clones, and counts the others.
func Kept(w io.Writer, k *sharing.Keeping) {
	const most = 10
	for i, one := range k.Writers {
		if i == most {
			fmt.Fprintf(w, "  and %s more\n", numbers.Thousands(len(k.Writers)-most))
			return
		}
		texts := "no texts"
		if one.Texts {
			texts = "with texts"
		}
		fmt.Fprintf(w, "  %s  %s, %s, published last on %s\n", one.Writer, numbers.Count(one.Commits, "commit"), texts,
			one.Last.Local().Format("2 Jan 2006"))
	}
}
