package correlate

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// FileChange is a commit's change of one file, without the text of lines.
type FileChange struct {
	Path    string // raw bytes
	OldPath string // path in the first parent; equals Path unless the file was renamed
	New     refs.OID
	Old     []refs.OID // content in each parent; zero where the parent lacks the file

	Patched *Patched // git's data about the lines, if the caller asked for them (see Patches)
}

// Patched holds the lines of one file that a commit changed.
type Patched struct {
	Added  []linediff.Range     // lines as Hunks returns them; empty for a deletion, a binary file and a pure mode change
	Change events.ChangeID      // id of the change; empty if no line changed, and for a merge
	Prints []events.Fingerprint // fingerprints of the added lines that count as evidence, if the caller asked for them
}

// Patches returns the changed files and lines of commits with at most one parent, in the order of the commits. It
// starts one git process. Commits that git cannot read completely are returned in the result `unread`. The function
// `tells` reports which lines count as evidence.
func Patches(ctx context.Context, repo *refs.Repo, commits []refs.OID, tells func(line []byte) bool,
	yield func(commit refs.OID, change CommitChange) error) (unread []refs.OID, err error) {
	lines := make([]string, len(commits))
	for i, id := range commits {
		lines[i] = id.String()
	}
	args := append([]string{"--root"}, gitdiff.Patch()...)
	skipped, err := gitdiff.Each(ctx, repo, args, lines, func(i int, r *gitdiff.Reader) (func() error, error) {
		records, err := r.Records()
		if err != nil {
			return nil, err
		}
		change, err := ChangeOf(records, tells, func(to gitdiff.Lines) error { return r.Patch(records, to) })
		return func() error { return yield(commits[i], change) }, err
	})
	if err != nil {
		return nil, fmt.Errorf("read what commits changed: %w", err)
	}
	for _, i := range skipped {
		unread = append(unread, commits[i])
	}
	return unread, nil
}

// CommitChange is the change of a commit with at most one parent.
type CommitChange struct {
	Files []FileChange // without deleted files and submodules
	Added int          // added lines as --numstat counts them, or Uncounted
}

// Uncounted is the count of added lines when --numstat may count differently from a patch. This is so for a file that
// becomes a link, because one of them sees two changes, and for submodules, because they depend on configuration.
const Uncounted = -1

// ChangeOf joins the raw records of a commit with the lines of its patch.
func ChangeOf(records []gitdiff.Record, tells func(line []byte) bool, patch func(to gitdiff.Lines) error) (CommitChange,
	error) {
	files, err := linesOf(records, tells, patch)
	if err != nil {
		return CommitChange{}, err
	}
	var c CommitChange
	counted := true
	for i := range files {
		f := &files[i]
		for _, r := range f.Added {
			c.Added += r.Len()
		}
		counted = counted && f.Status != 'T' && f.OldMode != refs.ModeGitlink && f.NewMode != refs.ModeGitlink
		if !f.New.IsZero() && f.NewMode != refs.ModeGitlink {
			c.Files = append(c.Files, FileChange{Path: f.Path, OldPath: f.OldPath, New: f.New,
				Old: []refs.OID{contentBefore(f.Record)}, Patched: &f.Patched})
		}
	}
	if !counted {
		c.Added = Uncounted
	}
	return c, nil
}

