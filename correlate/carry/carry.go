package carry

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

// slack is the largest delay of a server's clock against a writer's clock.
const slack = 24 * time.Hour

// source is a file of a described commit.
type source struct {
	commit refs.OID
	number int // in the order in which sources were read
	path   string
	blob   refs.OID
	claims *events.CommitData
	owner  map[int]int                // number of an owner in the claims, or nobody, by added line from 0
	given  map[int]bool               // lines that a commit has already got
	left   map[events.Fingerprint]int // number of lines that no commit has got yet, without short ones
	said   int                        // number of letters of the added lines
	common int                        // number of letters of the added lines that are too short for a search
}

// `nobody` is the owner of a line that a described commit added without an owner.
const nobody = -1

type finder struct {
	repo    *refs.Repo
	objects *refs.Objects
	parents map[refs.OID][]refs.OID
	place   map[refs.OID]int // index of each commit of the history, parents first
	older   map[[2]refs.OID]bool
	sources []*source
	byBlob  map[refs.OID][]*source
	byPrint map[events.Fingerprint][]*source
	byRow   map[row][]*source
	gone    map[events.Fingerprint]bool // lines of sources that the history removed and does not have again
	dated   map[refs.OID]time.Time
}

// Find yields claims about commits that HEAD reaches. It derives them from claims about other commits: ones that HEAD
// does not reach, and earlier ones whose lines were removed in between.
func Find(ctx context.Context, repo *refs.Repo, claims []*events.CommitData,
	yield func(*events.CommitData) error) error {
	head, _, err := repo.Head()
	if err != nil || head.IsZero() {
		return err // zero: the repository has no commit yet
	}
	list, err := history.List(ctx, repo, head.String(), "--")
	if err != nil {
		return err
	}
	f := &finder{repo: repo, objects: repo.Objects(), parents: map[refs.OID][]refs.OID{}, place: map[refs.OID]int{},
		older: map[[2]refs.OID]bool{}, byBlob: map[refs.OID][]*source{}, dated: map[refs.OID]time.Time{},
		byPrint: map[events.Fingerprint][]*source{}, byRow: map[row][]*source{}, gone: map[events.Fingerprint]bool{}}
	defer func() { _ = f.objects.Close() }()
	for i := range list {
		f.place[list[i].ID], f.parents[list[i].ID] = i, list[i].Parents
	}
	by := map[refs.OID]*events.CommitData{}
	for _, c := range claims {
		by[c.Commit] = c
	}
	if err := f.readSide(ctx, head, by); err != nil {
		return err
	}
	for i := range list {
		if by[list[i].ID] != nil {
			f.dated[list[i].ID] = list[i].Committed
		}
	}
	if len(f.dated) == 0 {
		return nil
	}
	first := slices.MinFunc(slices.Collect(maps.Values(f.dated)), time.Time.Compare)
	list = slices.DeleteFunc(list, func(c history.Commit) bool { return c.Committed.Before(first.Add(-slack)) })
	return history.Walk(ctx, repo, list, func(c *history.Commit) error {
		found, err := f.commit(c)
		if err != nil {
			return err
		}
		for i := range c.Files {
			if s := f.readFile(c, &c.Files[i], by[c.ID]); s != nil {
				s.giveAll()
			}
		}
		f.follow(c)
		if found == nil {
			return nil
		}
		return yield(found)
	})
}

// readSide reads the described commits that are not in the history.
func (f *finder) readSide(ctx context.Context, head refs.OID, by map[refs.OID]*events.CommitData) error {
	var args []string
	for id := range by {
		if _, stands := f.place[id]; !stands {
			args = append(args, id.String())
		}
	}
	if len(args) == 0 {
		return nil
	}
	side, err := history.List(ctx, f.repo, append(args, "--not", head.String(), "--")...)
	if err != nil {
		return err
	}
	for i := range side {
		f.parents[side[i].ID] = side[i].Parents
	}
	side = slices.DeleteFunc(side, func(c history.Commit) bool { return by[c.ID] == nil })
	return history.Walk(ctx, f.repo, side, func(c *history.Commit) error {
		f.dated[c.ID] = c.Committed
		for i := range c.Files {
			f.readFile(c, &c.Files[i], by[c.ID])
		}
		return nil
	})
}

// `follow` notes which lines of sources a commit removed from the history or brought back.
func (f *finder) follow(c *history.Commit) {
	for i := range c.Files {
		for _, h := range c.Files[i].Hunks {
			for _, line := range h.Removed {
				if print := events.FingerprintOf(line); f.byPrint[print] != nil {
					f.gone[print] = true
				}
			}
		}
	}
	for i := range c.Files {
		for _, h := range c.Files[i].Hunks {
			for _, line := range h.Added {
				delete(f.gone, events.FingerprintOf(line))
			}
		}
	}
}

