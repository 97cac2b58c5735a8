package trails

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/rename"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/vector"
)

// maxLineBytes bounds the content whose lines are followed; larger files are recorded as a whole.
const maxLineBytes = 64 << 20

// text is one content of a path. A content without lines (absent, binary, a submodule) has whole set instead.
type text struct {
	oid   refs.OID
	bytes []byte
	lines [][]byte
	whole bool
}

// file holds the changes of one path in an interval.
type file struct {
	path    string
	oldPath string // where the content was before a rename, else path
	oldMode uint32
	newMode uint32
	old     text
	new     text
	vec     vector.Vector // owners of the old lines
	// reported is true if old or new is known only from a tool's report.
	reported bool
	from     []vector.Origin // where the new lines come from, if git put them together
	// early is true if the change is older than the last look at the path, but not older than the last look at
	// everything.
	early bool
}

// withoutLines reports whether the change is, in whole or in part, one that no line shows: of a binary file, of the
// mode, of the name alone, or of an empty file.
func (f *file) withoutLines() bool {
	modeChanged := f.oldMode != f.newMode && f.oldMode != 0 && f.newMode != 0
	renamed := f.oldPath != f.path && f.old.oid == f.new.oid
	return f.old.whole || f.new.whole || modeChanged || renamed || len(f.old.lines)+len(f.new.lines) == 0
}

// gather reads the contents of the changed paths and pairs what was renamed.
func (s *step) gather(changes []snapshot.Change) ([]*file, error) {
	var files []*file
	for _, c := range changes {
		f := &file{path: c.Path, oldPath: c.Path, oldMode: c.OldMode, newMode: c.NewMode}
		if c.PassedOver {
			if s.passed == nil {
				s.passed = map[string]bool{}
			}
			s.passed[c.Path] = true
		}
		var err error
		if f.old, err = s.read(c.OldMode, c.Old); err != nil {
			return nil, fmt.Errorf("read %s before the change: %w", strconv.Quote(c.Path), err)
		}
		if f.new, err = s.read(c.NewMode, c.New); err != nil {
			return nil, fmt.Errorf("read %s after the change: %w", strconv.Quote(c.Path), err)
		}
		files = append(files, f)
	}
	files, err := s.olderNames(&rename.Query{
		Moment: s.momentOfLook(), Tree: lookedAt{s}, Changes: changesOf(files),
		Stashes: gitfacts.Newer(s.now.Stashes, s.state.Git.Stashes),
	}, files)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.oldPath != f.path {
			if err := s.known.Link(f.oldPath, f.path); err != nil {
				return nil, err
			}
		}
		f.vec = s.vectorOf(f.oldPath, f.old)
		if f.old.oid.IsZero() || f.old.whole {
			continue
		}
		// What nobody knew anything of is worth knowing too: git may bring it back.
		if err := s.known.Put(f.oldPath, f.old.oid, f.vec); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// read reads a content. A blob that cannot be found any more is a content without lines, not a failure: the state may
// name a blob that only a pruned pack held.
func (s *workTree) read(mode uint32, oid refs.OID) (text, error) {
	t := text{oid: oid}
	if oid.IsZero() {
		return t, nil
	}
	if mode == refs.ModeGitlink || mode == refs.ModeDir {
		t.whole = true
		return t, nil
	}
	return readText(s.blob, oid)
}

func readText(read func(refs.OID) ([]byte, error), oid refs.OID) (text, error) {
	if oid.IsZero() {
		return text{}, nil
	}
	raw, err := read(oid)
	if missing(err) {
		return text{oid: oid, whole: true}, nil
	}
	if err != nil {
		return text{oid: oid}, err
	}
	return newText(oid, raw), nil
}

// readWorkFile reads a regular file of the work tree whose lines can be followed. Whatever else stands there, such as a
// pipe, is not opened.
func readWorkFile(repo *refs.Repo, path string) ([]byte, bool) {
	name := filepath.Join(repo.WorkTree, filepath.FromSlash(path))
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxLineBytes {
		return nil, false
	}
	raw, err := refs.ReadFile(name)
	return raw, err == nil
}

// newText splits a content into lines unless git would call it binary.
func newText(oid refs.OID, raw []byte) text {
	t := text{oid: oid, bytes: raw}
	if len(raw) > maxLineBytes || gitdiff.Binary(raw) {
		t.whole = true
		return t
	}
	t.lines = linediff.Split(raw)
	return t
}

// vectorOf returns the known owners of a content of a path.
func (s *workTree) vectorOf(path string, t text) vector.Vector {
	return s.question(path).Owners(t.asOrigin())
}

func (t text) asOrigin() origin.Text {
	return origin.Text{OID: t.oid, Bytes: t.bytes, Lines: t.lines, Whole: t.whole}
}

func asText(t origin.Text) text {
	return text{oid: t.OID, bytes: t.Bytes, lines: t.Lines, whole: t.Whole}
}

// told reads contents for package origin.
type told struct{ *workTree }

func (t told) Text(blob refs.OID) (origin.Text, error) {
	content, err := t.read(0, blob)
	return content.asOrigin(), err
}