// Changed lists the files that each commit changed against all its parents. It starts a few git processes for all
// commits. It leaves out missing commits, and files without lines: submodules and deletions. A commit with an
// unreadable tree is added to the repository's [refs.LeftOut].
func Changed(ctx context.Context, repo *refs.Repo, commits []refs.OID) (map[refs.OID][]FileChange, error) {
	out := map[refs.OID][]FileChange{}
	if len(commits) == 0 {
		return out, nil
	}
	objects := repo.Objects()
	defer objects.Close()
	parents := map[refs.OID][]refs.OID{}
	var list, merges []refs.OID
	for _, c := range commits {
		decoded, err := objects.Commit(c)
		if _, twice := parents[c]; err != nil || twice {
			continue
		}
		parents[c], list = decoded.Parents, append(list, c)
		if len(decoded.Parents) > 1 {
			merges = append(merges, c)
		}
	}
	sections, err := combined(ctx, repo, merges, parents)
	if err != nil {
		return nil, fmt.Errorf("list what commits changed: %w", err)
	}
	var lines []string   // one commit with one of its parents
	var asked []refs.OID // the commit of each line
	for _, c := range list {
		if len(sections[c]) > 0 {
			continue
		}
		for _, p := range parents[c] {
			lines, asked = append(lines, c.String()+" "+p.String()), append(asked, c)
		}
		if len(parents[c]) == 0 {
			lines, asked = append(lines, c.String()), append(asked, c)
		}
	}
	take := func(i int, r *gitdiff.Reader) (func() error, error) {
		files, err := r.Records()
		return func() error { sections[asked[i]] = append(sections[asked[i]], files); return nil }, err
	}
	args := append([]string{"--root", "-M"}, gitdiff.Raw()...)
	skipped, err := gitdiff.Each(ctx, repo, args, lines, take)
	if err == nil && len(skipped) > 0 { // git cannot find renames without contents
		lines, asked = chosen(lines, skipped), chosen(asked, skipped)
		args = append([]string{"--root", "--no-renames"}, gitdiff.Raw()...)
		skipped, err = gitdiff.Each(ctx, repo, args, lines, take)
	}
	if err != nil {
		return nil, fmt.Errorf("list what commits changed: %w", err)
	}
	for _, i := range skipped {
		repo.LeftOut.Note(asked[i])
		delete(sections, asked[i])
	}
	for commit, lists := range sections {
		if len(lists) > 0 {
			out[commit] = common(lists)
		}
	}
	return out, nil
}

// `combined` lists the files of merges that differ from every parent. Git does not need to read the trees that a merge
// shares with a parent. A merge is left out if a parent lacks one of the files: the parent may have the file under
// another name.
func combined(ctx context.Context, repo *refs.Repo, merges []refs.OID, parents map[refs.OID][]refs.OID) (
	map[refs.OID][][]gitdiff.Record, error) {
	out := map[refs.OID][][]gitdiff.Record{}
	lines := make([]string, len(merges))
	for i, c := range merges {
		lines[i] = c.String()
	}
	args := append([]string{"-c", "--root", "--no-renames"}, gitdiff.Raw()...)
	_, err := gitdiff.Each(ctx, repo, args, lines, func(i int, r *gitdiff.Reader) (func() error, error) {
		lists, err := r.Combined()
		if lists == nil {
			lists = make([][]gitdiff.Record, len(parents[merges[i]]))
		}
		lacks := len(lists) != len(parents[merges[i]]) // true at the end of a shallow history
		for _, list := range lists {
			lacks = lacks || slices.ContainsFunc(list, func(f gitdiff.Record) bool { return f.OldMode == 0 })
		}
		return func() error {
			if !lacks {
				out[merges[i]] = lists
			}
			return nil
		}, err
	})
	return out, err
}

// `chosen` returns the elements at the given indexes.
func chosen[T any](list []T, places []int) []T {
	out := make([]T, len(places))
	for i, at := range places {
		out[i] = list[at]
	}
	return out
}

// contentBefore returns the blob of a file in a parent, or the zero id for a submodule.
func contentBefore(f gitdiff.Record) refs.OID {
	if f.OldMode == refs.ModeGitlink {
		return refs.OID{}
	}
	return f.Old
}

// `common` returns the files that are in every list.
func common(lists [][]gitdiff.Record) []FileChange {
	var out []FileChange
	for _, f := range lists[0] {
		if f.New.IsZero() || f.NewMode == refs.ModeGitlink {
			continue
		}
		c := FileChange{Path: f.Path, OldPath: f.OldPath, New: f.New, Old: []refs.OID{contentBefore(f)}}
		for _, other := range lists[1:] {
			for _, g := range other {
				if g.Path == f.Path {
					c.Old = append(c.Old, contentBefore(g))
				}
			}
		}
		if len(c.Old) == len(lists) {
			out = append(out, c)
		}
	}
	return out
}

