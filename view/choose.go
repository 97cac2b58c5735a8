package view

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Choice is a selection of conversations. The zero value selects all.
type Choice struct {
	Agents       []string          // only conversations of these agents
	Since, Until time.Time         // active after the first time, and begun before the second
	Commits      map[refs.OID]bool // only conversations with lines in these commits; nil for any
	Paths        []string          // only conversations that changed one of these paths, or a file below it; "" is the top
	Text         string            // words that must all be in the texts
	Limit        int               // maximal number, the newest first; negative for all
	Brief        bool              // the beginning of a first prompt is enough
}

// Choose returns the conversations that match the choice, with all their facts, in the order of Conversations.
func (r *Reader) Choose(ctx context.Context, want Choice) ([]Conversation, error) {
	if want.newestOnly() {
		out, err := r.latest(want.Limit)
		if err != nil {
			return nil, err
		}
		return out, r.complete(ctx, out, want.Brief)
	}
	touched, err := r.touching(want.Paths)
	if err != nil {
		return nil, err
	}
	said, err := r.saying(ctx, want.Text)
	if err != nil {
		return nil, err
	}
	out := []Conversation{}
	for c, err := range r.InOrder("") {
		switch {
		case err != nil:
			return nil, err
		case len(want.Agents) > 0 && !slices.Contains(want.Agents, c.Agent),
			!want.Since.IsZero() && c.Last.Before(want.Since),
			!want.Until.IsZero() && c.First.After(want.Until),
			len(want.Paths) > 0 && !touched[c.Trace],
			want.Text != "" && !said[c.Trace]:
		case want.Commits == nil && want.Limit >= 0 && len(out) == want.Limit:
			return out, r.complete(ctx, out, want.Brief)
		default:
			out = append(out, c)
		}
	}
	if err := r.complete(ctx, out, want.Brief); err != nil || want.Commits == nil {
		return out, err
	}
	out = slices.DeleteFunc(out, func(c Conversation) bool {
		return !slices.ContainsFunc(c.Commits, func(held CommitLines) bool { return want.Commits[held.Commit] })
	})
	if want.Limit >= 0 && len(out) > want.Limit {
		out = out[:want.Limit]
	}
	return out, nil
}

// mostByTimes is the largest number of conversations that are read one by one. Beyond it, reading all at once is
// quicker.
const mostByTimes = 500

// newestOnly reports whether the choice asks only for the newest conversations.
func (w *Choice) newestOnly() bool {
	return w.Limit >= 0 && w.Limit <= mostByTimes && w.Commits == nil && w.Text == "" && w.Since.IsZero() &&
		w.Until.IsZero() && len(w.Agents)+len(w.Paths) == 0
}

// saying returns the conversations that contain a text.
func (r *Reader) saying(ctx context.Context, text string) (map[events.TraceID]bool, error) {
	if text == "" {
		return nil, nil
	}
	found, err := r.Search(ctx, Query{Text: text})
	out := map[events.TraceID]bool{}
	for _, one := range found.Results {
		out[one.Trace] = true
	}
	return out, err
}

// touching returns the conversations that changed one of the paths, or own lines of one in a commit.
func (r *Reader) touching(paths []string) (map[events.TraceID]bool, error) {
	out := map[events.TraceID]bool{}
	for _, path := range paths {
		list, err := r.log.UnderPath(path)
		if err != nil {
			return nil, err
		}
		for i := range list {
			if err := touches(&list[i], path, out); err != nil {
				return nil, err
			}
		}
	}
	if len(paths) == 0 {
		return out, nil
	}
	lines, err := r.Lines()
	if err != nil {
		return nil, err
	}
	all, err := r.Conversations()
	if err != nil {
		return nil, err
	}
	for i := range all { // the log does not have the results of searches
		if id := all[i].Trace; !out[id] && len(lines.searched(id)) > 0 {
			held, err := lines.Anchors(id, func(*events.AnchorOwner) bool { return true })
			if err != nil {
				return nil, err
			}
			out[id] = slices.ContainsFunc(held, func(a Anchored) bool {
				return slices.ContainsFunc(paths, func(path string) bool { return Within(path, a.Path) })
			})
		}
	}
	return out, nil
}

// touches adds the conversation of an event that changed a path.
func touches(e *events.Event, path string, out map[events.TraceID]bool) error {
	switch e.Type {
	case events.PatchRecorded:
		out[e.Trace] = true
	case events.CommitAnchored:
		var data events.CommitData
		if err := events.ReadData(e.Data, &data); err != nil {
			return err
		}
		for _, f := range data.Files {
			name, err := events.DecodePath(f.Path)
			if err != nil || !Within(path, name) {
				continue
			}
			for _, run := range f.Runs {
				out[data.Owners[run.Owner].Trace] = true
			}
		}
	}
	return nil
}

// `Within` reports whether a path names a file, or a directory above it.
func Within(path, file string) bool {
	return path == "" || file == path || strings.HasPrefix(file, path+"/")
}
