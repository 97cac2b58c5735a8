package steering

import (
	"slices"
	"strconv"

	"github.com/git-trace/git-trace/records/treetrace"
)

func counted(n int) string { return strconv.Itoa(n) }

// lines sums up the fate of the turn's lines; nil if it is unknown.
func (t *turn) lines() *treetrace.Lines {
	var out *treetrace.Lines
	for _, c := range t.changes {
		if c.patch == nil || c.patch.Fate == nil {
			continue
		}
		if out == nil {
			out = &treetrace.Lines{}
		}
		f := c.patch.Fate
		out.Added += c.added
		out.Alive += f.Alive
		out.Changed += f.Changed
		out.Reverted += f.Reverted
		out.Lost += f.Lost
		out.Uncommitted += f.Uncommitted
	}
	return out
}

func (t *turn) sum(of func(*Fate) int) int {
	n := 0
	for _, c := range t.changes {
		if c.patch != nil && c.patch.Fate != nil {
			n += of(c.patch.Fate)
		}
	}
	return n
}

// `dropped` returns the number of lines that were removed before any commit; human returns the number of lines that
// people changed.
func (t *turn) dropped() int { return t.sum(func(f *Fate) int { return f.Dropped }) }
func (t *turn) human() int   { return t.sum(func(f *Fate) int { return f.Human }) }

// commits returns the commits that contain lines of the turn.
func (t *turn) commits() []string {
	var out []string
	for _, c := range t.changes {
		if c.patch == nil || c.patch.Fate == nil {
			continue
		}
		for _, id := range c.patch.Fate.Commits {
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// laterCommitted reports whether a commit contains work of a later turn of the conversation.
func (t *turn) laterCommitted() bool { return t.step < t.conv.lastCommitted }

// findCommitted finds the step of the last prompt with work in a commit.
func (c *conversation) findCommitted() {
	for _, t := range c.turns {
		if len(t.commits()) > 0 {
			c.lastCommitted = max(c.lastCommitted, t.step)
		}
	}
}

// git returns the log's facts about the turn.
func (t *turn) git() *treetrace.Git {
	if t.conv.Known == nil {
		return nil
	}
	out := &treetrace.Git{
		Trace: t.conv.Record.TraceID, Prompt: t.conv.Known.Prompts[t.step], Patches: []string{},
		Commits: append([]string{}, t.commits()...),
	}
	for _, c := range t.changes {
		if c.patch != nil {
			out.Patches = append(out.Patches, c.patch.ID)
		}
	}
	if sum := t.lines(); sum != nil {
		out.Lines = *sum
	}
	return out
}
