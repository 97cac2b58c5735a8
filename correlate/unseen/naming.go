package unseen

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
)

// firstNaming returns, for each commit, the first head that is the commit or a descendant of it. It walks the history
// once, children before parents, back to the date of the oldest commit. Wrong dates do not end the walk early.
func (s *Search) firstNaming(
	ctx context.Context, commits map[refs.OID]*age, heads []index.NamedCommit, name func(*age, index.NamedCommit),
) error {
	var oldest *age
	for _, a := range commits {
		if oldest == nil || a.dated.Before(oldest.dated) {
			oldest = a
		}
	}
	missed, err := s.nameDownTo(ctx, oldest.parents, commits, heads, name)
	if err == nil && len(missed) > 0 {
		_, err = s.nameDownTo(ctx, nil, missed, heads, name)
	}
	return err
}

// nameDownTo does the same as firstNaming, but does not walk to the ancestors of some commits. It returns the commits
// that it did not meet.
func (s *Search) nameDownTo(
	ctx context.Context, without []refs.OID, commits map[refs.OID]*age, heads []index.NamedCommit,
	name func(*age, index.NamedCommit),
) (missed map[refs.OID]*age, err error) {
	var in strings.Builder
	missed = maps.Clone(commits)
	for c := range commits {
		in.WriteString(c.String() + "\n")
	}
	first := map[refs.OID]int{} // for each commit: index of the first head that is this commit or a descendant
	for i, h := range heads {
		if _, known := first[h.Commit]; !known {
			first[h.Commit] = i
			in.WriteString(h.Commit.String() + "\n")
		}
	}
	for _, c := range without {
		if s.legible(c) {
			in.WriteString("^" + c.String() + "\n")
		}
	}
	out, w := io.Pipe()
	fault.Go(func() { // a head may be missing
		_ = w.CloseWithError(s.repo.GitTo(ctx, strings.NewReader(in.String()), w, "rev-list", "--ignore-missing",
			"--topo-order", "--parents", "--stdin"))
	})
	defer func() { _ = out.Close() }()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var family []refs.OID // ids of a commit and its parents
		for id := range strings.FieldsSeq(lines.Text()) {
			c, err := refs.ParseOID(id)
			if err != nil {
				return nil, fmt.Errorf("read git rev-list: %w", err)
			}
			family = append(family, c)
		}
		if len(family) == 0 {
			continue
		}
		at, named := first[family[0]]
		if a := commits[family[0]]; a != nil {
			delete(missed, family[0])
			if named {
				name(a, heads[at])
			}
		}
		if !named {
			continue
		}
		delete(first, family[0])
		for _, parent := range family[1:] {
			if before, known := first[parent]; !known || at < before {
				first[parent] = at
			}
		}
	}
	return missed, lines.Err()
}
