package zed

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/rawjson"
)

// maxThread is the greatest size of a thread's uncompressed document, in bytes.
const maxThread = 256 << 20

var (
	errNoSession = errors.New("no such session")
	errNoUnzstd  = errors.New("it is packed with zstd, which this program cannot unpack")
	errTooLong   = fmt.Errorf("it has more than %d MiB, unpacked", maxThread>>20)
)

// thread is one thread of a database.
type thread struct {
	row
	sessionfile.Counted
}

// open opens a thread; "" means the one that changed last.
func (s sessions) open(path, id string) (sessionfile.File, error) {
	db, table, err := openTable(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	all, err := rowsOf(table)
	if err != nil {
		return nil, err
	}
	var t *thread
	for i := range all {
		if all[i].id == id || id == "" && (t == nil || all[i].changed.After(t.changed)) {
			t = &thread{row: all[i]}
		}
	}
	if t == nil {
		return nil, errNoSession
	}
	found, err := table.Row(t.number)
	if err != nil || found == nil {
		return nil, errors.Join(err, errNoSession)
	}
	data, err := found.Data(table.Column("data"))
	if err == nil && t.packed {
		data, err = s.unpack(data)
	}
	if err != nil {
		return nil, fmt.Errorf("thread %s: %w", t.id, err)
	}
	t.cut(data)
	return t, nil
}

func (s sessions) unpack(data []byte) ([]byte, error) {
	if s.env.Unzstd == nil {
		return nil, errNoUnzstd
	}
	z, err := s.env.Unzstd(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(z, maxThread+1))
	if err = errors.Join(err, z.Close()); err != nil {
		return nil, err
	}
	if len(out) > maxThread {
		return nil, errTooLong
	}
	return out, nil
}

// resumed stands in place of a message if the user let the agent continue.
const resumed = `"Resume"`

// cut splits a document into objects: its other members, each as an object with only that member, then its messages.
func (t *thread) cut(data []byte) {
	d := rawjson.NewDecoder(data)
	var messages []byte
	for d.Open(); d.Member(); {
		name := string(d.Key())
		if name == "messages" {
			messages = d.Raw()
			continue
		}
		var one rawjson.Members
		t.add(one.Raw(name, d.Raw()).End())
	}
	if d.Err() != nil {
		t.Faults.Broken++
	}
	d = rawjson.NewDecoder(messages)
	for d.OpenArray(); d.Element(); {
		kind, raw := d.Kind(), d.Raw()
		switch {
		case d.Err() != nil:
		case kind == rawjson.Object:
			t.add(raw)
		case string(raw) == resumed:
			t.add([]byte(`{"Resume":null}`))
		default:
			t.Faults.NotObject++
		}
	}
}

func (t *thread) add(raw []byte) {
	if len(raw) > jsonlines.MaxLine {
		t.Faults.TooLong++
		return
	}
	t.Objects = append(t.Objects, raw)
}
