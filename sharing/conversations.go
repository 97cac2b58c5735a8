package sharing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

// Conversations holds the records that a push sends.
type Conversations struct {
	Sent     []store.Entry
	Redacted int           // places with redactions in them
	Attached int           // images and files with placeholders in the texts
	Encoded  int           // texts in them with encoded data, which no rule of redaction reads
	Kept     []Kept        // records that own a line of a published commit and stay here
	Unstored int           // conversations without a record
	again    bool          // a record was redacted again
	before   []store.Entry // the remote's present records, if they are known
}

// Kept is a record that stays here.
type Kept struct {
	Trace events.TraceID `json:"trace"`
	Why   string         `json:"why"`
	Fault bool           `json:"fault,omitempty"` // the level would let it leave
}

// maxShared is the largest size of a record that is sent: forges refuse objects of twice that size, and a refused
// object blocks its ref forever.
const maxShared = 50 << 20

// chooseRecords checks the record of each conversation that owns a line of a published commit. If the rules of
// redaction have changed since it was stored, it is redacted again before it leaves.
func (p *Plan) chooseRecords(ctx context.Context, there refs.OID) error {
	s := store.Open(p.repo)
	defer func() { _ = s.Close() }()
	here, err := p.log.Tip(p.kept("records"))
	if err == nil && here == there && hasMade(p.repo, p.Writer+"/records", there) { // or they go, with their history
		p.Records.before, err = s.On(p.kept("records"))
	}
	if err != nil {
		return err
	}
	redactor, err := p.means.Redactor(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnredacted, err)
	}
	p.rules = shortHash(redactor.Fingerprint() + string(p.Level))
	p.readLooked()
	for _, trace := range p.mayLeave() {
		if isPrivate(p.repo, trace) {
			p.Records.Kept = append(p.Records.Kept, Kept{trace, "you keep it to yourself", false})
			continue
		}
		e, err := s.Find(ctx, trace)
		switch {
		case errors.Is(err, store.ErrNotFound) || err == nil && !e.Own():
			p.Records.Unstored++
			continue
		case err == nil:
			err = p.look(ctx, s, redactor, &e)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			p.Records.Kept = append(p.Records.Kept, Kept{trace, err.Error(), true})
			continue
		}
		p.Records.Sent = append(p.Records.Sent, e)
	}
	p.Digest.name(p.Records.Sent, p.looked)
	return nil
}

// mayLeave returns the conversations whose records may leave. If the remote has commits that are not here, a deleted
// branch may have been squashed into one of them. Then the remote's records stay until those commits are fetched.
func (p *Plan) mayLeave() []events.TraceID {
	out := slices.Clone(p.Digest.Conversations)
	if p.ahead {
		for _, e := range p.Records.before {
			if !slices.Contains(out, e.Trace) {
				out = append(out, e.Trace)
			}
		}
	}
	return out
}

// ErrUnredacted reports a missing redactor: then no conversation leaves.
var ErrUnredacted = errors.New("conversations cannot be redacted")

var errTooLarge = errors.New("it is larger than 50 MB")

// look redacts a record again, unless the rules are the same. The result is stored, and leaves without the members that
// the level excludes.
func (p *Plan) look(ctx context.Context, s *store.Store, redactor *redact.Redactor, e *store.Entry) error {
	c := &p.Records
	here := e.Blob
	if leaves, known := p.looked[here]; known {
		e.Blob = leaves
	}
	raw, err := s.Raw(*e)
	if err != nil {
		return err
	}
	if len(raw) > maxShared {
		return errTooLarge
	}
	r, err := records.Decode(raw)
	if err != nil {
		return err
	}
	if _, known := p.looked[here]; known {
		c.count(r)
		return nil
	}
	clean, err := p.redacted(ctx, s, redactor, e, r)
	if err != nil {
		return err
	}
	c.count(clean)
	here = e.Blob
	unsent := false
	if p.Level != LevelLog {
		var leaves *records.Record
		if leaves, unsent, err = p.leaves(ctx, clean); err == nil && leaves != clean {
			e.Blob, err = writeRecord(ctx, s, redactor, leaves)
		}
	}
	p.looked[here] = e.Blob
	p.unsent[here] = unsent // checked again later: the remote may have the commits then
	return err
}

// `redacted` redacts a record with the present rules, and stores the result if it differs.
func (p *Plan) redacted(ctx context.Context, s *store.Store, redactor *redact.Redactor, e *store.Entry,
	r *records.Record) (*records.Record, error) {
	again, err := redactor.Record(ctx, r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = again.Close() }()
	var out bytes.Buffer
	if err := again.Write(&out); err != nil {
		return nil, err
	}
	clean, err := records.Decode(out.Bytes())
	if err != nil {
		return nil, err
	}
	if same, err := saysTheSame(r, *clean); err != nil || same {
		return r, err
	}
	p.Records.again = true
	stored, err := s.Put(ctx, again, e.Blob)
	if err == nil {
		*e = stored.Entry
	}
	return clean, err
}

