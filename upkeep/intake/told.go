package intake

import (
	"bufio"
	"errors"
	"fmt"
	"time"

	"github.com/git-trace/git-trace/correlate/backfill"
	"github.com/git-trace/git-trace/correlate/claim"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/upkeep/testimony"
	"github.com/git-trace/git-trace/view"
)

// backfillSchema names the schema of a line of the JSON output; docs/schema/backfill-1.schema.json describes it.
const backfillSchema = "git-trace.backfill/1"

// tell appends the claims to the log and prints them.
func (b *Filler) tell(claims []claim.Commit) error {
	reader, err := b.Open(b.ctx, b.Repo, view.Options{LogOnly: true})
	if err != nil {
		return err
	}
	defer reader.Close()
	owners := testimony.NewOwners(b.ctx, reader)
	out := bufio.NewWriter(terminal.Quietly(b.Out))
	log := events.OpenLog(b.Repo)
	b.linked = map[events.TraceID]bool{}
	var drafts []events.Draft
	var rows [][]byte
	flush := func() error { // writes to the log first, then to the output
		if !b.Dry {
			if err := b.keeper.List(b.linked); err != nil {
				return exit.Fail(exit.Unchecked, err, "")
			}
			if err := testimony.AppendDrafts(b.ctx, log, drafts); err != nil {
				return exit.Fail(exit.Unchecked, err, "what is written so far stays; run it again to continue")
			}
		}
		for _, row := range rows {
			if b.rows++; b.brief && b.rows > mostRows {
				continue
			}
			if _, err := out.Write(append(row, '\n')); err != nil {
				return err
			}
		}
		drafts, rows = drafts[:0], rows[:0]
		return nil
	}
	for i := range claims {
		c := &claims[i]
		if !b.asked[c.Commit] {
			continue
		}
		if c.Anchored, err = owners.Anchored(c.Commit); err != nil {
			return err
		}
		if err := c.Fill(owners.Unknown(c.Commit), owners.Dispute(c.Commit)); err != nil {
			return err
		}
		links := backfill.Links(c)
		if len(links) == 0 {
			continue
		}
		for _, l := range links {
			if !b.linked[l.Trace] {
				begun, err := b.keeper.Begin(reader.Log(), l.Trace)
				if err != nil {
					return err
				}
				drafts = append(drafts, begun...)
			}
			row, err := b.row(&l)
			if err != nil {
				return err
			}
			rows = append(rows, row)
			b.lines += l.Lines
		}
		more, err := c.Drafts(events.Backfill, time.Now())
		if err != nil {
			return err
		}
		drafts = append(drafts, more...)
		b.filled++
		const batch = 100
		if len(drafts) >= batch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return errors.Join(flush(), out.Flush())
}

// mostRows is the number of rows that a terminal gets.
const mostRows = 20

// `sum` prints a summary for people.
func (b *Filler) sum() error {
	verb := "written"
	if b.Dry {
		verb = "would be written"
	}
	text := fmt.Sprintf("%s of %s from %s %s", numbers.Count(b.lines, "line"), numbers.Count(b.filled, "commit"),
		numbers.Count(len(b.linked), "conversation"), verb)
	if b.filled == 0 {
		text = "nothing to do: the owners of these conversations' lines are known"
		switch {
		case len(b.asked) == 0 && len(b.lost) == 0:
			text = "nothing to do: the range has no commit"
		case !b.found:
			text = "nothing to do: no session file of an agent was found (--transcripts <dir> names more)"
		}
	}
	w := b.Out
	if b.JSON {
		w = b.Err
		text = "git-trace: hint: " + text
	}
	if b.brief && b.rows > mostRows {
		text = fmt.Sprintf("and %s more; git trace log lists the conversations\n%s", numbers.Count(b.rows-mostRows, "row"),
			text)
	}
	if _, err := fmt.Fprintln(terminal.Quietly(w), text); err != nil {
		return err
	}
	if n := b.unseen(); n > 0 {
		fmt.Fprintf(b.Err,
			"git-trace: hint: %s of these conversations may have written files in ways that a session file does not show "+
				"(scripts, formatters); those lines stay unknown\n",
			numbers.Count(n, "command"))
	}
	return nil
}

// `unseen` counts the commands of linked conversations that may have written lines which the transcript does not show.
func (b *Filler) unseen() int {
	n := 0
	for trace := range b.linked {
		n += b.keeper.Unseen(trace)
	}
	return n
}

// row returns a link as a line of the output.
func (b *Filler) row(l *backfill.Link) ([]byte, error) {
	b.linked[l.Trace] = true
	if b.JSON {
		return terminal.JSONLine(struct {
			Schema string `json:"schema"`
			*backfill.Link
		}{backfillSchema, l})
	}
	const id = 8 // enough digits of an id to show
	trace := string(l.Trace)
	text := fmt.Sprintf("%.8s  %-20s %-6s %12s in %s", l.Commit, cells.Message(l.Agent+" "+trace[:min(len(trace), id)]),
		l.Confidence, numbers.Count(l.Lines, "line"), numbers.Count(l.Files, "file"))
	return []byte(text), nil
}
