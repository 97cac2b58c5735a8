package sharing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
)

// An archive is a commit that keeps the refs of other writers, all of one kind. Its first parent is the previous
// archive, the others are the commits of the refs, and its message names the writer of each parent. It is at
// refs/traces/writers/<own>/archive/<kind>. If a writer publishes again, readers take their new ref instead.
// docs/format.md describes the form.

// archiveKinds lists the kinds of refs that are archived. Each kind has its own ref, so that a reader of digests gets
// no texts.
var archiveKinds = []string{"digest", "records", "events", "checkpoints"}

const (
	archiveBefore = "archive" // the line of the previous archive, instead of a writer
	maxArchives   = 10_000    // commits that are read from all archives together
	maxDescent    = 20_000    // commits that are read to find which of two logs continues the other
	maxArchive    = 1 << 20   // bytes of one archive
	perArchive    = 100       // writers in one commit: few enough for a command line of any system
)

// ErrNotArchive reports a commit that is not an archive.
var ErrNotArchive = errors.New("not an archive")

// bounds holds the remaining limits for archives. The field `refs` is the number of entries that may still be unpacked.
type bounds struct {
	commits, refs, descent int
}

func newBounds(refs int) *bounds { return &bounds{maxArchives, refs, maxDescent} }

// readArchive returns the refs in an archive, by writer; nothing for a zero tip.
func (b *bounds) readArchive(ctx context.Context, repo *refs.Repo, tip refs.OID) (map[string]refs.OID, error) {
	objects := repo.Objects()
	objects.Max = maxArchive
	defer func() { _ = objects.Close() }()
	out := map[string]refs.OID{}
	for ; !tip.IsZero(); b.commits-- {
		if len(out) > b.refs {
			return nil, fmt.Errorf("%w: an archive has more", ErrTooMany)
		}
		c, err := objects.Commit(tip)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotArchive, err)
		}
		_, body, _ := strings.Cut(c.Message, "\n\n")
		lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
		if b.commits <= 0 || len(lines) != len(c.Parents) {
			return nil, ErrNotArchive
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		tip = refs.OID{}
		for i, line := range lines {
			_, known := out[line]
			switch {
			case i == 0 && line == archiveBefore:
				tip = c.Parents[0]
			case !events.IsWriter(line):
				return nil, ErrNotArchive
			case !known: // the later archive has precedence
				out[line] = c.Parents[i]
			}
		}
	}
	return out, nil
}

// writeArchive puts refs of writers into an archive, after its former entries; the parameter `before` is zero for a new
// archive.
func (s *Settings) writeArchive(ctx context.Context, log *events.Log, before refs.OID,
	kept map[string]refs.OID) (refs.OID, error) {
	tree, err := log.EmptyTree()
	if err != nil {
		return refs.OID{}, err
	}
	for writers := range slices.Chunk(slices.Sorted(maps.Keys(kept)), perArchive) {
		message := "traces: archive of " + numbers.Count(len(writers), "clone") + "\n\n"
		var parents []refs.OID
		add := func(line string, parent refs.OID) {
			if !slices.Contains(parents, parent) { // git would leave out the second one
				message, parents = message+line+"\n", append(parents, parent)
			}
		}
		if !before.IsZero() {
			add(archiveBefore, before)
		}
		for _, w := range writers {
			add(w, kept[w])
		}
		if before, err = s.commit(ctx, log.Repo(), message, tree, parents); err != nil {
			return refs.OID{}, err
		}
	}
	return before, nil
}

// unpack makes local refs for the entries of a remote's archives, except for writers with refs on the remote: the
// parameter `direct` has their names. It returns the invalid archives, by their refs.
func (b *bounds) unpack(ctx context.Context, repo *refs.Repo, r Remote, own string,
	direct map[string]bool) (map[string]error, error) {
	list, err := repo.RefsUnder(ctx, events.FetchedRef(r.Label, "", ""))
	if err != nil {
		return nil, err
	}
	wanted, wrong := map[string]refs.OID{}, map[string]error{}
	for _, a := range list {
		kind, ok := events.ArchiveOf(a.Name)
		if !ok || !slices.Contains(archiveKinds, kind) {
			continue
		}
		kept, err := b.readArchive(ctx, repo, a.OID)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && len(kept) > b.refs {
			err = fmt.Errorf("%w: an archive has more", ErrTooMany)
		}
		if err != nil {
			wrong[a.Name] = err
			continue
		}
		b.refs -= len(kept)
		for writer, tip := range kept {
			if writer == own || direct[events.FetchedRef(r.Label, writer, kind)] {
				continue
			}
			name := events.ArchivedRef(r.Label, writer, kind)
			if other, twice := wanted[name]; !twice || b.descends(repo, tip, other) {
				wanted[name] = tip
			}
		}
	}
	return wrong, replaceRefs(ctx, repo, events.ArchivedRef(r.Label, "", ""), wanted)
}

// descends reports whether a commit of a writer's ref has another commit as an ancestor, along first parents. It starts
// no process, because there may be ten thousand pairs.
func (b *bounds) descends(repo *refs.Repo, commit, other refs.OID) bool {
	objects := repo.Objects()
	objects.Max = maxArchive
	defer func() { _ = objects.Close() }()
	for ; commit != other && b.descent > 0; b.descent-- {
		c, err := objects.Commit(commit)
		if err != nil || len(c.Parents) == 0 {
			return false
		}
		commit = c.Parents[0]
	}
	return commit == other
}

// replaceRefs sets the refs below a prefix to the wanted ones. It leaves out a ref whose object is missing.
func replaceRefs(ctx context.Context, repo *refs.Repo, prefix string, wanted map[string]refs.OID) error {
	list, err := repo.RefsUnder(ctx, prefix)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, have := range list {
		switch id, ok := wanted[have.Name]; {
		case !ok:
			fmt.Fprintf(&lines, "delete %s %s\n", have.Name, have.OID)
		case id == have.OID:
			delete(wanted, have.Name)
		}
	}
	objects := repo.Objects()
	defer func() { _ = objects.Close() }()
	for name, id := range wanted {
		if _, err := objects.Commit(id); err == nil {
			fmt.Fprintf(&lines, "update %s %s\n", name, id)
		}
	}
	if lines.Len() == 0 {
		return nil
	}
	_, err = repo.Git(ctx, strings.NewReader(lines.String()), "update-ref", "--stdin")
	if len(wanted) > mostLoose {
		_, _ = repo.Git(ctx, nil, "pack-refs", "--all") // a lock that prevents this does no harm
	}
	return err
}
