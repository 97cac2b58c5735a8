package diff

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// chain returns the commits that changed a file, newest first, if each change starts from the result of the next one in
// the list; git blame then follows the same commits. It returns nil if the history has merges, or if the file was
// renamed.
func (h *history) chain(f *File) []touch {
	list := h.touches[f.Path]
	if !h.straight || h.merges || len(list) == 0 || f.OldPath != f.Path {
		return nil
	}
	content := f.New
	for i := range list {
		if r := &list[i].record; r.Path != r.OldPath || r.New != content || r.Status != 'M' && r.Status != 'A' {
			return nil
		}
		content = list[i].record.Old
	}
	if content != f.Old {
		return nil
	}
	return list
}

// follow leads lines through their chains to the commits that wrote them. One git process reads all patches. It returns
// the questions whose lines lead beyond the chain.
func (f *finder) follow(b *batch, list []*question) ([]*question, error) {
	if len(list) == 0 {
		return nil, nil
	}
	patches, err := readPatches(f.ctx, f.repo, list)
	if err != nil {
		return nil, err
	}
	var rest []*question
	for _, q := range list {
		credits := credited(noCommit, q.file.Path, q.lines)
		found := 0
		for i := range q.chain {
			hunks := patches[place{q.chain[i].commit.ID, q.file.Path}]
			for k := range credits {
				if c := &credits[k]; c.Commit == noCommit && goBack(hunks, &c.OrigLine) {
					c.Commit = q.chain[i].commit
					found++
				}
			}
		}
		if found < len(credits) {
			rest = append(rest, q)
		} else if err := b.add(q.file, q.lines, credits); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// goBack replaces the number of a line by its number on the older side, or reports that the hunks added the line.
func goBack(hunks []gitdiff.Hunk, line *int) (brought bool) {
	shift := 0
	for _, h := range hunks {
		switch {
		case h.NewCount > 0 && *line >= h.NewStart && *line < h.NewStart+h.NewCount:
			return true
		case *line > h.NewStart:
			shift += h.OldCount - h.NewCount
		}
	}
	*line += shift
	return false
}

type place struct {
	commit refs.OID
	path   string
}

// mostPaths limits the paths of a command line.
const mostPaths = 1000

// readPatches reads the hunks of all files with chains, by commit and path.
func readPatches(ctx context.Context, repo *refs.Repo, list []*question) (map[place][]gitdiff.Hunk, error) {
	args := append([]string{"--root", "--text"}, gitdiff.Patch()...)
	if args = append(args, "--no-renames", "--"); len(list) <= mostPaths {
		for _, q := range list {
			args = append(args, q.file.Path)
		}
	}
	var commits []*gitblame.Commit
	for _, q := range list {
		for i := range q.chain {
			commits = append(commits, q.chain[i].commit)
		}
	}
	slices.SortFunc(commits, func(a, b *gitblame.Commit) int { return bytes.Compare(a.ID.Bytes(), b.ID.Bytes()) })
	commits = slices.Compact(commits)
	lines := make([]string, len(commits))
	for i, c := range commits {
		lines[i] = c.ID.String()
	}
	out := map[place][]gitdiff.Hunk{}
	skipped, err := gitdiff.Each(ctx, repo, args, lines, func(i int, r *gitdiff.Reader) (func() error, error) {
		r.MaxLine = 1 << 10 // the texts of lines are not needed
		records, err := r.Records()
		if err != nil {
			return nil, err
		}
		read := map[place][]gitdiff.Hunk{}
		err = r.Patch(records, &hunkTaker{records, commits[i].ID, read})
		return func() error { maps.Copy(out, read); return nil }, err
	})
	for _, i := range skipped {
		repo.LeftOut.Note(commits[i].ID)
	}
	return out, err
}

// hunkTaker collects the hunks of a commit.
type hunkTaker struct {
	records []gitdiff.Record
	commit  refs.OID
	to      map[place][]gitdiff.Hunk
}

func (t *hunkTaker) Hunk(record int, h gitdiff.Hunk) {
	at := place{t.commit, t.records[record].Path}
	t.to[at] = append(t.to[at], h)
}

func (*hunkTaker) Removed([]byte) {}

func (*hunkTaker) Added([]byte) {}
