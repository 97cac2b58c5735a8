package backfill

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/correlate/claim"
	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// finder holds the state of one search.
type finder struct {
	options Options
	weights *weights
	seed    seed
	last    time.Time // date of the newest commit, including skipped ones
	late    bool      // some session is dated after all commits

	places   map[string]int32 // path → number
	names    []string
	joined   []int32 // another name of the same file, by number of a path
	pasts    []past
	number   map[refs.OID]int32 // commit → number from 1
	straight []int32
	versions map[int32][]version // versions by group of path numbers
	touched  map[int32]bool      // groups of path numbers that edits name, or that got lines of edits
	unread   []history.Commit

	committed map[refs.OID]bool     // contents that are in the history
	made      map[refs.OID][]made   // results of edits that are in the history
	read      map[refs.OID]*content // contents of the current file
	readSize  int
	reach     reach

	roots    map[string]*root
	blocks   []*block
	postings map[print][]posting
	alive    map[alive][]landed
	also     map[posting][]int32    // further commits that hold the line, on other lines of history
	named    map[refs.OID][]*placed // the only edits of a commit, as their conversation says, by commit
}

// Find searches commits for lines of sessions, parents before children, and returns claims. It calls the function
// `progress` with the number of commits read so far and the number of all commits.
func Find(
	ctx context.Context, repo *refs.Repo, list []history.Commit, sessions []Session, options Options,
	progress func(done, total int),
) (*Result, error) {
	f := &finder{
		options: options, last: options.Last, weights: newWeights(), seed: seed{maphash.MakeSeed()},
		places: map[string]int32{}, number: map[refs.OID]int32{}, versions: map[int32][]version{},
		touched: map[int32]bool{}, committed: map[refs.OID]bool{}, made: map[refs.OID][]made{}, read: map[refs.OID]*content{},
		roots: map[string]*root{}, postings: map[print][]posting{}, alive: map[alive][]landed{}, also: map[posting][]int32{},
		named: map[refs.OID][]*placed{},
	}
	if err := f.readPast(ctx, repo, list, sessions, progress); err != nil {
		return nil, err
	}
	f.straighten()
	edits := f.bringHome(sessions)
	for group := range edits {
		f.touched[group] = true
	}
	f.list(edits)
	for _, place := range slices.Sorted(maps.Keys(edits)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.workOut(place, edits[place])
	}
	f.versions, f.committed = nil, nil // frees memory
	f.index(edits)
	origins := make([][]fileOrigins, len(f.pasts)) // by commit and file
	for i := range f.pasts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		origins[i] = f.commit(int32(i + 1))
	}
	f.withoutClock(origins)
	f.byName(origins)
	f.prove(origins)
	out := &Result{Roots: map[events.TraceID]string{}, Unread: f.unread}
	for i := range f.pasts {
		if c, ok := f.claim(&f.pasts[i], origins[i]); ok {
			out.Claims = append(out.Claims, c)
		}
	}
	for _, b := range f.blocks {
		if s := b.edit.session; b.edit.belongs() {
			out.Roots[s.Trace] = s.root.path
		}
	}
	return out, nil
}

// Result is the result of Find.
type Result struct {
	Claims []claim.Commit            // claims in the order of the commits
	Roots  map[events.TraceID]string // the checkout in which each session of this repository worked
	Unread []history.Commit          // commits that could not be read completely; each has only its unreadable parts
}

// bringHome groups, by file, the edits of sessions that may belong to this repository.
func (f *finder) bringHome(sessions []Session) map[int32][]*placed {
	edits := map[int32][]*placed{}
	for i := range sessions {
		s := &known{Session: &sessions[i]}
		var roots []string
		if roots, s.how = f.home(s.Session); s.how == stranger {
			continue
		}
		s.root = f.rootOf(roots[0], s.how)
		for _, id := range s.Made {
			if commit, ok := f.options.Commit(id); ok {
				s.made = append(s.made, commit)
			}
		}
		late := f.isLate(s.Session)
		f.late = f.late || late
		for j := range s.Edits {
			e := &s.Edits[j]
			full := absolute(s.Session, e.Path)
			for _, root := range roots {
				if name, inside := below(root, full); inside {
					place := f.place(name)
					group := f.group(place)
					one := &placed{Edit: e, session: s, place: place, name: name, root: f.rootOf(root, s.how), late: late}
					edits[group] = append(edits[group], one)
					if id := s.Only[e.Step]; id != "" {
						if commit, ok := f.options.Commit(id); ok {
							f.named[commit] = append(f.named[commit], one)
						}
					}
					break
				}
			}
		}
	}
	return edits
}

