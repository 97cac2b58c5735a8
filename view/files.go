package view

import (
	"cmp"
	"errors"
	"slices"

	"github.com/git-trace/git-trace/events"
)

// FileLines counts the lines of a conversation in a file.
type FileLines struct {
	Path    string // path as raw bytes
	Added   int    // lines; for a conversation without hooks, its lines in commits
	Removed int
}

// Files lists the files that a conversation changed, by name. For each file it counts the lines that the conversation
// added and removed; without hooks it counts the lines in commits, reachable or not.
func (r *Reader) Files(c *Conversation) ([]FileLines, error) {
	var out []FileLines
	at := map[string]int{}
	add := func(path string, added, removed int) {
		i, known := at[path]
		if !known {
			i = len(out)
			at[path], out = i, append(out, FileLines{Path: path})
		}
		out[i].Added += added
		out[i].Removed += removed
	}
	if c.Seen() {
		told, err := r.log.Told(c.Trace)
		if err != nil {
			return nil, err
		}
		for i := range told {
			var patch events.PatchData
			if told[i].Type != events.PatchRecorded || events.ReadData(told[i].Data, &patch) != nil {
				continue
			}
			path, err := events.DecodePath(patch.Path)
			if err != nil {
				path = patch.Path
			}
			add(path, max(0, patch.NewCount), max(0, patch.OldCount))
		}
	} else {
		lines, err := r.Lines()
		if err != nil {
			return nil, err
		}
		held, err := lines.Anchors(c.Trace, func(*events.AnchorOwner) bool { return true })
		if err != nil {
			return nil, err
		}
		for _, a := range held {
			add(a.Path, a.Lines, 0)
		}
	}
	slices.SortFunc(out, func(a, b FileLines) int { return cmp.Compare(a.Path, b.Path) })
	return out, nil
}

// Touched lists the files that a prompt changed, as hooks saw it, and returns the number of the last prompt of the
// conversation. The prompt 0 means all.
func (r *Reader) Touched(trace events.TraceID, prompt int) (paths []string, last int, err error) {
	told, err := r.takenHere(r.log.Told(trace))
	if errors.Is(err, ErrNoMoment) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	for i := range told {
		e := &told[i]
		if e.Type == events.PromptSubmitted {
			last = max(last, events.DataOf[events.PromptData](*e).Index)
		}
		if e.Type != events.PatchRecorded || e.Retold() {
			continue
		}
		p := events.DataOf[events.PatchData](*e)
		if prompt > 0 && p.Prompt != prompt {
			continue
		}
		for _, path := range []string{p.OldPath, p.Path} {
			if path != "" {
				paths = append(paths, events.RawPath(path))
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), last, nil
}