// writeRecord stores a record on no ref: a push sends it.
func writeRecord(ctx context.Context, s *store.Store, redactor *redact.Redactor, r *records.Record) (refs.OID, error) {
	out, err := redactor.Record(ctx, r)
	if err != nil {
		return refs.OID{}, err
	}
	defer func() { _ = out.Close() }()
	return s.Write(ctx, out)
}

// readLooked reads the notes about records that were checked with the present rules: for each stored blob, the blob
// that leaves.
func (p *Plan) readLooked() {
	p.looked, p.unsent = map[refs.OID]refs.OID{}, map[refs.OID]bool{}
	noted, _ := os.ReadFile(p.rulesPath()) // without the notes, all records are checked again
	rules, rest, _ := strings.Cut(string(noted), "\n")
	if rules != p.rules {
		return
	}
	there := map[refs.OID]bool{}
	for _, e := range p.Records.before {
		there[e.Blob] = true
	}
	for line := range strings.Lines(rest) {
		here, leaves, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		from, err := refs.ParseOID(here)
		to, err2 := refs.ParseOID(leaves)
		if err == nil && err2 == nil && there[to] {
			p.looked[from] = to
		}
	}
}

// noteLooked writes the notes for readLooked.
func (p *Plan) noteLooked() {
	text := p.rules + "\n"
	for here, leaves := range p.looked {
		if !p.unsent[here] {
			text += here.String() + " " + leaves.String() + "\n"
		}
	}
	_ = refs.WriteFileAtomic(p.rulesPath(), []byte(text), 0o600) // without the notes, all records are checked again
}

// saysTheSame reports whether redaction did not change a record.
func saysTheSame(r *records.Record, clean records.Record) (bool, error) {
	clean.Security, clean.ContentHash = r.Security, r.ContentHash
	before, err := records.Encode(r)
	if err != nil {
		return false, err
	}
	after, err := records.Encode(&clean)
	return bytes.Equal(before, after), err
}

// Texts yields the records that would leave and differ from the remote's, as JSON.
func (p *Plan) Texts(yield func(raw []byte) error) error {
	s := store.Open(p.repo)
	defer func() { _ = s.Close() }()
	for _, e := range p.Records.Sent {
		if slices.ContainsFunc(p.Records.before, func(b store.Entry) bool { return b.Trace == e.Trace && b.Blob == e.Blob }) {
			continue
		}
		raw, err := s.Raw(e)
		if err == nil {
			err = yield(raw)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// count adds a record that leaves to the figures of the plan.
func (c *Conversations) count(r *records.Record) {
	c.Redacted += r.Security.RedactionsApplied
	attached, data := unread(r)
	c.Attached += attached
	c.Encoded += data
}

// publishRecords makes the commit with the records. It begins a new history if an older version must disappear: after a
// purge, after a stricter redaction, or when a conversation is withdrawn.
func (p *Plan) publishRecords(ctx context.Context, r *Ref) error {
	s := store.Open(p.repo)
	defer func() { _ = s.Close() }()
	tree, err := s.WriteTree(p.Records.Sent)
	if err != nil {
		return err
	}
	parent := r.Old
	if r.Force {
		parent = refs.OID{}
	}
	r.New, err = p.commit(ctx, tree, parent)
	return err
}

// chooseRecordsRef adds the records ref to the plan if it has to change.
func (p *Plan) chooseRecordsRef(there refs.OID) {
	c := &p.Records
	same := slices.EqualFunc(c.before, c.Sent, func(a, b store.Entry) bool {
		return a.Trace == b.Trace && a.Blob == b.Blob
	})
	if same && (!there.IsZero() || len(c.Sent) == 0) {
		return
	}
	purged := slices.ContainsFunc(p.fresh, func(d events.Draft) bool { return d.Type == events.LogPurged })
	lost := slices.ContainsFunc(c.before, func(b store.Entry) bool {
		return !slices.ContainsFunc(c.Sent, func(e store.Entry) bool { return e.Trace == b.Trace })
	})
	p.Refs = append(p.Refs, Ref{
		Name: p.ref("records"), Old: there, kept: p.kept("records"),
		Force: !there.IsZero() && (purged || c.again || lost || c.before == nil),
	})
}

// rulesPath returns the file with the rules of the last check of the remote's records.
func (p *Plan) rulesPath() string {
	return filepath.Join(p.repo.TracesDir(), "cache", "shared", shortHash(p.URL))
}

func privatePath(repo *refs.Repo, trace events.TraceID) string {
	return filepath.Join(repo.TracesDir(), "private", string(trace))
}

func isPrivate(repo *refs.Repo, trace events.TraceID) bool {
	_, err := os.Lstat(privatePath(repo, trace))
	return err == nil
}

// KeepPrivate marks a conversation: pushes do not send its record, and the next push removes the record from the
// remote. The owners of its lines stay published. If the parameter `off` is set, it removes the mark.
func KeepPrivate(repo *refs.Repo, trace events.TraceID, off bool) error {
	path := privatePath(repo, trace)
	if off {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("share again: %w", err)
		}
		return nil
	}
	if err := refs.WriteFileAtomic(path, nil, 0o600); err != nil {
		return fmt.Errorf("keep private: %w", err)
	}
	return nil
}
