package snapshot

import (
	"context"
	"path/filepath"

	"github.com/git-trace/git-trace/refs"
)

// meta holds the data of the state that concern the whole work tree.
type meta struct {
	Tree     refs.OID
	Settings settings
	Env      string // digest of the environment variables that locate configuration
	Watched  []watched
	Index    indexStamp // the user's index to which the state belongs

	AttrSum   string // digest of all attribute files of the work tree
	AttrClass class  // highest class that these files need
	AttrStale bool   // a scoped snapshot found a changed attribute file: read all again
	Reseed    bool   // the conversion changed: hash all contents again
	Unread    bool   // some paths could not be read
	Rejudge   bool   // ignore rules outside the work tree changed: check all names again
	Heard     heard  // what a monitor said

	Git *gitState // set while the git method is used
}

// class returns the highest class of all attribute files that concern the work tree.
func (m *meta) class() class {
	c := m.AttrClass
	if m.Settings.AutoCRLF {
		c = max(c, classEOL)
	}
	for i := range m.Watched {
		if m.Watched[i].Role == roleAttributes {
			c = max(c, m.Watched[i].Class)
		}
	}
	return c
}

// refresh compares the configuration, and the ignore and attribute files outside the work tree, with the state, and
// notes the consequences. It reads a file only if its time stamp changed.
func (e *Engine) refresh(ctx context.Context) error {
	m, now := &e.meta, e.now().UnixNano()
	env := environment()
	stale := m.Env != env || len(m.Watched) == 0
	excludes, attributes := sumOf(m.Watched, roleExclude), sumOf(m.Watched, roleAttributes)
	for i := range m.Watched {
		w := &m.Watched[i]
		before := *w
		if w.look(now) && w.Role == roleConfig {
			stale = true
		}
		e.changed = e.changed || *w != before
	}
	if stale {
		s, configs, err := readSettings(ctx, e.repo)
		if err != nil {
			return err
		}
		m.Reseed = m.Reseed || s.Conversion != m.Settings.Conversion
		m.Settings, m.Env, m.Watched = s, env, newWatch(e.repo, s, configs, now)
		e.changed = true
	}
	if m.Tree.IsZero() {
		return nil
	}
	m.Rejudge = m.Rejudge || sumOf(m.Watched, roleExclude) != excludes
	m.Reseed = m.Reseed || sumOf(m.Watched, roleAttributes) != attributes
	return nil
}

// userIndex returns the path of the work tree's own index.
func (e *Engine) userIndex() string { return filepath.Join(e.repo.GitDir, "index") }
