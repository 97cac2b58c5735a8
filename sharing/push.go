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
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/refs"
)

// Errors of a push that a person has to settle.
var (
	ErrMoved    = errors.New("the remote's URL is another one than when the level was chosen")
	ErrDiverged = errors.New("this clone is a copy of another one that has published since")
	ErrBehind   = errors.New("the remote has events of this clone that the clone itself has lost")
	ErrBusy     = errors.New("another push of traces to this remote is under way")
	ErrNothing  = errors.New("nothing is recorded here")
	// ErrLogRefused is of a push with refs of the whole log, whose commits are the same for everybody.
	ErrLogRefused = errors.New("the remote refused the whole log")
	ErrHidden     = errors.New("the remote has taken the traces, and shows them to nobody")
)

// Plan is what a push would send, made before the first byte of it goes.
type Plan struct {
	Remote  Remote
	Level   Level
	URL     string // with credentials, as git would use it
	Writer  string
	Digest  *Digest
	Records Conversations // at LevelConversations and wider
	Refs    []Ref         // that would be made or moved; none when the remote has everything
	Others  int           // refs of traces that the remote has of other writers
	Doubts  []Doubt       // what others saw on the remote, and it does not show

	Branches int // and tags that the remote has

	redactor func(context.Context) (*redact.Redactor, error)
	rules    string // a hash of the redactor's
	anew     bool   // the digest begins anew, without a history
	repo     *refs.Repo
	log      *events.Log
	settings *Settings
	base     *earlier
	fresh    []events.Draft
	fetched  []events.FetchedLog
	lock     *refs.FileLock
}

// Ref is a ref of the remote that a push makes or moves.
type Ref struct {
	Name string
	Old  refs.OID // there
	New  refs.OID // zero until it is made
	// Force: the remote's history of it goes, for something in it must not be had any more. It goes only if it is Old.
	Force bool

	kept  string // where it is noted here
	state string // of the push: "pushed", or why not
}

// New events that the plan sends, as they would stand in the digest.
func (p *Plan) New() []events.Draft { return p.fresh }

// Close gives the remote free for another push.
func (p *Plan) Close() {
	if p.lock != nil {
		p.lock.Unlock()
		p.lock = nil
	}
}

// MakePlan finds out what a push at a level would send to a remote. It sends nothing. Close the plan.
func MakePlan(ctx context.Context, log *events.Log, s *Settings, remote Remote, level Level,
	redactor func(context.Context) (*redact.Redactor, error)) (*Plan, error) {
	return makePlan(ctx, log, s, remote, level, redactor, false)
}