// isLate reports whether a session is dated after all commits. Then its clock is wrong, or none of its lines was
// committed.
func (f *finder) isLate(s *Session) bool {
	dated := false
	for i := range s.Edits {
		if t := s.Edits[i].Time; !t.IsZero() {
			if !t.After(f.last.Add(slack)) {
				return false
			}
			dated = true
		}
	}
	return dated
}

// index builds the index of the lines of blocks, and computes their weights from the history.
func (f *finder) index(edits map[int32][]*placed) {
	for _, place := range slices.Sorted(maps.Keys(edits)) {
		for _, e := range edits[place] {
			if e.root.isStrange() {
				continue
			}
			for _, b := range e.blocks {
				f.blocks = append(f.blocks, b)
				for at, p := range b.prints {
					if !p.Blank() {
						f.postings[p] = append(f.postings[p], posting{b, int32(at)})
					}
				}
			}
		}
	}
	f.count()
}

// `count` counts the times that the history adds each line. Copies of a commit by a rebase or a cherry-pick count once:
// they have the same author and author date.
func (f *finder) count() {
	seen := map[uint64]bool{}
	for i := range f.pasts {
		p := &f.pasts[i]
		for _, file := range p.files {
			var sum maphash.Hash
			sum.SetSeed(f.seed.Seed)
			fmt.Fprintf(&sum, "%s %d %d", p.Author, p.Authored.Unix(), file.place)
			for _, h := range file.hunks() {
				for _, line := range h.added {
					_, _ = sum.Write(line[:])
				}
			}
			if key := sum.Sum64(); seen[key] {
				continue
			} else {
				seen[key] = true
			}
			for _, h := range file.hunks() {
				for _, line := range h.added {
					f.weights.add(line, f.group(file.place))
				}
			}
		}
	}
}

// withoutClock compares the sessions dated after all commits with the lines that have no origin yet.
func (f *finder) withoutClock(origins [][]fileOrigins) {
	if !f.late {
		return
	}
	for i := range f.pasts {
		p := &f.pasts[i]
		for j := range origins[i] {
			out := p.files[j].originsOf(origins[i][j])
			f.file(int32(i+1), &p.files[j], out, true)
			origins[i][j] = f.kept(p, out)
		}
	}
}

// The weight of distinctive lines in commits that proves a checkout in another directory.
const (
	provenSame  = 1.0 // weight if the lines replaced the same old lines
	provenEdits = 2.0 // weight if edits replaced text of this repository
	provenLines = 4.0 // otherwise; commits must also have most of the written lines
	most        = 0.8
	half        = 0.5 // share of the lines that counts as most, for a directory with the name of this repository
)

// slips is the number of replacements that may fail before a checkout is doubted: people and commands also change files
// between the calls of an agent.
const slips = 2

// prove decides which checkouts belong to this repository.
func (f *finder) prove(origins [][]fileOrigins) {
	for _, files := range origins {
		for _, hunks := range files {
			for _, lines := range hunks {
				for _, l := range lines {
					if l.b != nil && !isBoilerplate(l.b.edit.name) {
						l.b.edit.root.landed += f.weights.of(l.b.prints[l.at])
					}
				}
			}
		}
	}
	for _, b := range f.blocks {
		for _, p := range b.prints {
			if !isBoilerplate(b.edit.name) {
				b.edit.root.wrote += f.weights.of(p)
			}
		}
	}
	for name, r := range f.roots {
		share := most
		if f.isNamed(name) {
			share = half
		}
		if r.same >= provenSame || r.right > 0 && r.right+slips > r.wrong && r.landed >= provenEdits ||
			r.landed >= provenLines && r.landed >= share*r.wrote {
			r.how = member
		}
	}
}

