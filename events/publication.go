package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// A publication is the part of a clone's log that others may see: a commit that the user made, whose tree holds a
// digest. A digest is a separate log of the events that say who wrote the lines of published commits. Its form is
// described in docs/format.md.
//
//	digest.json                  one line: PublicationHead
//	log/<first number>.jsonl     events; the files in the order of their names are the log
//	records                      a line for each record that the clone shares: conversation and blob

const (
	headName    = "digest.json"
	logName     = "log"
	recordsName = "records"
)

// The limits of a tree that another clone made; the writer keeps them too.
const (
	// MaxPublished is the number of files of events beyond which a publication is not read.
	MaxPublished = 64 << 10
	maxHead      = 4 << 20
)

// ErrNotPublication reports a commit that does not hold a digest.
var ErrNotPublication = errors.New("not a publication")

// PublicationHead is the content of digest.json.
type PublicationHead struct {
	Format       int       `json:"format"`
	Writer       string    `json:"writer"`
	Level        string    `json:"level"`
	ObjectFormat string    `json:"object_format"`
	Events       int64     `json:"events"`         // number of events
	Last         ID        `json:"last"`           // id of the last one
	Source       Witness   `json:"source"`         // the last event of the full log that the digest includes
	Seen         []Witness `json:"seen,omitempty"` // the ends of the other writers' digests that were there
	// Adopt is "yes" if others may publish the publication elsewhere, for example in the main repository of a fork.
	Adopt string `json:"adopt,omitempty"`
}

// Witness names an event of a writer's log: a log with another event at this number is another log.
type Witness struct {
	Writer string `json:"writer"`
	Seq    int64  `json:"seq"`
	Event  ID     `json:"event"`
}

// PublishedFile is a file of events in a publication.
type PublishedFile struct {
	First int64 // number of its first event
	Blob  refs.OID
}

// Publication is a publication whose tree was read; its events were not.
type Publication struct {
	Commit  refs.OID
	Parents []refs.OID
	Head    PublicationHead
	Files   []PublishedFile
	// Records holds the blobs of all shared records, by their conversations.
	Records map[TraceID]refs.OID

	parts  []refs.TreeEntry // parts of the tree of event files
	others []refs.OID       // the tree, digest.json, and the tree of the files of events
}

// ReadPublication reads the tree of a publication. Its events must be read before any part of it counts.
func (l *Log) ReadPublication(commit refs.OID) (p Publication, err error) {
	objects := l.repo.Objects()
	objects.Max = maxHead
	defer func() { err = errors.Join(err, objects.Close()) }()
	if p, err = readHead(objects, commit); err != nil {
		return p, err
	}
	r := partsReader{objects: objects}
	if err = r.list(p.parts, partsDeep); err == nil && len(r.files) == 0 {
		err = fmt.Errorf("%w: no files of events", ErrNotPublication)
	}
	p.Files = r.files
	return p, err
}

// readHead reads a publication without the files of its events.
func (l *Log) readHead(commit refs.OID) (p Publication, err error) {
	objects := l.repo.Objects()
	objects.Max = maxHead
	defer func() { err = errors.Join(err, objects.Close()) }()
	return readHead(objects, commit)
}

func readHead(objects *refs.Objects, commit refs.OID) (p Publication, err error) {
	p.Commit = commit
	c, err := objects.Commit(commit)
	if err != nil {
		return p, fmt.Errorf("%w: %w", ErrNotPublication, err)
	}
	p.Parents = c.Parents
	tree, err := publicationTree(objects, c.Tree)
	if err != nil {
		return p, err
	}
	p.others = []refs.OID{c.Tree, tree.head, tree.log}
	raw, err := objects.Blob(tree.head)
	if err == nil {
		p.Head, err = parseHead(raw)
	}
	if err != nil {
		return p, fmt.Errorf("%w: %s: %w", ErrNotPublication, headName, err)
	}
	if p.Records, err = sharedRecords(objects, tree.records); err != nil {
		return p, fmt.Errorf("%w: %s: %w", ErrNotPublication, recordsName, err)
	}
	if p.parts, err = objects.Tree(tree.log); err != nil {
		return p, fmt.Errorf("%w: %w", ErrNotPublication, err)
	}
	return p, nil
}

type publishedTree struct{ head, log, records refs.OID }

// publicationTree finds the known entries of the tree; a later version may add others.
func publicationTree(objects *refs.Objects, tree refs.OID) (p publishedTree, err error) {
	entries, err := objects.Tree(tree)
	if err != nil {
		return p, fmt.Errorf("%w: %w", ErrNotPublication, err)
	}
	for _, e := range entries {
		switch {
		case e.Name == headName && e.Mode == refs.ModeFile:
			p.head = e.OID
		case e.Name == logName && e.IsDir():
			p.log = e.OID
		case e.Name == recordsName && e.Mode == refs.ModeFile:
			p.records = e.OID
		}
	}
	if p.head.IsZero() || p.log.IsZero() {
		err = fmt.Errorf("%w: it lacks %s or %s", ErrNotPublication, headName, logName)
	}
	return p, err
}

// traceLength is the length of the id of a conversation, a UUID.
const traceLength = 36

