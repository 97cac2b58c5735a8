package events

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// The files of events of a publication are in a tree. When it has partsInTree entries of one kind, these move into a
// new tree, which replaces them. So no tree has more than some hundred entries, with any number of seals, and a new
// file costs some small trees.
//
//	0000000001.2         a tree of trees
//	0000004097.1         a tree of files
//	0000004161.jsonl     a file
//
// A name begins with the number of the first event. The number after the dot of a tree counts the levels below it.

const (
	partsInTree = 64
	partsDeep   = 4
)

type storeObject func(refs.ObjectType, []byte) (refs.OID, error)

// addParts appends files to the entries of a tree.
func addParts(parts []refs.TreeEntry, files []PublishedFile, store storeObject) ([]refs.TreeEntry, error) {
	parts = parts[:len(parts):len(parts)]
	for _, f := range files {
		parts = append(parts, refs.TreeEntry{Name: publishedName(f.First), Mode: refs.ModeFile, OID: f.Blob})
		for level := range partsDeep - 1 {
			begin := len(parts) - partsInTree
			if begin < 0 || levelOf(parts[begin].Name) != level || levelOf(parts[len(parts)-1].Name) != level {
				break
			}
			tree, err := store(refs.TreeObject, refs.EncodeTree(parts[begin:]))
			if err != nil {
				return nil, err
			}
			name, _, _ := strings.Cut(parts[begin].Name, ".")
			name = fmt.Sprintf("%s.%d", name, level+1)
			parts = append(parts[:begin:begin], refs.TreeEntry{Name: name, Mode: refs.ModeDir, OID: tree})
		}
	}
	return parts, nil
}

// levelOf returns the number of tree levels below an entry: 0 for a file, -1 for another name.
func levelOf(name string) int {
	_, kind, _ := strings.Cut(name, ".")
	if kind == "jsonl" {
		return 0
	}
	if level, err := strconv.Atoi(kind); err == nil && level > 0 && level < partsDeep {
		return level
	}
	return -1
}

// partsReader lists the files below a tree of parts.
type partsReader struct {
	objects *refs.Objects
	files   []PublishedFile
	trees   []refs.OID // below the first one
}

// list reads the names: ten digits, ascending from 1.
func (r *partsReader) list(entries []refs.TreeEntry, below int) error {
	for _, e := range entries {
		digits, _, _ := strings.Cut(e.Name, ".")
		first, err := strconv.ParseInt(digits, 10, 64)
		level := levelOf(e.Name)
		last := int64(0)
		if n := len(r.files); n > 0 {
			last = r.files[n-1].First
		}
		switch {
		case err != nil || len(digits) != firstDigits || level < 0 || level >= below:
			return fmt.Errorf("%w: a file of events has the wrong name %q", ErrNotPublication, e.Name)
		case last == 0 && first != 1 || first <= last:
			return fmt.Errorf("%w: a file of events begins at the wrong number, %d", ErrNotPublication, first)
		case len(r.files) == MaxPublished || len(r.trees) > MaxPublished:
			return fmt.Errorf("%w: more than %d files of events", ErrNotPublication, MaxPublished)
		}
		if level == 0 {
			if e.Mode != refs.ModeFile {
				return fmt.Errorf("%w: %q is not a file", ErrNotPublication, e.Name)
			}
			r.files = append(r.files, PublishedFile{first, e.OID})
			continue
		}
		r.trees = append(r.trees, e.OID)
		inner, err := r.objects.Tree(e.OID)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNotPublication, err)
		}
		if len(inner) == 0 || !strings.HasPrefix(inner[0].Name, digits) {
			return fmt.Errorf("%w: a tree of events has the wrong name %q", ErrNotPublication, e.Name)
		}
		if err := r.list(inner, level); err != nil {
			return err
		}
	}
	return nil
}

// mergedEvents is the size in events from which a part is no longer merged.
const mergedEvents = 16 << 10

// mergeFrom returns the index of the first part that is merged with all later ones: each part before it has more events
// than all parts after it. So an event is written again only a few times, with any number of merges.
func mergeFrom(files []PublishedFile, last int64) int {
	from := len(files)
	for i := len(files) - 1; i >= 0; i-- {
		next := last + 1
		if i+1 < len(files) {
			next = files[i+1].First
		}
		if next-files[i].First >= mergedEvents {
			break
		}
		if behind := last + 1 - next; behind > 0 && next-files[i].First <= behind {
			from = i
		}
	}
	return from
}

// Merge seals the log, and joins small parts of the seal, in a new seal. It also writes lost parts again. It returns
// how many events the ref gained, and how many parts were merged.
func (l *Log) Merge(ctx context.Context) (sealed int64, merged int, err error) {
	if sealed, err = l.Seal(ctx); err != nil || l.gcRuns() {
		return sealed, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, sealPatience)
	defer cancel()
	err = l.underRef(ctx, func(j *journal, lock *refs.RefLock) error {
		base, err := l.sealBase(j, lock.Current())
		if err != nil || base.end.seq == 0 {
			return err
		}
		p, err := l.ReadPublication(lock.Current())
		if err != nil || !l.restoreParts(j, lock.Current()) {
			return l.setSeal(ctx, j, sealBase{}, lock)
		}
		from := mergeFrom(p.Files, base.end.seq)
		if from == len(p.Files) {
			return nil
		}
		if base.parts, err = addParts(nil, p.Files[:from], l.writeMain); err != nil {
			return err
		}
		base.end = flatEnd{}
		if from > 0 {
			if base.end, err = j.find(p.Files[from].First - 1); err != nil {
				return err
			}
		}
		merged = len(p.Files) - from - 1
		return l.setSeal(ctx, j, base, lock)
	})
	if err != nil {
		return sealed, 0, fmt.Errorf("merge the parts of the log: %w", err)
	}
	return sealed, max(0, merged), nil
}

// restoreParts writes the unreadable files of a seal again, from the file of the log: the name of each gives its
// events. It reports whether all of them are now present.
func (l *Log) restoreParts(j *journal, seal refs.OID) bool {
	p, err := l.ReadPublication(seal)
	if err != nil {
		return false
	}
	for i, f := range p.Files {
		if _, err := l.sealedFile(f); err == nil {
			continue
		}
		next := p.Head.Events + 1
		if i+1 < len(p.Files) {
			next = p.Files[i+1].First
		}
		text, err := j.events(f.First, next)
		if err != nil || l.repo.Format.Hash(refs.BlobObject, text) != f.Blob {
			return false
		}
		if _, err := l.writeMain(refs.BlobObject, text); err != nil {
			return false
		}
	}
	return true
}

// events returns the lines of the events from one number up to another.
func (j *journal) events(first, next int64) (text []byte, err error) {
	err = j.batches(j.head, func(b *batch) error {
		if !b.ended || b.end.seq < first {
			return nil
		}
		for i, line := range b.lines {
			if seq := b.end.seq + int64(i+1-len(b.lines)); first <= seq && seq < next {
				text = append(append(text, line...), '\n')
			}
		}
		return nil
	})
	return text, err
}