// isNamed reports whether a directory has the name of this repository.
func (f *finder) isNamed(dir string) bool {
	same := func(url string) bool { return strings.EqualFold(path.Base(remoteName(url)), path.Base(dir)) }
	return slices.ContainsFunc(f.options.Roots, same) || slices.ContainsFunc(f.options.Remotes, same)
}

// isBoilerplate reports whether a file is similar in all repositories. Its lines do not show to which repository they
// belong.
func isBoilerplate(name string) bool {
	base := strings.ToLower(path.Base(name))
	return strings.HasPrefix(base, ".") || strings.HasPrefix(base, "license") || strings.HasPrefix(base, "copying") ||
		strings.HasSuffix(base, ".lock") || strings.HasSuffix(base, "-lock.json") || base == "go.sum"
}

// rootOf returns the root for a directory of sessions, new if it is not known yet.
func (f *finder) rootOf(dir string, how belonging) *root {
	r := f.roots[dir]
	if r == nil {
		r = &root{path: dir}
		f.roots[dir] = r
	}
	r.how = max(r.how, how)
	return r
}

// claim returns the claim for a commit. It returns false if nothing was found.
func (f *finder) claim(p *past, origins []fileOrigins) (claim.Commit, bool) {
	c := claim.Commit{CommitData: events.CommitData{Commit: p.ID, Parents: p.Parents}}
	if !slices.ContainsFunc(origins, func(o fileOrigins) bool { return o != nil }) {
		return c, false
	}
	owners := map[*placed]int{}
	for i, file := range p.files {
		lines := claim.Lines{Path: f.names[file.place], Blob: file.blob}
		anchor := events.AnchorFile{Path: events.EncodePath(f.names[file.place]), Blob: file.blob}
		for h, hunk := range file.hunks() {
			for k := range hunk.added {
				lines.Added = append(lines.Added, hunk.start+k)
				if origins[i] == nil {
					continue
				}
				l := origins[i][h][k]
				if l.b == nil || !l.b.edit.belongs() {
					continue
				}
				owner, known := owners[l.b.edit]
				if !known {
					owner = len(c.Owners)
					owners[l.b.edit], c.Owners = owner, append(c.Owners, ownerOf(l.b.edit))
				}
				anchor.Runs = append(anchor.Runs, events.AnchorRun{Start: hunk.start + k, Count: 1, Owner: owner, Tier: l.tier})
			}
		}
		if len(lines.Added) > 0 {
			c.Lines = append(c.Lines, lines)
		}
		if len(anchor.Runs) > 0 {
			c.Files = append(c.Files, anchor)
		}
	}
	return c, len(owners) > 0
}

func ownerOf(e *placed) events.AnchorOwner {
	return events.AnchorOwner{
		Kind: events.OwnerAI, Trace: e.session.Trace, Agent: e.session.Agent, Session: e.session.ID, Subagent: e.Subagent,
		Model: e.Model,
		Tool:  e.Tool, ToolCall: e.Call, Prompt: e.Prompt, Step: e.Step,
	}
}

// byName handles commits whose conversation says that they have the edits of only one step. Aider makes such commits.
// In the files of these edits the step gets all lines without another owner. Their content is not compared, because a
// formatter in a hook may have changed it.
func (f *finder) byName(origins [][]fileOrigins) {
	for i := range f.pasts {
		p := &f.pasts[i]
		for _, e := range slices.Backward(f.named[p.ID]) { // the last edit of the file
			if len(e.blocks) == 0 {
				continue
			}
			for j := range p.files {
				if f.fits(e, &p.files[j]) {
					origins[i][j] = p.files[j].originsOf(origins[i][j])
					fillNamed(origins[i][j], e.blocks[0])
				}
			}
		}
	}
}

func fillNamed(hunks fileOrigins, b *block) {
	for _, lines := range hunks {
		for k := range lines {
			switch l := &lines[k]; {
			case l.isOpen():
				*l = landing{b: b, tier: tierNamed}
			case l.b != nil && l.b.edit.session == b.edit.session && l.tier == tierFingerprint:
				l.tier = tierNamed
			}
		}
	}
}
