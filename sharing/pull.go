package sharing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// ErrTooMany reports a remote with more refs of traces than a pull takes without a selection.
var ErrTooMany = errors.New("the remote has too many refs of traces")

// The type What holds the options of a pull.
type What struct {
	Writers []string // only these writers; all if empty
	Records bool     // conversations, too
	Log     bool     // also the whole logs
	Dry     bool     // fetch nothing
	Most    int64    // bytes that may arrive; MostFetched for 0
	Accept  []string // writers whose logs may have another history than before
	refs    int      // number of refs of traces that the remote may have; maxRefs for 0
}

// Pulled is the result of a pull from a remote.
type Pulled struct {
	Remote  string         `json:"remote"`
	Writers []PulledWriter `json:"writers"` // all writers with a digest or log here now, by their ids
	Refs    int            `json:"refs"`    // number of the remote's refs that the pull takes
	Changed int            `json:"changed"` // the number of new or changed refs
	Doubts  []Doubt        `json:"doubts"`  // later ends of logs that a writer saw, and the remote does not show
	// Elsewhere is another prefix under which the remote has traces, if it has none under the prefix of the settings.
	Elsewhere string `json:"elsewhere,omitempty"`
}

// PulledWriter describes the fetched data of a writer.
type PulledWriter struct {
	Writer        string `json:"writer"`
	Ref           string `json:"ref"`
	Events        int64  `json:"events"`
	Commits       int    `json:"commits"`       // number of anchored commits
	Conversations int    `json:"conversations"` // number of conversations that began there
	Records       int    `json:"records"`       // number of conversations with texts here
	Shared        int    `json:"shared"`        // number of conversations whose texts the writer shares
	New           bool   `json:"new"`           // this pull brought or changed the log
	Anew          bool   `json:"anew"`          // the digest was started again, and replaced the former one here
	LeftOut       string `json:"left_out,omitempty"`
	Kept          bool   `json:"kept"` // the former log stays here and counts: the remote now shows another history
}

// refKinds returns the kinds of refs that a pull brings.
func (w What) refKinds() []string {
	kinds := []string{"digest"}
	if w.Records {
		kinds = append(kinds, "records")
	}
	if w.Log {
		kinds = append(kinds, "events", "checkpoints")
	}
	return kinds
}

// refspecs returns the refspecs of a pull, without this clone's own refs.
func (w What) refspecs(r Remote, own string) []string {
	writers := w.Writers
	if len(writers) == 0 {
		writers = []string{"*"}
	}
	var out []string
	for _, writer := range writers {
		for _, kind := range w.refKinds() {
			out = append(out, "+"+r.Prefix+writer+"/"+kind+":"+events.FetchedRef(r.Label, writer, kind))
		}
	}
	if len(w.Writers) > 0 { // the wanted writers may be in an archive
		for _, kind := range w.refKinds() {
			out = append(out, "+"+r.Prefix+"*/archive/"+kind+":"+events.FetchedRef(r.Label, "*", "archive/"+kind))
		}
	}
	if own != "" {
		out = append(out, "^"+r.Prefix+own+"/*")
	}
	return out
}

// mostLoose is the number of new refs from which a pull packs them: every command opens each loose ref.
const mostLoose = 64

// MostFetched is the default of trace.maxFetched.
const MostFetched = 2 << 30

func orMost(most int64) int64 {
	if most == 0 {
		return MostFetched
	}
	return most
}

// ErrNoWriter reports a word that is not the id of a writer.
var ErrNoWriter = errors.New("the id of a writer has 16 hexadecimal digits")