func makePlan(ctx context.Context, log *events.Log, s *Settings, remote Remote, level Level,
	redactor func(context.Context) (*redact.Redactor, error), anew bool) (*Plan, error) {
	p := &Plan{Remote: remote, Level: level, redactor: redactor, repo: log.Repo(), log: log, settings: s, anew: anew}
	end, err := log.End(refs.EventsRef)
	switch {
	case err != nil:
		return nil, err
	case end.Seq == 0:
		return nil, ErrNothing
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

// reach settles where it goes, the URL of the time when a level was chosen. It keeps other pushes from there meanwhile.
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

// pushPatience is how long a push waits for another one to the same place.
const pushPatience = 10 * time.Second

func (p *Plan) fill(ctx context.Context) error {
	if _, err := p.log.Drain(ctx); err != nil {
		return err
	}
	remote, err := there(ctx, p.repo, p.URL, "refs/heads/*", "refs/tags/*", p.Remote.Prefix+"*")
	if err != nil {
		return err
	}
	tips, err := p.settings.codeTips(ctx, p.repo, p.Remote)
	if err != nil {
		return err
	}
	for name, id := range remote {
		if strings.HasPrefix(name, p.Remote.Prefix) {
			if !strings.HasPrefix(name, p.Remote.Prefix+p.Writer+"/") {
				p.Others++
			}
			continue
		}
		tips, p.Branches = append(tips, id.String()), p.Branches+1
	}
	if p.fetched, err = p.log.Fetched(ctx); err != nil {
		return err
	}
	published := func(commits []refs.OID) (map[refs.OID]bool, error) { return p.repo.LedTo(ctx, commits, tips...) }
	if p.Digest, err = MakeDigest(ctx, p.log, p.fetched, published); err != nil {
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
	if err := p.base.hearAside(ctx, p.log, p.fetched, p.Remote); err != nil {
		return err
	}
	span, err := p.settings.Span()
	if err != nil {
		return err
	}
	if p.fresh, err = p.Digest.missing(p.base.content, span); err != nil {
		return err
	}
	// A digest that only says that there is a log tells nobody anything.
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

// ref is the name of an own ref on the remote.
func (p *Plan) ref(kind string) string { return p.Remote.Prefix + p.Writer + "/" + kind }

// kept is where it is noted here what the remote has of it.
func (p *Plan) kept(kind string) string { return events.FetchedRef(p.Remote.Label, p.Writer, kind) }

// chooseRefs lists what has to be made or moved on the remote.
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
		// A seal does not descend from the one before. It takes its place where the log goes on from what it held.
		force := kind == "events" && !remote[name].IsZero()
		if force && p.log.BeginsWith(remote[name]) != nil {
			return ErrDiverged
		}
		p.Refs = append(p.Refs, Ref{Name: name, Old: remote[name], New: tip, Force: force, kept: p.kept(kind)})
	}
	// Records, events, digest, checkpoints: the digest names records, checkpoints name events.
	slices.SortFunc(p.Refs, func(a, b Ref) int { return cmp.Compare(order(a.Name), order(b.Name)) })
	return nil
}

// seal has the log's ref hold all that was recorded, and lets the digest name its end.
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
	return slices.Index([]string{"records", "events", "digest", "checkpoints"}, name[strings.LastIndexByte(name, '/')+1:])
}

// settle finds the digest on which this one is built: what the remote has, if that is of this very clone.
func (p *Plan) settle(ctx context.Context, there refs.OID) error {
	kept := p.kept("digest")
	here, err := p.log.Tip(kept)
	if err != nil {
		return err
	}
	if !there.IsZero() && there != here {
		if err := p.bring(ctx, p.URL, there); err != nil {
			return err
		}
		err := p.isOurs(ctx, there)
		if p.anew && err != nil && !errors.Is(err, ErrBehind) && !errors.Is(err, ErrDiverged) {
			p.base = none() // it is damaged, and goes
			return nil
		}
		if err != nil {
			return err
		}
		if err := p.repo.SetRef(ctx, kept, there); err != nil {
			return err
		}
	}
	if p.anew = p.anew && !there.IsZero(); p.anew {
		p.base = none()
		return nil
	}
	if p.base, err = readEarlier(ctx, p.log, kept); err != nil {
		return fmt.Errorf("read what %s has of this clone: %w", p.Remote.Name, err)
	}
	return nil
}

// bring fetches the digest that a remote has of this clone. A push that was killed after it had sent everything has the
// commit here already.
func (p *Plan) bring(ctx context.Context, from string, there refs.OID) error {
	objects := p.repo.Objects()
	_, err := objects.Commit(there)
	_ = objects.Close()
	if err == nil {
		return nil
	}
	if _, err := talk(ctx, p.repo, fetching("--", from, p.ref("digest"))...); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreached, err)
	}
	return nil
}

// isOurs tells whether a digest that carries the own writer's name was made from this log.
func (p *Plan) isOurs(ctx context.Context, commit refs.OID) error {
	other, err := p.log.ReadPublication(commit)
	if err != nil {
		return fmt.Errorf("read what %s has of this clone: %w", p.Remote.Name, err)
	}
	source := other.Head.Source
	if other.Head.Writer != p.Writer || source.Seq > p.Digest.Source.Seq {
		return fmt.Errorf("%w: it goes to event %d, the log here to %d", ErrBehind, source.Seq, p.Digest.Source.Seq)
	}
	own, err := p.log.Copy(ctx, refs.EventsRef)
	if err != nil {
		return err
	}
	defer own.Close()
	at, found, err := own.Event(source.Seq)
	if err != nil {
		return err
	}
	if !found || at.ID != source.Event {
		return ErrDiverged
	}
	return nil
}

