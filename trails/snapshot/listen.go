package snapshot

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"
)

// A monitor tells which paths of the work tree may have changed, so that a snapshot need not compare every file with
// the disk. It is `git trace watch` (monitor_linux.go). A question has the token of the last answer, and directories to
// watch from now on. An answer has the next token, and the paths that may have changed since the other one: "/" is all
// paths, and a directory is everything in it. Only these paths are compared with the disk; all else is the same with
// and without a monitor.
//
// It does not hear of every write: a write through a mapping, or through a hard link made later, has no event. So the
// snapshots at prompts and at the end of turns do not ask. They mark a change that an earlier snapshot should have had.

// monitorLimit is the longest time to wait for an answer. Beyond the other bounds, comparing everything is as quick.
const (
	monitorLimit = 50 * time.Millisecond
	maxAnswer    = 1 << 20 // bytes
	maxDoubts    = 500     // directories in heard.New and heard.Doubts
)

// heard is the part of the state that concerns a monitor. It is empty without one.
type heard struct {
	Token  string   // from the last answer
	At     int64    // time of the last snapshot that asked
	Relied bool     // the last snapshot of everything compared only what the monitor named
	All    bool     // the monitor may watch no directory yet
	New    []string // directories that were listed since: they may be others than those that it watches
	Doubts []string // directories whose time stamps prove nothing, or with hard links: every snapshot compares them
}

var (
	errNoMonitor = errors.New("there is no monitor")
	errNoAnswer  = errors.New("the monitor gives no answer")
)

// `listen` asks the monitor which paths may have changed since the last question. Afterwards named is nil if everything
// must be compared with the disk.
func (s *scan) listen() {
	e, m := s.e, &s.e.meta
	last := m.Heard
	m.Heard.Relied, e.changed = false, e.changed || last.Token != ""
	if !e.Listens || e.remote {
		return
	}
	limit, dirs := cmp.Or(e.limit, monitorLimit), last.New
	if last.All && e.root != nil {
		limit, dirs = 10*limit, nil
		for _, d := range e.root.all(nil) {
			dirs = append(dirs, d.path)
		}
	}
	answer, err := askMonitor(e.path, last.Token, dirs, limit)
	if errors.Is(err, errNoMonitor) {
		m.Heard = heard{}
	}
	if err != nil { // a later answer also covers this time
		return
	}
	token, paths, _ := strings.Cut(answer, "\x00")
	all := paths == "/" // it started since the last question, or does not vouch
	m.Heard, e.changed = heard{Token: token, At: s.start, All: all, Doubts: last.Doubts}, true
	clockSetBack := last.At > s.start
	if !all && !last.All && !clockSetBack && !m.Rejudge && !m.AttrStale && !m.Unread {
		s.named = strings.Split(paths, "\x00")
		m.Heard.Doubts = slices.Concat(last.Doubts, last.New)
	}
}

// statNamed compares with the disk the directories that the monitor named or that have a named path, and the doubtful
// ones. The walk after it enters no others.
func (s *scan) statNamed() error {
	s.near = map[*dir]bool{}
	root, list, listed := s.e.root, []*dir{}, map[*dir]bool{}
	add := func(d *dir) {
		if !listed[d] {
			listed[d], list = true, append(list, d)
		}
		for ; d != nil && !s.near[d]; d = d.parent {
			s.near[d] = true
		}
	}
	for _, path := range s.e.meta.Heard.Doubts {
		if d := root.descend(path); d != nil {
			add(d)
		}
	}
	for _, path := range s.named {
		d := root
		for path != "" {
			name, rest, _ := strings.Cut(path, "/")
			sub := d.sub(name)
			if sub == nil {
				break
			}
			d, path = sub, rest
		}
		add(d)
		if path == "" && d != root { // a directory: everything in it, and its name in the directory above
			add(d.parent)
			for _, below := range d.all(nil) {
				add(below)
			}
		}
	}
	st := newStatter(s.tree)
	for _, d := range list {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		s.statDir(st, d)
	}
	s.e.meta.Heard.Relied = true
	return nil
}

// far reports whether the walk leaves a directory out, because nothing there can have changed. If the index changed, it
// leaves out none: a directory may have other tracked files.
func (s *scan) far(d *dir) bool {
	return s.near != nil && !s.indexChanged && !s.near[d] && d.w == nil && d.st.known()
}

// noteDoubts lists the directories that the next snapshot compares with the disk whatever the monitor says.
func (s *scan) noteDoubts() {
	h := &s.e.meta.Heard
	if h.Token == "" {
		return
	}
	for _, path := range h.Doubts {
		s.e.root.descend(path) // reads the directory
	}
	h.Doubts = nil
	for _, d := range s.e.root.known(nil) {
		if d.inDoubt(s.e.repo.Format.Size()) {
			h.Doubts = append(h.Doubts, d.path)
		}
	}
	h.New = append(h.New, s.listed...)
	if h.All || len(h.Doubts)+len(h.New) > maxDoubts {
		h.All, h.New, h.Doubts = true, nil, nil
	}
}

// inDoubt reports whether a directory, or an entry in it, may change unheard or without a new time stamp.
func (d *dir) inDoubt(hash int) bool {
	p := d.packed
	if p == nil {
		p = pack(d, hash)
	}
	for rest := p.entries; len(rest) > 0; rest = rest[entrySize(hash):] {
		r := stateReader{in: rest[4+2+4:]}
		if r.u16()&flagRacy != 0 || r.stat().mode&linked != 0 {
			return true
		}
	}
	return !d.st.known() || d.flags&(dirRacy|dirUnread|dirStale) != 0
}

// `unheard` marks the changes that are older than a snapshot which relied on a monitor: the monitor did not tell of
// them.
func (s *scan) unheard(changes []Change) []Change {
	if !s.relied || len(changes) == 0 {
		return changes
	}
	early, _ := Before(s.e.repo.WorkTree, changes, time.Unix(0, s.reliedAt-s.slack))
	for i, c := range changes {
		same := func(x Change) bool { return x.Path == c.Path }
		changes[i].PassedOver = c.PassedOver || slices.ContainsFunc(early, same)
	}
	return changes
}
