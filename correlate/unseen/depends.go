package unseen

import (
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
)

// depends holds the conditions of a stored answer. The answer is valid until a log mentions one of them.
type depends struct {
	keys    []byte
	passing bool // depends on a state outside of the logs: a rebase in progress, or an unfinished event
	lacking bool // the answer depends on an object that is missing
}

func (d *depends) on(key index.Key) { d.keys = append(d.keys, key[:]...) }

// dependsOn returns the first conditions of an answer: the anchor of the commit, and the commits that it replaced.
func (s *Search) dependsOn(commit refs.OID) (d depends, err error) {
	if _, d.passing = s.picked()[commit]; d.passing {
		return d, nil
	}
	seen := []refs.OID{commit}
	for i := 0; i < len(seen) && i <= mostReplaced; i++ {
		d.on(index.AnchorKey(seen[i]))
		d.on(index.RewrittenKey(seen[i]))
		older, err := s.index.Replaced(seen[i])
		if err != nil {
			return d, err
		}
		for _, o := range older {
			if !slices.Contains(seen, o) && len(seen) <= mostReplaced {
				seen = append(seen, o)
			}
		}
	}
	return d, nil
}

// onFile adds the conditions of a searched file. For a settled commit, lines and paths are not conditions.
func (d *depends) onFile(f *file, settled bool) {
	c := &f.change
	d.on(index.BlobKey(c.New))
	for _, old := range c.Old {
		if !old.IsZero() {
			d.on(index.BlobKey(old))
		}
	}
	if f.id != "" {
		d.on(index.ChangeKey(f.id))
	}
	if !f.read && !settled { // no log names any of these lines
		for _, print := range c.Patched.Prints {
			d.on(index.LineKey(print))
		}
		d.onPaths(c.Path, c.OldPath)
	}
	if !f.read {
		return
	}
	open := false
	for _, r := range f.added {
		for line := r.Start; line < r.End; line++ {
			owner, found := f.owners[line]
			switch {
			case found:
				d.onOwner(f, &owner.owner)
			case !settled:
				open = true
				d.onLine(f.lines[line])
			}
		}
	}
	if open {
		d.onPaths(c.Path, c.OldPath)
	}
}

func (d *depends) onPaths(paths ...string) {
	for _, p := range paths {
		if p != "" {
			d.on(index.PathKey(p))
		}
	}
}

func (d *depends) onLine(text []byte) {
	if tells(text) {
		d.on(index.LineKey(events.FingerprintOf(text)))
	}
}

// onOwner adds the end of the owner's call: an event may say later that the call had ended before the patch. If a patch
// is not yet in the log, the answer is only temporary.
func (d *depends) onOwner(f *file, o *events.AnchorOwner) {
	if o.ToolCall != "" {
		if key := index.EndedKey(o.ToolCall); !d.has(key) {
			d.on(key)
		}
	}
	if p, err := f.person(o.Patch); o.Patch != "" && (err != nil || !p.found) {
		d.passing = true
	}
}

func (d *depends) has(key index.Key) bool {
	for at := 0; at < len(d.keys); at += len(key) {
		if string(d.keys[at:at+len(key)]) == string(key[:]) {
			return true
		}
	}
	return false
}
