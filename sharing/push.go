package sharing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/refs"
)

// Errors of a push that a person must resolve.
var (
	ErrMoved    = errors.New("the remote's URL has changed since the level was chosen")
	ErrDiverged = errors.New("this clone is a copy of another one that has published since")
	ErrBehind   = errors.New("the remote has events of this clone that the clone itself has lost")
	ErrBusy     = errors.New("another push of traces to this remote is under way")
	ErrNothing  = errors.New("nothing is recorded here")
	// ErrEmpty reports a log without events, for example after the earlier log was set aside.
	ErrEmpty = errors.New("nothing was recorded here since the log was started again")
	// ErrLogRefused reports a refused push of the whole log; its commits are the same for everybody.
	ErrLogRefused = errors.New("the remote refused the whole log")
	// ErrKept reports that the remote refused to remove something.
	ErrKept   = errors.New("the remote does not let you remove anything")
	ErrHidden = errors.New("the remote has accepted the traces, but hides them")
)

// Plan is the content of a push, made before the first byte is sent.
type Plan struct {
	Remote  Remote
	Level   Level
	URL     string // URL with credentials, as git would use it
	Writer  string
	Digest  *Digest
	Records Conversations // set at LevelConversations and wider
	Refs    []Ref         // refs to make or move; none if the remote has everything
	Others  int           // refs of other writers' traces on the remote
	Doubts  []Doubt       // events that others saw on the remote, and that it does not show

	Branches int // branches and tags of the remote

	ahead    bool // the remote has commits that are not here: their content is unknown
	means    Means
	rules    string                // a hash of the rules of redaction, and of the level
	looked   map[refs.OID]refs.OID // the blobs of records that leave, by their stored blobs here
	unsent   map[refs.OID]bool     // records without some commits, because the remote does not have them
	anew     bool                  // the digest is new, without a history
	replaces bool                  // the new digest replaces any value on the remote
	repo     *refs.Repo
	log      *events.Log
	settings *Settings
	base     *earlier
	fresh    []events.Draft
	fetched  []events.FetchedLog
	lock     *refs.FileLock
	// published reports which commits the remote has.
	published Published
}

// Ref is a ref of the remote that a push makes or moves.
type Ref struct {
	Name string
	Old  refs.OID // the present value on the remote
	New  refs.OID // zero until it is made
	// Force replaces the remote's history of the ref, because something in it must go, but only if the ref is still at
	// Old.
	Force bool

	kept  string // the local ref that notes it
	state string // state of the push: "pushed", or the reason of a failure
}

// New returns the new events of the plan, in their form for the digest.
func (p *Plan) New() []events.Draft { return p.fresh }

// Replaces reports whether the remote loses the history of texts or of a digest.
func (p *Plan) Replaces() bool {
	return slices.ContainsFunc(p.Refs, func(r Ref) bool { return r.Force && r.Name != p.ref("events") })
}

// Close frees the remote for another push.
func (p *Plan) Close() {
	if p.lock != nil {
		p.lock.Unlock()
		p.lock = nil
	}
}

// Means holds functions of other packages that a plan needs. Store and Reconcile may be nil.
type Means struct {
	// Redactor returns a redactor with the present rules.
	Redactor func(ctx context.Context) (*redact.Redactor, error)
	// Store stores the waiting conversations. A failure for one of them is not an error.
	Store func(ctx context.Context) error
	// Reconcile writes to the log the owners in a remote's commits that no hook reported. The parameter `label` names the
	// remote in the refs of fetched logs. The function `open` opens the logs whose claims this clone may pass on.
	Reconcile func(ctx context.Context, log *events.Log, label string, has Published,
		open func(*refs.Repo) (*index.Index, error)) error
}

// MakePlan computes the content of a push at a level. It first stores waiting conversations and missing anchors here.
// It sends nothing. The caller closes the plan.
func MakePlan(ctx context.Context, log *events.Log, s *Settings, remote Remote, level Level, means Means) (
	*Plan, error) {
	return makePlan(ctx, log, s, remote, level, means, false)
}

