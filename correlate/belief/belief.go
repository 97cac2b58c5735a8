package belief

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Log gives access to this clone's log and to the logs of other clones. The index of the log satisfies it.
type Log interface {
	// ByCommit returns the events that anchor a commit. The events of each log keep their order.
	ByCommit(commit refs.OID) ([]events.Event, error)
	// OwnWriter returns the writer of this clone's log, or "" if the log has no event.
	OwnWriter() (string, error)
}

// Run is a run of lines of a committed file, counted from 1, with the owner that was decided for them.
type Run struct {
	Start, Count int
	Owner        *events.AnchorOwner
	Tier         string
	By           *events.Event // the anchor that names this owner; nil for a finding without an anchor
	// Beyond says that only other clones name these lines, although this clone's hooks saw all added lines. Such lines do
	// not count as added, even if git credits them to the commit.
	Beyond bool
	// Disputed lists the writers of other logs who name another owner with equal evidence.
	Disputed []string
}

func (r *Run) end() int { return r.Start + r.Count }

func (r *Run) Knows() bool { return r.Owner.Kind != events.OwnerUnknown && r.Owner.Kind != "" }

// Elsewhere reports whether the lines do not count for the conversation in this commit. This is so if the commit only
// moved them, as a backfill found, or did not add them.
func (r *Run) Elsewhere() bool {
	return r.Beyond || r.Tier == correlate.TierMovedLines && r.By != nil && slices.Contains(r.By.Method, events.Backfill)
}

// File holds the owners of the lines that a commit added to a file.
type File struct {
	Path string // raw bytes
	Blob refs.OID
	Runs []Run // sorted, no line twice
}

// Commit holds the owners of the lines that a commit added.
type Commit struct {
	ID       refs.OID
	Anchored bool // some log has an anchor for the commit
	// `Heard` says that an anchor is more than a claim: hooks saw the commit, or a search was written to the log. For
	// other commits a search may find more owners.
	Heard bool
	Seen  bool // a hook saw the commit when it was made, or the timeline later
	Found bool // a search found owners that are in no anchor
	book
	// Numbers of lines: Added is the sum of the other three. Lines that an agent and a person both wrote count as AI.
	Added, AI, Human, Unknown int
	// Disputed is the number of lines about which other clones disagree with equal evidence.
	Disputed int

	own    owned                                       // the data of this clone's log
	signer func(voice string) string                   // nil if signatures are not checked
	namer  Namer                                       // may be nil
	named  map[*events.AnchorOwner]*events.AnchorOwner // owners that already have the names of their conversations
}

// owned holds the number of lines that this clone's log gives for a commit.
type owned struct {
	writer string
	added  int
}

// `Of` reads the anchors of a commit and decides which owners count.
func Of(log Log, commit refs.OID) (*Commit, error) {
	c, err := weigh(log, commit)
	if err != nil {
		return nil, err
	}
	return c, hold(context.Background(), log, c)
}

func weigh(log Log, commit refs.OID) (*Commit, error) {
	recorded, err := log.ByCommit(commit)
	if err != nil {
		return nil, fmt.Errorf("read the anchors of commit %s: %w", commit, err)
	}
	own, err := log.OwnWriter()
	if err != nil {
		return nil, fmt.Errorf("read the anchors of commit %s: %w", commit, err)
	}
	c := weighAll(commit, recorded, own, signersOf(log))
	c.namer, _ = log.(Namer)
	c.name()
	return c, nil
}

// Weigh decides which owners count, from the events that name a commit. The parameter `own` is the writer of this
// clone's log.
func Weigh(commit refs.OID, recorded []events.Event, own string) *Commit {
	return weighAll(commit, recorded, own, signersOf(nil))
}

func weighAll(commit refs.OID, recorded []events.Event, own string, signer func(string) string) *Commit {
	c := &Commit{ID: commit, own: owned{writer: own}, signer: signer}
	var logs []*word
	of := map[string]*word{} // by voice
	for i := range recorded {
		e := &recorded[i]
		var data events.CommitData
		if e.Type != events.CommitAnchored || events.ReadData(e.Data, &data) != nil || data.Commit != commit {
			continue // the event is from another clone and contradicts itself
		}
		w := of[e.Voice()]
		if w == nil {
			w = &word{first: e}
			logs, of[e.Voice()] = append(logs, w), w
		}
		c.Heard = c.Heard || !e.Claimed()
		c.Seen = c.Seen || slices.Contains(e.Method, events.PostCommit) || slices.Contains(e.Method, events.PostRewrite)
		w.hear(e, &data)
	}
	if len(logs) == 0 {
		return c
	}
	slices.SortStableFunc(logs, func(a, b *word) int {
		return cmp.Or(first(a.first.Mine(own), b.first.Mine(own)), first(a.first.From == nil, b.first.From == nil),
			cmp.Compare(a.first.Writer, b.first.Writer))
	})
	c.Anchored, c.book = true, logs[0].book
	if logs[0].first.Mine(own) {
		c.own.added = logs[0].added
	}
	whole := logs[0].whole && logs[0].first.Mine(own)
	for i, w := range logs {
		if i == 0 || !whole {
			c.Added = max(c.Added, w.added)
		}
		if i == 0 {
			continue
		}
		for _, f := range w.Files {
			if whole {
				f.Runs = marked(f.Runs, c.Runs(f.Path))
			}
			c.lay(f, func(over, under *Run) Run { return between(over, under, own, signer) })
		}
	}
	c.count()
	return c
}