// Pull fetches what other clones have published on a remote.
func Pull(ctx context.Context, log *events.Log, r Remote, w What) (*Pulled, error) {
	repo := log.Repo()
	for _, writer := range slices.Concat(w.Writers, w.Accept) {
		if !events.IsWriter(writer) {
			return nil, fmt.Errorf("%w: %s", ErrNoWriter, writer)
		}
	}
	w.Most = orMost(w.Most)
	own, err := log.Writer()
	if err != nil {
		return nil, err
	}
	before, err := tipsUnder(ctx, repo, events.FetchedRef(r.Label, "", ""))
	if err != nil {
		return nil, err
	}
	had, err := log.Fetched(ctx)
	if err != nil {
		return nil, err
	}
	// Refs that were fetched once are updated too; otherwise they would stay here after their writer withdraws them.
	for kept := range before {
		kind := kept[strings.LastIndexByte(kept, '/')+1:]
		w.Records = w.Records || kind == "records" && w.covers(kept, r, own, kind)
		w.Log = w.Log || kind == "events" && w.covers(kept, r, own, kind)
	}
	w.Records = w.Records || r.Share.Wider(LevelCommits)
	remote, err := there(ctx, repo, r.Name, r.Prefix+"*")
	if err != nil {
		return nil, err
	}
	texts, err := openTexts(ctx, repo, r.Label)
	if err != nil {
		return nil, err
	}
	defer texts.close()
	out := &Pulled{Remote: r.Label, Writers: []PulledWriter{}}
	if len(remote) == 0 {
		if out.Elsewhere, err = elsewhere(ctx, repo, r); err != nil {
			return nil, err
		}
	}
	wanted, direct := w.wants(r, own, remote)
	if out.Refs = len(wanted); out.Refs > cmp.Or(w.refs, maxRefs) {
		return nil, fmt.Errorf("%w: %d", ErrTooMany, out.Refs)
	}
	same, moved := true, 0
	for kept, id := range wanted {
		if before[kept] != id {
			same, moved = false, moved+1
		}
	}
	for kept := range before { // refs that were deleted there are deleted here
		same = same && (!wanted[kept].IsZero() || !w.covers(kept, r, own, w.refKinds()...))
	}
	if !same && !w.Dry {
		err := arriving(ctx, repo, w.Most, "", append(fetching("--prune", "--", r.Name), w.refspecs(r, own)...)...)
		switch {
		case errors.Is(err, ErrTooMuch):
			return nil, err
		case err != nil:
			return nil, unreached(err)
		}
		if moved > mostLoose {
			_, _ = repo.Git(ctx, nil, "pack-refs", "--all") // a lock that prevents this does no harm
		}
	}
	if !w.Dry {
		wrong, err := newBounds(max(0, cmp.Or(w.refs, maxRefs)-out.Refs)).unpack(ctx, repo, r, own, direct)
		if err != nil {
			return nil, err
		}
		for ref, why := range wrong {
			out.Writers = append(out.Writers, PulledWriter{Ref: ref, LeftOut: why.Error()})
		}
	}
	if err := out.look(ctx, log, r, own, had, w, texts); err != nil {
		return nil, err
	}
	fetched, err := log.Fetched(ctx) // the check may have put a ref back
	if err != nil {
		return nil, err
	}
	if out.Doubts, err = doubts(ctx, log, fetched, r.Label); err != nil {
		return nil, err
	}
	return out, nil
}

// `elsewhere` returns a prefix below which a remote has digests, or "". It is foreign text, of harmless characters
// only.
func elsewhere(ctx context.Context, repo *refs.Repo, r Remote) (string, error) {
	found, err := there(ctx, repo, r.Name, "*/digest")
	prefixes := map[string]int{}
	for name := range found {
		prefix, writer := path.Split(path.Dir(name))
		if events.IsWriter(writer) && strings.HasPrefix(prefix, "refs/") && !strings.ContainsFunc(prefix, func(c rune) bool {
			return !strings.ContainsRune("/._-", c) && (c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c))
		}) {
			prefixes[prefix]++
		}
	}
	best := ""
	for _, prefix := range slices.Sorted(maps.Keys(prefixes)) {
		if prefixes[prefix] > prefixes[best] {
			best = prefix
		}
	}
	return best, err
}

// `wants` returns the remote's refs that must be here, by their local names, and the names of all refs that are not
// archives.
func (w What) wants(r Remote, own string, remote map[string]refs.OID) (map[string]refs.OID, map[string]bool) {
	wanted, direct := map[string]refs.OID{}, map[string]bool{}
	for name, id := range remote {
		writer, kind, ok := strings.Cut(strings.TrimPrefix(name, r.Prefix), "/")
		if !ok {
			continue
		}
		kept := events.FetchedRef(r.Label, writer, kind)
		of, archive := strings.CutPrefix(kind, "archive/")
		direct[kept] = !archive
		if writer != own && slices.Contains(w.refKinds(), of) &&
			(archive || len(w.Writers) == 0 || slices.Contains(w.Writers, writer)) {
			wanted[kept] = id
		}
	}
	return wanted, direct
}

// tipsUnder returns the refs below a prefix.
func tipsUnder(ctx context.Context, repo *refs.Repo, prefix string) (map[string]refs.OID, error) {
	list, err := repo.RefsUnder(ctx, prefix)
	out := map[string]refs.OID{}
	for _, ref := range list {
		out[ref.Name] = ref.OID
	}
	return out, err
}

// `covers` reports whether a pull with this choice and these kinds of refs includes a local ref.
func (w What) covers(kept string, r Remote, own string, kinds ...string) bool {
	parts := strings.Split(strings.TrimPrefix(kept, events.FetchedRef(r.Label, "", "")), "/")
	if _, archive := events.ArchiveOf(kept); archive {
		return len(parts) == 3 && parts[0] != own && slices.Contains(kinds, parts[2])
	}
	return len(parts) == 2 && parts[0] != own && slices.Contains(kinds, parts[1]) &&
		(len(w.Writers) == 0 || slices.Contains(w.Writers, parts[0]))
}