// Push sends what was planned. It tells how each ref fared; the notes here of what the remote has are moved for the
// refs that arrived, and for them alone.
func (p *Plan) Push(ctx context.Context, verify bool) ([]Pushed, error) {
	if p.anew {
		if err := p.tellAnew(ctx); err != nil {
			return nil, err
		}
	}
	for i := range p.Refs {
		r := &p.Refs[i]
		var err error
		switch {
		case !r.New.IsZero():
		case r.kept == p.kept("records"):
			err = p.publishRecords(ctx, r)
		default:
			r.New, err = p.publish(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(p.Refs) == 0 {
		return nil, nil
	}
	sent, err := p.sendAll(ctx, verify)
	if err == nil && p.rules != "" {
		_ = refs.WriteFileAtomic(p.rulesPath(), []byte(p.rules), 0o600) // without it all are looked at again
	}
	if err == nil {
		err = p.isShown(ctx)
	}
	if err == nil {
		err = noteAuto(p.repo, p.Remote, nil)
	}
	return sent, err
}

// isShown asks whether others will see what the remote did not show before. Some take refs that they hide.
func (p *Plan) isShown(ctx context.Context) error {
	fresh := slices.DeleteFunc(slices.Clone(p.Refs), func(r Ref) bool { return !r.Old.IsZero() || r.New.IsZero() })
	if len(fresh) == 0 {
		return nil
	}
	found, err := there(ctx, p.repo, p.URL, p.ref("*"))
	if err != nil {
		return err
	}
	for _, r := range fresh {
		if found[r.Name].IsZero() {
			return fmt.Errorf("%w: %s", ErrHidden, r.Name)
		}
	}
	return nil
}

// sendAll sends all refs of the plan, at once where the server can.
func (p *Plan) sendAll(ctx context.Context, verify bool) ([]Pushed, error) {
	err := p.send(ctx, verify, p.Refs, "--atomic")
	var remote *RemoteError
	if errors.As(err, &remote) && strings.Contains(strings.Join(remote.Lines, "\n"), "does not support --atomic") {
		err = p.sendOneByOne(ctx, verify)
	}
	return p.arrived(ctx, err)
}

// arrived notes here what the remote has now.
func (p *Plan) arrived(ctx context.Context, err error) ([]Pushed, error) {
	var out []Pushed
	for _, r := range p.Refs {
		out = append(out, Pushed{Ref: r.Name, Commit: r.New, Old: r.Old, State: r.state})
		if r.state != statePushed {
			continue
		}
		var keepErr error
		if r.New.IsZero() {
			_, keepErr = p.repo.Git(ctx, nil, "update-ref", "-d", r.kept)
		} else {
			keepErr = p.repo.SetRef(ctx, r.kept, r.New)
		}
		if err == nil {
			err = keepErr
		}
	}
	return out, err
}

// Pushed is how a ref fared.
type Pushed struct {
	Ref    string   `json:"ref"`
	Old    refs.OID `json:"old,omitzero"`
	Commit refs.OID `json:"commit,omitzero"` // absent for a ref that was deleted
	State  string   `json:"state"`           // "pushed", or what the remote said
}

const statePushed = "pushed"

// sendOneByOne is for servers that cannot move several refs at once: what a digest names goes before it.
func (p *Plan) sendOneByOne(ctx context.Context, verify bool) error {
	for i := range p.Refs {
		if err := p.send(ctx, verify, p.Refs[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// send runs git push and reads, in its form for programs, how each ref fared.
func (p *Plan) send(ctx context.Context, verify bool, list []Ref, options ...string) error {
	args := patient("push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no")
	args = append(args, options...)
	if !verify {
		args = append(args, "--no-verify")
	}
	for _, r := range list {
		if r.Force {
			args = append(args, "--force-with-lease="+r.Name+":"+r.Old.String())
		}
	}
	args = append(args, "--", p.Remote.Name)
	for _, r := range list {
		if r.New.IsZero() {
			args = append(args, ":"+r.Name)
		} else {
			args = append(args, r.New.String()+":"+r.Name)
		}
	}
	out, err := talk(ctx, p.repo, args...)
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(fields) < 3 {
			continue
		}
		_, name, _ := strings.Cut(fields[1], ":")
		for i := range p.Refs {
			if p.Refs[i].Name != name {
				continue
			}
			p.Refs[i].state = fields[2]
			if fields[0] != "!" {
				p.Refs[i].state = statePushed
			}
		}
	}
	if err != nil && !slices.ContainsFunc(p.Refs, func(r Ref) bool { return r.state != "" }) {
		return fmt.Errorf("%w: %w", ErrUnreached, err)
	}
	return refusedBy(err, list)
}

// refusedBy adds to an error of a push what git says of each ref.
func refusedBy(err error, list []Ref) error {
	var refused *RemoteError
	if errors.As(err, &refused) {
		for _, r := range list {
			if r.state == statePushed || strings.Contains(r.state, "(atomic ") { // for the sake of another one
				continue
			}
			refused.States = append(refused.States, r.Name+": "+r.state)
			kind := r.Name[strings.LastIndexByte(r.Name, '/')+1:]
			if strings.Contains(r.state, "declined") && (kind == "events" || kind == "checkpoints") {
				return fmt.Errorf("%w: %w", ErrLogRefused, err)
			}
		}
	}
	return err
}
