// Package why collects the facts about lines: the owner with the evidence, the prompt and the agent's thoughts, the
// call with its change, the commit, and what became of the change. It draws nothing.
package why

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// Reason explains some lines of a file. All of them have one owner and one commit.
type Reason struct {
	Path  string // relative to the top of the work tree, as raw bytes
	Lines []blame.Annotated
	Turn  *view.Turn      // the prompt; nil if unknown
	Step  *records.Step   // the answer that contains the call; nil without a record
	Call  *view.WholeCall // nil if unknown
	Hunk  *view.Hunk      // the change that wrote the lines; nil if the log does not have it
	// Declared is the change as the call declares it, if the log has no change, or not its text; nil if the call declares
	// none.
	Declared *view.Declared
	// Replaced holds the changes whose lines the hunk removed. For a line that a person changed, it is the agent's change.
	Replaced []*view.Hunk
	Trail    *trail.Trail // fate of the change; nil for people's lines
}

// Owner returns the writer of the lines.
func (r *Reason) Owner() *blame.Attribution { return r.Lines[0].Owner }

// Completed returns, for lines of a completion, the source of the completion, and when a person accepted it; "" for
// other lines.
func (r *Reason) Completed() string {
	o := r.Owner()
	if o.Trace == "" || o.Tool != events.ToolCompletion {
		return ""
	}
	text := "completed by " + strings.TrimSpace(o.Agent+" "+o.Model)
	if r.Call != nil && r.Call.Closed != nil {
		text += ", accepted at " + r.Call.Closed.Local().Format(time.DateTime)
	}
	if o.Kind == events.OwnerMixed {
		text += "; a person wrote the rest of the line"
	}
	return text + "; no prompt"
}

// Commit returns the commit that added the lines; nil for uncommitted lines.
func (r *Reason) Commit() *gitblame.Commit {
	if c := r.Lines[0].Commit; c.Committed() {
		return c
	}
	return nil
}

// NoLineError is the error for a line number beyond the end of a file.
type NoLineError struct{ Lines int }

func (e *NoLineError) Error() string { return "there is no such line" }

// Finder finds reasons. Only one goroutine may use it.
type Finder struct {
	Known    *view.Reader
	Trails   *trail.Tracker
	Contents []byte // used instead of the file in the work tree; nil: use the file
}

// Lines finds the reasons for the lines `first` to `last` of a path in a revision; without a revision, in the work
// tree. Lines of one origin share a reason. Reasons are in the order of their first lines.
func (f *Finder) Lines(ctx context.Context, rev, path string, first, last int) ([]*Reason, error) {
	blamed, err := f.blamed(rev, path)
	if err != nil {
		return nil, err
	}
	if first < 1 || last < first || last > len(blamed) {
		return nil, &NoLineError{len(blamed)}
	}
	var out []*Reason
	for _, line := range blamed[first-1 : last] {
		i := slices.IndexFunc(out, func(r *Reason) bool { return sameOrigin(&r.Lines[0], &line) })
		if i < 0 {
			i = len(out)
			out = append(out, &Reason{Path: path})
		}
		out[i].Lines = append(out[i].Lines, line)
	}
	for _, r := range out {
		if err := f.explain(ctx, r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (f *Finder) blamed(rev, path string) ([]blame.Annotated, error) {
	if f.Contents != nil {
		return f.Trails.LinesWith(path, f.Contents)
	}
	return f.Trails.Lines(rev, path)
}

// sameOrigin reports whether one change of one owner wrote both lines.
func sameOrigin(a, b *blame.Annotated) bool {
	x, y := a.Owner, b.Owner
	return a.Commit.ID == b.Commit.ID && x.Kind == y.Kind && x.Trace == y.Trace && x.Subagent == y.Subagent &&
		x.ToolCall == y.ToolCall && x.PromptIndex == y.PromptIndex && x.Patch == y.Patch && x.Previous == y.Previous &&
		x.Evidence == y.Evidence
}

// explain collects all facts except the owner.
func (f *Finder) explain(ctx context.Context, r *Reason) error {
	o := r.Owner()
	var err error
	if o.Patch != "" {
		if r.Hunk, err = f.hunk(o.Patch); err != nil {
			return err
		}
	}
	replaced := []events.PatchID{o.Previous}
	if r.Hunk != nil && o.Trace != "" {
		replaced = append(replaced, r.Hunk.Previous...)
	}
	for _, id := range replaced {
		if id == "" {
			continue
		}
		h, err := f.hunk(id)
		if err != nil {
			return err
		}
		if h != nil {
			r.Replaced = append(r.Replaced, h)
		}
	}
	if o.Trace == "" {
		return nil
	}
	if err := f.said(ctx, r); err != nil {
		return err
	}
	if o.Patch != "" {
		r.Trail, err = f.Trails.Patch(o.Patch, r.Path)
	} else {
		owner := o.AnchorOwner()
		r.Trail, err = f.Trails.Claim(&owner, r.Path)
	}
	if errors.Is(err, refs.ErrMissing) {
		err = nil
	}
	return err
}

// hunk returns a patch; nil if the log does not have it, because a clone that shared no log recorded it.
func (f *Finder) hunk(id events.PatchID) (*view.Hunk, error) {
	h, err := f.Known.Hunk(id)
	if errors.Is(err, refs.ErrMissing) {
		return nil, nil // unknown, which is not an error
	}
	return h, err
}

// `said` finds the prompt, the answer and the call.
func (f *Finder) said(ctx context.Context, r *Reason) error {
	o := r.Owner()
	turn, call, step, err := f.Known.CallOf(ctx, o.Trace, o.Subagent, o.ToolCall, o.PromptIndex)
	if err != nil {
		return err
	}
	r.Turn, r.Call, r.Step = turn, call, step
	if r.Hunk == nil && call != nil {
		r.Hunk = hunkWith(call.Hunks, r)
	}
	if call != nil && (r.Hunk == nil || !r.Hunk.HasText()) {
		at := slices.IndexFunc(call.Declared, func(d *view.Declared) bool { return d.LineOf(r.Lines[0].Content) > 0 })
		if at >= 0 {
			r.Declared = call.Declared[at]
		}
	}
	return nil
}

// hunkWith returns the hunk of a call that contains the first of the lines.
func hunkWith(list []*view.Hunk, r *Reason) *view.Hunk {
	text := string(bytes.TrimSuffix(r.Lines[0].Content, []byte("\r")))
	for _, h := range list {
		if h.Path == r.Path && slices.Contains(h.Added, text) {
			return h
		}
	}
	return nil
}
