package sharing

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
)

// ErrBrokenLog reports that this clone's log is damaged: it is not published.
var ErrBrokenLog = errors.New("the log is damaged")

// filesOfPublication is the number of event files from which they are joined.
const filesOfPublication = 256

// `earlier` is this clone's digest on a remote.
type earlier struct {
	commit  refs.OID // zero without a digest
	files   []events.PublishedFile
	last    events.ID
	count   int64
	content map[events.ID]bool // ids of the contents of its events
	records map[events.TraceID]refs.OID
	adopt   string
	source  events.Witness
}

// `none` returns the empty digest, for a remote without refs of this clone.
func none() *earlier { return &earlier{content: map[events.ID]bool{}} }

// readEarlier reads the digest that gets the new events.
func (p *Plan) readEarlier(found events.Publication) (*earlier, error) {
	e := none()
	e.commit, e.files, e.last, e.count = found.Commit, found.Files, found.Head.Last, found.Head.Events
	e.records, e.adopt, e.source = found.Records, found.Head.Adopt, found.Head.Source
	return e, e.hear(p.log, found)
}

// `hear` notes the events of a digest.
func (e *earlier) hear(log *events.Log, found events.Publication) error {
	all, err := log.PublishedEvents(found)
	if err != nil {
		return err
	}
	for i := range all {
		id, err := all[i].Draft().Content()
		if err != nil {
			return err
		}
		e.content[id] = true
	}
	return nil
}

// hearAside notes the events that were published under this clone's former ids: they are not published again. If this
// clone signs, only digests with its signature count.
func (p *Plan) hearAside(ctx context.Context) error {
	for _, f := range p.fetched {
		if !f.Digest || f.Remote != p.Remote.Label || !slices.ContainsFunc(p.fetched, func(a events.FetchedLog) bool {
			return a.Aside && a.Writer == f.Writer
		}) {
			continue
		}
		found, err := p.log.ReadPublication(f.Tip)
		signed := hasMade(p.repo, f.Writer+"/digest", f.Tip)
		if err == nil && !signed {
			signed, err = p.signedByUs(ctx, f.Tip)
		}
		if err == nil && signed {
			err = p.base.hear(p.log, found)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // a damaged digest counts as not published
			continue
		}
	}
	return nil
}

// changes reports whether the remote's publication is out of date. If a whole log is published too, the publication
// names the end of that log, and so the publication's signature covers the log.
func (p *Plan) changes() bool {
	return len(p.fresh) > 0 ||
		p.base.count > 0 && (!maps.Equal(p.base.records, p.shared()) || p.base.adopt != p.settings.adopt() ||
			p.Level == LevelLog && p.base.source != p.Digest.Source)
}

// mayAdopt is the value that allows others to publish a clone's digest.
const mayAdopt = "yes"

// adopt returns the word mayAdopt if trace.allowAdopt is true, otherwise "".
func (s *Settings) adopt() string {
	if s.own.Bool("trace.allowAdopt", false) {
		return mayAdopt
	}
	return ""
}

// `shared` returns the blobs of the records that leave.
func (p *Plan) shared() map[events.TraceID]refs.OID {
	out := map[events.TraceID]refs.OID{}
	for _, e := range p.Records.Sent {
		out[e.Trace] = e.Blob
	}
	return out
}

// TakenBack counts the conversations whose records the push removes from the remote.
func (p *Plan) TakenBack() int {
	n, stay := 0, p.shared()
	for trace := range p.base.records {
		if _, stays := stay[trace]; !stays {
			n++
		}
	}
	return n
}

// publish makes a publication with the new events, and returns its commit. It does not set a ref.
func (p *Plan) publish(ctx context.Context) (refs.OID, error) {
	if !p.changes() {
		return p.base.commit, nil
	}
	files, count, last := slices.Clone(p.base.files), p.base.count, p.base.last
	if len(p.fresh) > 0 {
		added, err := events.Follow(p.fresh, count, last, p.Writer)
		if err != nil {
			return refs.OID{}, err
		}
		file, err := p.log.WritePublished(added)
		if err != nil {
			return refs.OID{}, err
		}
		files = append(files, file)
		count, last = added[len(added)-1].Seq, added[len(added)-1].ID
	}
	if len(files) > filesOfPublication {
		var err error
		if files, err = p.log.JoinPublished(files); err != nil {
			return refs.OID{}, err
		}
	}
	tree, err := p.log.WritePublication(events.Publication{Files: files, Records: p.shared(), Head: events.PublicationHead{
		Format: events.Version, Writer: p.Writer, Level: string(p.Level), ObjectFormat: p.repo.Format.String(),
		Events: count, Last: last, Source: p.Digest.Source, Seen: p.seen(),
		Adopt: p.settings.adopt(),
	}})
	if err != nil {
		return refs.OID{}, err
	}
	return p.commit(ctx, tree, p.base.commit)
}

// mostSeen is the largest number of other writers whose ends a publication names.
const mostSeen = 1000

// `seen` returns the ends of the other writers' digests that were fetched from this remote. So nobody can remove events
// from one digest unnoticed.
func (p *Plan) seen() []events.Witness {
	var out []events.Witness
	for _, f := range p.fetched {
		if f.Remote != p.Remote.Label || !f.Digest || f.Writer == "" || f.Writer == p.Writer || len(out) == mostSeen {
			continue
		}
		if other, err := p.log.ReadPublication(f.Tip); err == nil && other.Head.Writer == f.Writer {
			out = append(out, events.Witness{Writer: f.Writer, Seq: other.Head.Events, Event: other.Head.Last})
		}
	}
	slices.SortFunc(out, func(a, b events.Witness) int { return strings.Compare(a.Writer, b.Writer) })
	return out
}

// commit makes the commit of a publication.
func (p *Plan) commit(ctx context.Context, tree, parent refs.OID) (refs.OID, error) {
	subject, _ := p.settings.always.Get("trace.pushsubject")
	if subject == "" {
		subject = "traces: " + numbers.Count(len(p.Digest.Commits), "commit")
	}
	var parents []refs.OID
	if !parent.IsZero() {
		parents = append(parents, parent)
	}
	return p.settings.commit(ctx, p.repo, subject+"\n", tree, parents)
}
