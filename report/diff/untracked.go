package diff

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// The limits for untracked files, which are read although nobody named them.
const (
	mostUntracked      = 200
	mostUntrackedBytes = 1 << 20 // bytes of one file
)

// `untracked` adds the untracked files of the work tree, which git diff leaves out. It finds them as git-status(1)
// does, below the same paths.
func (f *finder) untracked() error {
	if show, _ := f.from.Config.Get("status.showuntrackedfiles"); show == "no" || show == "false" || f.o.picks ||
		f.o.reverse || f.sides.given[1] != Work || f.sides.fork {
		return nil
	}
	dir, args := f.repo.Top(), []string{"ls-files", "--others", "--exclude-standard", "-z", "--full-name"}
	if f.sides.part {
		dir, args = f.dir, append(append(args, "--"), f.sides.paths...)
	}
	out, err := f.repo.CommandUser(f.ctx, dir, args...).Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	for path := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		name := filepath.Join(f.repo.Top(), filepath.FromSlash(path))
		info, err := os.Lstat(name)
		switch {
		case path == "" || err != nil || info.IsDir(): // a nested repository
			continue
		case len(f.Untracked) == mostUntracked:
			f.Unread++
			continue
		}
		file := &File{Record: &gitdiff.Record{Path: path, OldPath: path, Status: '?'}, Path: path, OldPath: path}
		f.Untracked = append(f.Untracked, file)
		if !info.Mode().IsRegular() || info.Size() > mostUntrackedBytes {
			continue
		}
		if err := f.ownNew(file, name); err != nil {
			return err
		}
	}
	return nil
}

// ownNew finds the owners of the lines of an untracked file.
func (f *finder) ownNew(file *File, name string) error {
	content, err := os.ReadFile(name)
	if file.binary = gitdiff.Binary(content); file.binary || err != nil {
		return nil //nolint:nilerr // an unreadable file has no lines here
	}
	h := Hunk{}
	var credits []gitblame.Line
	for line := range bytes.Lines(content) {
		n := len(h.Lines) + 1
		h.Lines = append(h.Lines, Line{TextLine: gitdiff.TextLine{Sign: Added, New: n, Text: line}})
		credits = append(credits, gitblame.Line{Commit: noCommit, OrigPath: file.Path, OrigLine: n, FinalLine: n})
	}
	owners, err := blame.Owners(f.ctx, f.from.Resolver, credits, func(string) ([]byte, error) { return content, nil })
	if err != nil {
		return err
	}
	file.Hunks = []Hunk{h}
	var lines []*Line
	file.EachLine(func(l *Line) { lines = append(lines, l) })
	give(lines, owners)
	return nil
}

// Lines returns the number of added lines.
func (f *File) Lines() (n int) {
	f.each(Added, func(*Line) { n++ })
	return n
}

// Writers returns the writers of a file's lines.
func (f *File) Writers() []Sum {
	return (&Diff{Files: []*File{f}}).Sums().Writers
}
