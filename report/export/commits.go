package export

import (
	"bufio"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/internal/version"
	"github.com/git-trace/git-trace/records/agenttrace"
	"github.com/git-trace/git-trace/records/gitai"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/exchange"
	"github.com/git-trace/git-trace/view/lookup"
)

// historyGrowth is the percentage by which memory may grow between two garbage collections while a history is read.
const historyGrowth = 100

// history lists the requested commits.
func (e *Exporter) history() ([]history.Commit, error) {
	debug.SetGCPercent(historyGrowth)
	if len(e.Traces) > 0 {
		list := make([]view.Conversation, 0, len(e.Traces))
		for _, trace := range e.Traces {
			one, _, err := e.Known.Conversation(trace)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
		if err := e.Known.Complete(e.ctx, list); err != nil {
			return nil, err
		}
		args := []string{"--no-walk=unsorted"}
		for i := range list {
			for _, held := range list[i].Commits {
				args = append(args, held.Commit.String())
			}
		}
		if len(args) == 1 {
			return nil, nil
		}
		return history.List(e.ctx, e.Repo, append(args, "--ignore-missing", "--")...)
	}
	if len(e.revs) == 0 {
		if head, _, err := e.Repo.Head(); err == nil && head.IsZero() {
			return nil, nil
		}
	}
	if e.Known.Untraced() { // git still checks the revisions
		_, err := lookup.Commits(e.ctx, e.Repo, e.revs, false, "--max-count=0")
		return nil, err
	}
	return history.List(e.ctx, e.Repo, append(slices.Clone(e.revs), "--")...)
}

// Commits writes the owners of each commit's lines.
func (e *Exporter) Commits(asNotes bool) error {
	list, err := e.history()
	if err != nil {
		return err
	}
	var notes *gitai.NotesWriter
	if asNotes {
		if notes, err = gitai.NewNotesWriter(e.ctx, e.Repo); err != nil {
			return err
		}
	}
	out := bufio.NewWriter(e.Out)
	objects := e.Repo.Objects()
	defer objects.Close()
	told := 0
	err = e.Known.Commits(list, func(c *history.Commit, data *events.CommitData) error {
		e.leave(c)
		e.only(data)
		if !slices.ContainsFunc(data.Owners, func(o events.AnchorOwner) bool { return o.Kind != events.OwnerUnknown }) {
			return nil
		}
		told++
		if e.Format.Name == gitai.Name {
			return e.note(c, data, notes, out)
		}
		content := addedLines(c)
		if c.Cut() {
			content = view.Content(objects, c.ID)
		}
		record, err := agenttrace.FromCommit(data, c.Committed, version.Number, content)
		if err != nil {
			return err
		}
		return agenttrace.Write(out, record)
	})
	if err == nil && notes != nil {
		if err = notes.Done(); err == nil && told > 0 {
			fmt.Fprintf(e.Out, "%s under %s\n", numbers.Count(notes.Count, "note"), gitai.NotesRef)
		}
	}
	if err = errors.Join(err, out.Flush()); err == nil && told == 0 {
		fmt.Fprintln(e.Err,
			"git-trace: hint: the owners of these commits' lines are unknown (git trace backfill searches old session files)")
	}
	return err
}

// addedLines returns the lines that a commit added, each at its line number. All other lines are empty: the format says
// nothing about them.
func addedLines(c *history.Commit) agenttrace.Source {
	files := make(map[string]*history.File, len(c.Files))
	for i := range c.Files {
		files[c.Files[i].Path] = &c.Files[i]
	}
	return func(path string) ([]string, error) {
		var lines []string
		if f := files[path]; f != nil {
			for _, h := range f.Hunks {
				end := h.NewStart - 1 + len(h.Added)
				lines = append(lines, make([]string, max(0, end-len(lines)))...)
				for n, line := range h.Added {
					lines[h.NewStart-1+n] = string(line)
				}
			}
		}
		return lines, nil
	}
}

// `only` removes the lines of conversations that were not named.
func (e *Exporter) only(data *events.CommitData) {
	if len(e.Traces) == 0 {
		return
	}
	for i := range data.Owners {
		if !slices.Contains(e.Traces, data.Owners[i].Trace) {
			data.Owners[i] = events.AnchorOwner{Kind: events.OwnerUnknown}
		}
	}
}

func (e *Exporter) note(c *history.Commit, data *events.CommitData, notes *gitai.NotesWriter, out *bufio.Writer) error {
	note, leftOut := gitai.FromCommit(data, c.Author)
	if leftOut > 0 {
		fmt.Fprintf(e.Err, "git-trace: warning: %s: a note cannot hold the %s of %s\n",
			c.ID, numbers.Agree(leftOut, "name", "names"), numbers.Count(leftOut, "file"))
	}
	text, err := note.Bytes()
	if err != nil {
		return err
	}
	if notes != nil {
		notes.Write(c.ID, text)
		return nil
	}
	line, err := terminal.JSONLine(exchange.Note{Commit: c.ID.String(), Note: string(text)})
	if err != nil {
		return err
	}
	_, err = out.Write(append(line, '\n'))
	return err
}