// Teller returns the writer of the other log from which a run comes, and the signer of that log (see [Signers]). Both
// are empty for runs from this clone's log or from a search.
func (c *Commit) Teller(r *Run) (writer, signer string) {
	if r.By == nil || r.By.Mine(c.own.writer) {
		return "", ""
	}
	return r.By.Writer, c.signer(r.By.Voice())
}

// Found makes a Commit from the findings of a search. The log provides the names of owners; it may be nil.
func Found(log Log, data *events.CommitData) *Commit {
	c := &Commit{ID: data.Commit}
	c.namer, _ = log.(Namer)
	c.Fill(data)
	return c
}

// Fill adds the findings of a search to the commit.
func (c *Commit) Fill(data *events.CommitData) {
	c.Found = true
	for i := range data.Files {
		f, ok := fileOf(&data.Files[i], data.Owners, nil)
		if c.Heard {
			f.Runs = marked(f.Runs, c.Runs(f.Path))
		}
		if ok && c.Heard {
			c.lay(f, beats(fills).take)
		} else if ok {
			c.lay(f, beats(outweighs).take)
		}
	}
	if !c.Heard {
		c.Added = max(c.Added, data.Added)
	}
	c.count()
	c.name()
}

// count computes the numbers of lines from the runs. Lines without a run are unknown.
func (c *Commit) count() {
	c.AI, c.Human, c.Disputed = 0, 0, 0
	for i := range c.Files {
		for k := range c.Files[i].Runs {
			r := &c.Files[i].Runs[k]
			if len(r.Disputed) > 0 && !r.Beyond {
				c.Disputed += r.Count
			}
			switch {
			case r.Beyond:
			case r.Owner.Kind == events.OwnerAI, r.Owner.Kind == events.OwnerMixed:
				c.AI += r.Count
			case r.Owner.Kind == events.OwnerHuman:
				c.Human += r.Count
			}
		}
	}
	c.Added = max(c.Added, c.AI+c.Human)
	c.Unknown = c.Added - c.AI - c.Human
}

// MaxLine limits the line numbers of another clone's log, so that they fit into an int on 32-bit systems.
const MaxLine = math.MaxInt32

// fileOf reads an anchor's data about a file. If runs of one anchor overlap, the first one counts.
func fileOf(f *events.AnchorFile, owners []events.AnchorOwner, by *events.Event) (out File, ok bool) {
	path, err := events.DecodePath(f.Path)
	if err != nil {
		return File{}, false
	}
	out = File{Path: path, Blob: f.Blob, Runs: make([]Run, 0, len(f.Runs))}
	for _, r := range f.Runs {
		if r.Owner >= 0 && r.Owner < len(owners) && r.Start >= 1 && r.Count >= 1 && r.Count <= MaxLine-r.Start {
			out.Runs = append(out.Runs, Run{Start: r.Start, Count: r.Count, Owner: &owners[r.Owner], Tier: r.Tier, By: by})
		}
	}
	slices.SortStableFunc(out.Runs, func(a, b Run) int { return a.Start - b.Start })
	end, kept := 0, out.Runs[:0]
	for _, r := range out.Runs {
		if r.Start < end {
			r.Start, r.Count = end, r.end()-end
		}
		if r.Count > 0 {
			kept, end = append(kept, r), r.end()
		}
	}
	out.Runs = kept
	return out, true
}

// Namer knows the names of conversations. If a Log is also a Namer, its names are used for owners. So a line shows the
// same agent, session and model as its conversation does elsewhere.
type Namer interface {
	Name(owner *events.AnchorOwner)
}

// Named returns an owner with the names of its conversation.
func Named(log Log, owner events.AnchorOwner) events.AnchorOwner {
	if n, ok := log.(Namer); ok && owner.Trace != "" {
		n.Name(&owner)
	}
	return owner
}

// name gives the owners of all runs the names of their conversations. Afterwards runs with the same owner share one
// value.
func (c *Commit) name() {
	if c.namer == nil {
		return
	}
	if c.named == nil {
		c.named = map[*events.AnchorOwner]*events.AnchorOwner{}
	}
	for i := range c.Files {
		for k := range c.Files[i].Runs {
			r := &c.Files[i].Runs[k]
			if r.Owner.Trace == "" {
				continue
			}
			named, done := c.named[r.Owner]
			if !done {
				owner := *r.Owner
				named = &owner
				c.namer.Name(named)
				c.named[r.Owner], c.named[named] = named, named
			}
			r.Owner = named
		}
	}
}