// look reads the present refs of the other writers.
func (p *Pulled) look(ctx context.Context, log *events.Log, r Remote, own string, had []events.FetchedLog,
	what What, texts *texts) error {
	before := map[string]refs.OID{}
	for _, f := range had {
		before[f.Name()] = f.Tip
	}
	fetched, err := log.Fetched(ctx)
	if err != nil {
		return err
	}
	var of []events.FetchedLog
	for _, f := range fetched {
		if f.Remote == r.Label && f.Writer != own {
			of = append(of, f)
		}
	}
	copies, err := log.Copies(ctx, of)
	if err != nil {
		return err
	}
	noted := readSeen(log.Repo(), r)
	sound, judged := map[string]events.Publication{}, 0
	for _, c := range copies {
		w := PulledWriter{Writer: c.Writer, Ref: c.Ref, New: before[c.Name()] != c.Tip}
		switch {
		case c.Writer == "":
			w.LeftOut = "it names no writer"
		case c.Err != nil:
			w.LeftOut = c.Err.Error()
		default:
			anew, err := w.count(c.Copy)
			if err == nil && !what.Dry {
				w.Anew, w.LeftOut, err = noted.check(ctx, log, &c, anew, slices.Contains(what.Accept, c.Writer), &judged)
			}
			if err == nil && w.LeftOut != "" {
				err = w.stays(ctx, log, before[c.Name()])
			}
			if err != nil {
				w.LeftOut = err.Error()
			}
			c.Copy.Close()
		}
		if w.New {
			p.Changed++
		}
		if c.Digest && c.Writer != "" && c.Err == nil {
			if w.LeftOut != "" { // perhaps unchanged
				c.Tip, _ = log.Tip(c.Ref)
			}
			if named, err := log.ReadPublication(c.Tip); err == nil { // otherwise the publication names no text
				sound[c.Writer], w.Shared = named, len(named.Records)
			}
		}
		p.Writers = append(p.Writers, w)
	}
	if !what.Dry {
		if len(noted) > 0 {
			if err := noted.keep(log.Repo(), r); err != nil {
				return err
			}
		}
		if err := p.holdTexts(ctx, texts, sound); err != nil {
			return err
		}
	}
	return p.countTexts(ctx, texts)
}

// holdTexts removes the texts that no digest names, and notes their writers.
func (p *Pulled) holdTexts(ctx context.Context, texts *texts, sound map[string]events.Publication) error {
	wrong, err := texts.hold(ctx, sound)
	if err != nil {
		return err
	}
	for i := range p.Writers {
		w := &p.Writers[i]
		if w.LeftOut == "" && strings.HasSuffix(w.Ref, "/digest") {
			w.LeftOut = wrong[w.Writer]
		}
	}
	return nil
}

// countTexts counts the texts that are here now.
func (p *Pulled) countTexts(ctx context.Context, texts *texts) error {
	now, err := texts.current(ctx)
	if err != nil {
		return err
	}
	for i := range p.Writers {
		if w := &p.Writers[i]; strings.HasSuffix(w.Ref, "/digest") {
			for _, kind := range []string{"records", "demanded"} {
				w.Records += len(now[events.FetchedRef(p.Remote, w.Writer, kind)])
				w.Records += len(now[events.ArchivedRef(p.Remote, w.Writer, kind)])
			}
		}
	}
	return nil
}

// stays counts a writer's former log, which was restored because the remote showed another history.
func (w *PulledWriter) stays(ctx context.Context, log *events.Log, before refs.OID) error {
	tip, err := log.Tip(w.Ref)
	if err != nil || tip.IsZero() {
		return err
	}
	c, err := log.Copy(ctx, w.Ref)
	if err != nil {
		return err
	}
	defer c.Close()
	w.Kept, w.New = true, tip != before
	_, err = w.count(c)
	return err
}

// count sums up a log. It returns the number of times its digest was replaced.
func (w *PulledWriter) count(c *events.Copy) (anew int, err error) {
	w.Events = c.Last()
	all, err := ofTypes(c, events.CommitAnchored, events.SessionStarted, events.LogPurged)
	if err != nil {
		return 0, err
	}
	traces := map[events.TraceID]bool{}
	for i := range all {
		if all[i].Type == events.SessionStarted {
			traces[all[i].Trace] = true
		}
	}
	w.Commits, w.Conversations = len(anchored(all)), len(traces)
	return timesAnew(all), nil
}

// Configure makes plain `git fetch` bring digests too, or undoes that.
func Configure(ctx context.Context, repo *refs.Repo, s *Settings, r Remote, on bool) error {
	line := "+" + r.Prefix + "*/digest:" + events.FetchedRef(r.Label, "*", "digest")
	has := slices.Contains(s.always.All("remote."+r.Name+".fetch"), line)
	var err error
	switch {
	case on && !has:
		_, err = repo.Git(ctx, nil, "config", "--local", "--add", "remote."+r.Name+".fetch", line)
	case !on && has:
		_, err = repo.Git(ctx, nil, "config", "--local", "--fixed-value", "--unset-all", "remote."+r.Name+".fetch", line)
	}
	if err != nil {
		return fmt.Errorf("configure %s: %w", r.Name, err)
	}
	return nil
}

// `pulls` reports whether plain fetches of a remote bring traces.
func (s *Settings) pulls(name string) bool {
	return slices.ContainsFunc(s.always.All("remote."+name+".fetch"), func(spec string) bool {
		return strings.Contains(spec, ":refs/traces/remotes/")
	})
}

// LeftOut counts the logs that are not read.
func (p *Pulled) LeftOut() int {
	n := 0
	for _, w := range p.Writers {
		if w.LeftOut != "" {
			n++
		}
	}
	return n
}