// Hunks compares the content of a file with all parents. It returns the lines, from 0, that are in no parent, and the
// id of the change. A merge has no change id.
func (c *FileChange) Hunks(objects *refs.Objects, content []byte) (added []linediff.Range, id events.ChangeID,
	err error) {
	lines := linesOfGit(content)
	var change events.ChangeHash
	for i, oid := range c.Old {
		var old [][]byte
		if !oid.IsZero() {
			raw, err := objects.Blob(oid)
			if err != nil {
				return nil, "", fmt.Errorf("read parent's content: %w", err)
			}
			old = linesOfGit(raw)
		}
		var here []linediff.Range
		for _, h := range linediff.Diff(old, lines, linediff.Options{}).Hunks {
			change.Hunk()
			for _, l := range old[h.OldStart : h.OldStart+h.OldCount] {
				change.Removed(l)
			}
			for _, l := range lines[h.NewStart : h.NewStart+h.NewCount] {
				change.Added(l)
			}
			if h.NewCount > 0 {
				here = append(here, h.New())
			}
		}
		if i == 0 {
			added = here
		} else {
			added = overlapOf(added, here)
		}
	}
	if len(c.Old) > 1 {
		return added, "", nil
	}
	return added, change.ID(), nil
}

// linesOfGit returns the lines as git compares them: a last line without a line feed differs from the same text with a
// line feed.
func linesOfGit(content []byte) [][]byte {
	lines := linediff.Split(content)
	if last := len(lines) - 1; !linediff.Terminated(content) {
		lines[last] = append(bytes.Clone(lines[last]), '\n')
	}
	return lines
}

// overlapOf returns the lines that are in both lists. Both lists are sorted.
func overlapOf(a, b []linediff.Range) []linediff.Range {
	var out []linediff.Range
	for i, j := 0, 0; i < len(a) && j < len(b); {
		start, end := max(a[i].Start, b[j].Start), min(a[i].End, b[j].End)
		if start < end {
			out = append(out, linediff.Range{Start: start, End: end})
		}
		if a[i].End < b[j].End {
			i++
		} else {
			j++
		}
	}
	return out
}

// Explained holds the owners that a search by content found for the added lines of a file. Its runs are sorted and
// cover all added lines. Open holds the lines, from 0, that no known content explains.
type Explained struct {
	File   events.AnchorFile
	Owners []events.AnchorOwner
	Open   map[int]bool
}

// Explain finds the owners of the added lines of a file by content, as a commit hook does.
func (c *FileChange) Explain(view *trails.View, added []linediff.Range) (Explained, error) {
	old := c.Old[0]
	a := anchorer{view: view, owners: map[vector.Owner]int{}, open: map[int]bool{}}
	if _, known := view.Known.Get(c.OldPath, old); !known && !old.IsZero() {
		raw, err := view.Objects.Blob(old)
		if err != nil {
			return Explained{}, fmt.Errorf("read parent's content: %w", err)
		}
		before := fileDiff{Record: gitdiff.Record{Path: c.OldPath, OldPath: c.OldPath, New: old}}
		if _, _, err := a.ownersOf(before, linediff.Split(raw)); err != nil {
			return Explained{}, err
		}
		clear(a.open)
	}
	f := fileDiff{
		Record: gitdiff.Record{Path: c.Path, OldPath: c.OldPath, Old: old, New: c.New}, Patched: Patched{Added: added},
	}
	if err := a.file(f); err != nil {
		return Explained{}, err
	}
	out := Explained{Owners: a.part.Owners, Open: a.open}
	if len(a.parts) > 0 { // the anchor needs more than one event
		out.Owners, a.part = a.parts[0].Owners, a.parts[0]
	}
	out.File = a.part.Files[0]
	return out, nil
}
