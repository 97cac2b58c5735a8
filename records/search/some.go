package search

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs/codec"
)

// digestFile is the file of the digests. Single digests are read from it.
type digestFile struct {
	digests string
	table   string           // the encoded table that finds digests by place
	lie     []span           // positions of the digests of readable records, in the order of ids
	ids     []events.TraceID // the ids of their conversations
}

// Times holds the start and end of a conversation, from its record.
type Times struct {
	Trace      events.TraceID
	Start, End string
}

// Times returns the times of the conversations that IDs lists, in the same order. It reads only the part of each digest
// that has the times.
func (ix *Index) Times() (list []Times, err error) {
	err = ix.mended(context.Background(), func() error {
		list = nil
		if ix.digests != nil {
			for i := range ix.digests {
				if d := &ix.digests[i]; d.Unreadable == "" {
					list = append(list, Times{d.Trace, d.Start, d.End})
				}
			}
			return nil
		}
		file, err := ix.openDigests()
		if err != nil {
			return err
		}
		list = make([]Times, len(file.ids))
		for i, s := range file.lie {
			var d Digest
			r := codec.Reader{In: file.digests[s.offset:][:s.size]}
			if d.head(&r); r.Failed {
				return fmt.Errorf("%w: a digest", errDamaged)
			}
			list[i] = Times{d.Trace, d.Start, d.End}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read search index: %w", err)
	}
	return list, nil
}

// span is the position of a digest in the file.
type span struct{ offset, size int }

// IDs lists the conversations with a readable record, in the order of the ids. It does not decode digests.
func (ix *Index) IDs() (list []events.TraceID, err error) {
	err = ix.mended(context.Background(), func() error {
		list = nil
		if ix.digests != nil {
			for i := range ix.digests {
				if ix.digests[i].Unreadable == "" {
					list = append(list, ix.digests[i].Trace)
				}
			}
			return nil
		}
		file, err := ix.openDigests()
		list = file.ids
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read search index: %w", err)
	}
	return list, nil
}

// `Some` returns the digests of the given conversations whose records are readable.
func (ix *Index) Some(ids []events.TraceID) (list []Digest, err error) {
	err = ix.mended(context.Background(), func() error {
		list = nil
		if ix.digests != nil {
			for i := range ix.digests {
				if ix.digests[i].Unreadable == "" && slices.Contains(ids, ix.digests[i].Trace) {
					list = append(list, ix.digests[i])
				}
			}
			return nil
		}
		file, err := ix.openDigests()
		if err != nil {
			return err
		}
		for _, id := range ids {
			at, found := slices.BinarySearch(file.ids, id)
			if !found {
				continue
			}
			d, err := nextDigest(&codec.Reader{In: file.digests[file.lie[at].offset:][:file.lie[at].size]})
			if err != nil {
				return err
			}
			list = append(list, d)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read search index: %w", err)
	}
	return list, nil
}

// openDigests reads the file once, and decodes only the id of each digest.
func (ix *Index) openDigests() (digestFile, error) {
	if ix.manifest.Digests == "" {
		return digestFile{}, nil
	}
	if ix.opened != nil {
		return *ix.opened, nil
	}
	digests, table, err := ix.readDigestFile()
	if err != nil {
		return digestFile{}, err
	}
	file := digestFile{digests: digests, table: table}
	for ; table != ""; table = table[tableEntry:] {
		entry := []byte(table[:tableEntry])
		offset, size := binary.LittleEndian.Uint64(entry[8:]), uint64(binary.LittleEndian.Uint32(entry[16:]))
		if offset > uint64(len(digests)) || size > uint64(len(digests))-offset {
			return digestFile{}, fmt.Errorf("%w: a digest lies outside", errDamaged)
		}
		file.lie = append(file.lie, span{int(offset), int(size)})
	}
	slices.SortFunc(file.lie, func(a, b span) int { return cmp.Compare(a.offset, b.offset) })
	for _, s := range file.lie {
		var id events.TraceID
		r := codec.Reader{In: digests[s.offset:][:s.size]}
		if codec.Word(&r, &id); r.Failed {
			return digestFile{}, fmt.Errorf("%w: a digest", errDamaged)
		}
		file.ids = append(file.ids, id)
	}
	if !slices.IsSorted(file.ids) {
		return digestFile{}, fmt.Errorf("%w: the digests are out of their order", errDamaged)
	}
	ix.opened = &file
	return file, nil
}

// readDigestFile returns the digests and the table after them, both encoded.
func (ix *Index) readDigestFile() (digests, table string, err error) {
	file, err := os.Open(ix.digestPath())
	if err != nil {
		return "", "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", "", err
	}
	var text strings.Builder
	text.Grow(int(info.Size()))
	if _, err := io.Copy(&text, file); err != nil {
		return "", "", err
	}
	raw := text.String()
	start, _, err := tableOf([]byte(raw[max(0, len(raw)-tableEnd):]), int64(len(raw)))
	if err != nil {
		return "", "", err
	}
	return raw[:start], raw[start : len(raw)-tableEnd], nil
}