func makePlan(ctx context.Context, log *events.Log, s *Settings, remote Remote, level Level, means Means,
	anew bool) (*Plan, error) {
	p := &Plan{Remote: remote, Level: level, means: means, repo: log.Repo(), log: log, settings: s,
		anew: anew, replaces: anew}
	end, err := log.End(refs.EventsRef)
	switch {
	case err != nil:
		return nil, err
	case end.Seq == 0:
		return nil, noEvents(log)
	}
	p.Writer = end.Writer
	if err := p.reach(ctx); err != nil {
		return nil, err
	}
	if err := p.fill(ctx); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// noEvents returns the reason why a log has no events.
func noEvents(log *events.Log) error {
	writer, err := log.Writer()
	switch {
	case err != nil:
		return err
	case writer == "":
		return ErrNothing
	}
	return ErrEmpty
}

// reach compares the destination with the URL for which the level was chosen, and locks it against other pushes.
func (p *Plan) reach(ctx context.Context) (err error) {
	if p.URL, err = p.settings.PushURL(ctx, p.repo, p.Remote.Name); err != nil {
		return err
	}
	if was := p.Remote.Pinned; was != "" && was != Bare(p.URL) {
		return fmt.Errorf("%w: %s is %s, and was %s", ErrMoved, p.Remote.Name, Bare(p.URL), was)
	}
	p.lock, err = refs.Flock(filepath.Join(p.repo.TracesDir(), "locks", "push-"+shortHash(p.URL)), pushPatience)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return nil
}

// pushPatience is the time that a push waits for another one to the same place.
const pushPatience = 10 * time.Second

func (p *Plan) fill(ctx context.Context) error {
	if _, err := p.log.Drain(ctx); err != nil {
		return err
	}
	if p.means.Store != nil && p.Level.Wider(LevelCommits) {
		if err := p.means.Store(ctx); err != nil {
			return err
		}
	}
	remote, err := there(ctx, p.repo, p.URL, "refs/heads/*", "refs/tags/*", p.Remote.Prefix+"*")
	if err != nil {
		return err
	}
	tips, err := p.settings.codeTips(ctx, p.repo, p.Remote)
	if err != nil {
		return err
	}
	var branches []refs.OID
	for name, id := range remote {
		if strings.HasPrefix(name, p.Remote.Prefix) {
			if !strings.HasPrefix(name, p.Remote.Prefix+p.Writer+"/") {
				p.Others++
			}
			continue
		}
		tips, p.Branches = append(tips, id.String()), p.Branches+1
		branches = append(branches, id)
	}
	if p.ahead, err = p.repo.Lacks(ctx, branches); err != nil {
		return err
	}
	if p.fetched, err = p.log.Fetched(ctx); err != nil {
		return err
	}
	p.published = func(commits []refs.OID) (map[refs.OID]bool, error) { return p.repo.LedTo(ctx, commits, tips...) }
	if p.means.Reconcile != nil {
		open := index.Open
		if p.settings.signs() { // a digest's signature must not cover others' unsigned claims
			open = index.OpenSigned
		}
		if err := p.means.Reconcile(ctx, p.log, p.Remote.Label, p.published, open); err != nil {
			return err
		}
	}
	if p.Digest, err = MakeDigest(ctx, p.log, p.fetched, p.published); err != nil {
		return err
	}
	if err := p.settle(ctx, remote[p.ref("digest")]); err != nil {
		return err
	}
	if p.Level.Wider(LevelCommits) {
		if err := p.chooseRecords(ctx, remote[p.ref("records")]); err != nil {
			return err
		}
	}
	if err := p.hearAside(ctx); err != nil {
		return err
	}
	span, err := p.settings.Span()
	if err != nil {
		return err
	}
	if p.fresh, err = p.Digest.missing(p.base.content, span); err != nil {
		return err
	}
	// A digest with only log_started is useless.
	if p.base.commit.IsZero() && len(p.Digest.Commits) == 0 {
		p.fresh = nil
	}
	if p.Level.Wider(LevelCommits) {
		p.chooseRecordsRef(remote[p.ref("records")])
	}
	if p.Doubts, err = doubts(ctx, p.log, p.fetched, p.Remote.Label); err != nil {
		return err
	}
	return p.chooseRefs(ctx, remote)
}

// ref returns the name of this clone's ref on the remote.
func (p *Plan) ref(kind string) string { return p.Remote.Prefix + p.Writer + "/" + kind }

// `kept` returns the local ref that notes the remote's state.
func (p *Plan) kept(kind string) string { return events.FetchedRef(p.Remote.Label, p.Writer, kind) }

// chooseRefs lists the refs to make or move on the remote.
func (p *Plan) chooseRefs(ctx context.Context, remote map[string]refs.OID) error {
	if p.Level == LevelLog {
		if err := p.seal(ctx); err != nil {
			return err
		}
	}
	if name := p.ref("digest"); p.changes() || p.base.commit != remote[name] {
		force := p.anew && !remote[name].IsZero()
		p.Refs = append(p.Refs, Ref{Name: name, Old: remote[name], Force: force, kept: p.kept("digest")})
	}
	whole := map[string]string{}
	if p.Level == LevelLog {
		whole = map[string]string{"events": refs.EventsRef, "checkpoints": refs.CheckpointsRef}
	}
	for kind, local := range whole {
		tip, err := p.log.Tip(local)
		if err != nil {
			return err
		}
		name := p.ref(kind)
		if tip.IsZero() || tip == remote[name] {
			continue
		}
		if err := p.maySucceed(kind, remote[name], tip); err != nil {
			return err
		}
		// A seal descends from the previous one. If the ref was made again, it replaces the seal that it continues.
		force := !remote[name].IsZero() &&
			(p.replaces || kind == "events" && !newBounds(0).descends(p.repo, tip, remote[name]))
		p.Refs = append(p.Refs, Ref{Name: name, Old: remote[name], New: tip, Force: force, kept: p.kept(kind)})
	}
	// Send records, events, digest and checkpoints in this order: the digest names records, and checkpoints name events.
	slices.SortFunc(p.Refs, func(a, b Ref) int { return cmp.Compare(order(a.Name), order(b.Name)) })
	return nil
}

// maySucceed returns an error unless a ref of the whole log may replace the remote's ref: this clone sent that ref, or
// it is an earlier state of the local ref.
func (p *Plan) maySucceed(kind string, there, tip refs.OID) error {
	switch {
	case there.IsZero() || p.replaces || hasMade(p.repo, p.Writer+"/"+kind, there):
		return nil
	case kind == "events" && p.log.BeginsWith(there) == nil:
		return nil
	case kind == "checkpoints" && newBounds(0).descends(p.repo, tip, there):
		return nil
	}
	return &NotOwn{Ref: p.ref(kind), Why: ErrNotOwn}
}

// seal seals the whole log, and names its end in the digest.
func (p *Plan) seal(ctx context.Context) error {
	if _, err := p.log.Seal(ctx); err != nil {
		return err
	}
	tip, err := p.log.Tip(refs.EventsRef)
	if err != nil || tip.IsZero() {
		return err
	}
	sealed, err := p.log.ReadPublication(tip)
	if err == nil {
		p.Digest.Source = sealed.Head.Source
	}
	return err
}

func order(name string) int {
	return slices.Index([]string{"records", "events", "digest", "checkpoints"}, kindOf(name))
}

// kindOf returns the kind of a writer's ref, its last word.
func kindOf(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