// sharedRecords reads the list of records, which may be missing.
func sharedRecords(objects *refs.Objects, list refs.OID) (map[TraceID]refs.OID, error) {
	if list.IsZero() {
		return nil, nil
	}
	raw, err := objects.Blob(list)
	if err != nil {
		return nil, err
	}
	out := map[TraceID]refs.OID{}
	for line := range strings.Lines(string(raw)) {
		trace, blob, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		id, err := refs.ParseOID(blob)
		if err != nil || len(trace) != traceLength {
			return nil, errors.New("a line of it has an unknown form")
		}
		out[TraceID(trace)] = id
	}
	return out, nil
}

// listRecords is the reverse of sharedRecords.
func listRecords(shared map[TraceID]refs.OID) []byte {
	var out bytes.Buffer
	for _, trace := range slices.Sorted(maps.Keys(shared)) {
		fmt.Fprintf(&out, "%s %s\n", trace, shared[trace])
	}
	return out.Bytes()
}

// parseHead reads digest.json, which is in canonical form.
func parseHead(raw []byte) (h PublicationHead, err error) {
	line, ok := bytes.CutSuffix(raw, newline)
	if !ok {
		return h, errors.New("it does not end in a line feed")
	}
	if err := checkCanonical(line, MaxDepth); err != nil {
		return h, err
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return h, err
	}
	_, idErr := ParseID(string(h.Last))
	switch {
	case h.Format != Version:
		return h, fmt.Errorf("its format is %d, and this program reads %d", h.Format, Version)
	case h.Events < 1:
		return h, errors.New("it has no events")
	}
	return h, errors.Join(checkWriter(h.Writer), idErr)
}

// firstDigits is the number of digits in a name for the number of a first event.
const firstDigits = 10

func publishedName(first int64) string { return fmt.Sprintf("%0*d.jsonl", firstDigits, first) }

// WritePublication stores the tree of a publication and returns its id.
func (l *Log) WritePublication(p Publication) (tree refs.OID, err error) {
	if p.parts, err = addParts(nil, p.Files, l.writeMain); err == nil {
		tree, err = writeTree(p, l.writeMain)
	}
	return tree, err
}

// writeTree stores the tree of a publication whose parts are stored.
func writeTree(p Publication, store storeObject) (tree refs.OID, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write publication: %w", err)
		}
	}()
	line, err := Encode(p.Head)
	if err != nil {
		return refs.OID{}, err
	}
	blob, err := store(refs.BlobObject, append(line, '\n'))
	if err != nil {
		return refs.OID{}, err
	}
	dir, err := store(refs.TreeObject, refs.EncodeTree(p.parts))
	if err != nil {
		return refs.OID{}, err
	}
	top := []refs.TreeEntry{
		{Name: headName, Mode: refs.ModeFile, OID: blob}, {Name: logName, Mode: refs.ModeDir, OID: dir},
	}
	if len(p.Records) > 0 {
		list, err := store(refs.BlobObject, listRecords(p.Records))
		if err != nil {
			return refs.OID{}, err
		}
		top = append(top, refs.TreeEntry{Name: recordsName, Mode: refs.ModeFile, OID: list})
	}
	return store(refs.TreeObject, refs.EncodeTree(top))
}

// EmptyTree stores the tree without entries, and returns its id.
func (l *Log) EmptyTree() (refs.OID, error) { return l.writeMain(refs.TreeObject, nil) }

// WritePublished stores events as a file of a publication.
func (l *Log) WritePublished(events []Event) (PublishedFile, error) {
	var text bytes.Buffer
	for i := range events {
		text.Write(events[i].raw)
		text.WriteByte('\n')
	}
	return l.writePublished(events[0].Seq, text.Bytes())
}

func (l *Log) writePublished(first int64, text []byte) (PublishedFile, error) {
	blob, err := l.writeMain(refs.BlobObject, text)
	if err != nil {
		return PublishedFile{}, fmt.Errorf("write publication: %w", err)
	}
	return PublishedFile{first, blob}, nil
}

// joinedPublished is the size up to which files of a publication are joined.
const joinedPublished = 8 << 20

// JoinPublished joins neighbouring files, because every push adds one.
func (l *Log) JoinPublished(files []PublishedFile) (joined []PublishedFile, err error) {
	objects := l.repo.Objects()
	objects.Max = maxBatch
	defer func() { err = errors.Join(err, objects.Close()) }()
	var text []byte
	first := int64(1)
	flush := func() error {
		if len(text) == 0 {
			return nil
		}
		f, err := l.writePublished(first, text)
		joined, text = append(joined, f), nil
		return err
	}
	for _, f := range files {
		more, err := objects.Blob(f.Blob)
		if err != nil {
			return nil, fmt.Errorf("join publication: %w", err)
		}
		if len(text)+len(more) > joinedPublished {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		if len(text) == 0 {
			first = f.First
		}
		text = append(text, more...)
	}
	return joined, flush()
}

// Follow turns drafts into events of a writer, numbered after its last event in a digest; the parameter `seq` is 0
// without such an event.
func Follow(drafts []Draft, seq int64, last ID, writer string) ([]Event, error) {
	events, err := chain(drafts, tip{seq: seq, id: last, writer: writer})
	if err != nil {
		return nil, fmt.Errorf("number events: %w", err)
	}
	return events, nil
}

// Content identifies a draft without its place in a log: an event of a digest has the same content as its original.
func (d Draft) Content() (ID, error) {
	d, err := d.normal()
	if err != nil {
		return "", err
	}
	line, err := draftLine(d)
	return hashEvent(line, nil), err
}