// readFile makes a source from a file with claimed lines; nil if it has none.
func (f *finder) readFile(c *history.Commit, file *history.File, claims *events.CommitData) *source {
	if claims == nil {
		return nil
	}
	at := slices.IndexFunc(claims.Files, func(a events.AnchorFile) bool { return a.Path == events.EncodePath(file.Path) })
	if at < 0 || !hasLines(file) {
		return nil
	}
	s := &source{commit: c.ID, number: len(f.sources), path: file.Path, blob: file.New, claims: claims,
		owner: map[int]int{}, given: map[int]bool{}, left: map[events.Fingerprint]int{}}
	lines := f.lines(file.New)
	for line := range added(file) {
		if line < len(lines) {
			s.owner[line] = nobody
		}
	}
	claimed := false
	for _, run := range slices.Backward(claims.Files[at].Runs) { // the first claim wins
		for line := run.Start - 1; line < min(run.Start-1+run.Count, len(lines)); line++ {
			if claims.Owners[run.Owner].Kind != events.OwnerUnknown {
				s.owner[line], claimed = run.Owner, true
			}
		}
	}
	if !claimed {
		return nil
	}
	f.sources = append(f.sources, s)
	f.byBlob[s.blob] = append(f.byBlob[s.blob], s)
	var inRow []rowLine
	for _, line := range slices.Sorted(maps.Keys(s.owner)) {
		one := rowLine{line, events.FingerprintOf(lines[line]), correlate.Letters(lines[line])}
		inRow = append(inRow, one)
		if s.said += one.letters; one.letters < correlate.MinSpecific {
			s.common += one.letters
			continue
		}
		s.left[one.print]++
		add(f.byPrint, one.print, s)
	}
	for r := range rowsOf(inRow) {
		add(f.byRow, r, s)
	}
	return s
}

// giveAll notes that the source's own commit has its lines. Another commit gets one only after its removal.
func (s *source) giveAll() {
	for line := range s.owner {
		s.given[line] = true
	}
	clear(s.left)
}

// `give` notes that a commit got a line.
func (s *source) give(line int, text []byte) {
	if print := events.FingerprintOf(text); !s.given[line] && s.left[print] > 0 {
		s.left[print]--
	}
	s.given[line] = true
}

// add adds a source to the list of a key, unless it is the last one there.
func add[K comparable](to map[K][]*source, key K, s *source) {
	if had := to[key]; len(had) == 0 || had[len(had)-1] != s {
		to[key] = append(had, s)
	}
}

// row holds the fingerprints of consecutive lines. It finds them in another file.
type row [correlate.MinRow]events.Fingerprint

type rowLine struct {
	at      int // line of the file
	print   events.Fingerprint
	letters int
}

// rowsOf yields the rows of consecutive lines of a file in which one line is long enough.
func rowsOf(lines []rowLine) iter.Seq[row] {
	return func(yield func(row) bool) {
		for i := 0; i+correlate.MinRow <= len(lines); i++ {
			var r row
			specific := false
			for k, line := range lines[i : i+correlate.MinRow] {
				r[k] = line.print
				specific = specific || line.letters >= correlate.MinSpecific
			}
			if specific && lines[i+correlate.MinRow-1].at == lines[i].at+correlate.MinRow-1 && !yield(r) {
				return
			}
		}
	}
}

// lines returns the lines of a content. If the content cannot be read, there are none.
func (f *finder) lines(blob refs.OID) [][]byte {
	raw, err := f.objects.Blob(blob)
	if err != nil {
		return nil
	}
	return linediff.Split(raw)
}

func hasLines(f *history.File) bool {
	return f.NewMode != refs.ModeGitlink && !f.New.IsZero() && len(f.Hunks) > 0
}

// `added` returns the lines that a commit added to a file, counted from 0.
func added(f *history.File) map[int]bool {
	out := map[int]bool{}
	for _, h := range f.Hunks {
		for n := range h.Added {
			out[h.NewStart-1+n] = true
		}
	}
	return out
}

// commit finds the claims about a commit; nil if there are none.
func (f *finder) commit(c *history.Commit) (*events.CommitData, error) {
	out := &events.CommitData{Commit: c.ID, Parents: c.Parents}
	owners, removed := map[string]int{}, map[string]bool{}
	for i := range c.Files {
		for _, h := range c.Files[i].Hunks {
			for _, line := range h.Removed {
				removed[string(line)] = true
			}
		}
	}
	for i := range c.Files {
		file := &c.Files[i]
		if !hasLines(file) {
			continue
		}
		t := &target{finder: f, commit: c, file: file, added: added(file), removed: removed, bids: map[int]bid{}}
		t.search()
		a := events.AnchorFile{Path: events.EncodePath(file.Path), Blob: file.New}
		for line := range len(t.lines) {
			b, found := t.bids[line]
			if !found || b.owner == nobody || b.split {
				continue
			}
			b.of.give(b.line, t.lines[line])
			owner := b.of.claims.Owners[b.owner]
			key := fmt.Sprint(owner)
			at, known := owners[key]
			if !known {
				at = len(out.Owners)
				owners[key], out.Owners = at, append(out.Owners, owner)
			}
			if last := len(a.Runs) - 1; last >= 0 && a.Runs[last].Owner == at && a.Runs[last].Tier == b.tier &&
				a.Runs[last].Start+a.Runs[last].Count == line+1 {
				a.Runs[last].Count++
			} else {
				a.Runs = append(a.Runs, events.AnchorRun{Start: line + 1, Count: 1, Owner: at, Tier: b.tier})
			}
		}
		if len(a.Runs) > 0 {
			out.Files = append(out.Files, a)
		}
	}
	if len(out.Files) == 0 {
		return nil, nil
	}
	return out, nil
}

// `before` reports whether commit older is an ancestor of commit newer, or the same.
func (f *finder) before(older, newer refs.OID) bool {
	key := [2]refs.OID{older, newer}
	if known, asked := f.older[key]; asked {
		return known
	}
	least, placed := f.place[older]
	seen, open, found := map[refs.OID]bool{newer: true}, []refs.OID{newer}, false
	for len(open) > 0 && !found {
		c := open[len(open)-1]
		open = open[:len(open)-1]
		found = c == older
		if at, is := f.place[c]; is && (!placed || at <= least) { // ancestors have lower numbers
			continue
		}
		for _, p := range f.parents[c] {
			if !seen[p] {
				seen[p] = true
				open = append(open, p)
			}
		}
	}
	f.older[key] = found
	return found
}
