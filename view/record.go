package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/records/store"
)

// ErrRecord reports a stored record that cannot be read.
var ErrRecord = errors.New("record cannot be read")

// StoredRecord is the record of a conversation, decoded and in its stored bytes.
type StoredRecord struct {
	*records.Record // nil without a record
	Raw             json.RawMessage
	Own             bool // this clone stored the record
}

// lastRecord is the record that was read last.
type lastRecord struct {
	sync.Mutex
	entry store.Entry
	read  StoredRecord
}

// Record reads the record of a conversation. The last record is kept for callers that need several prompts. Callers
// must not change the result.
func (r *Reader) Record(ctx context.Context, id events.TraceID) (out StoredRecord, err error) {
	e, err := r.prompts.Records.Find(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	r.last.Lock()
	defer r.last.Unlock()
	if r.last.read.Record != nil && r.last.entry == e {
		return r.last.read, nil
	}
	if out.Raw, err = r.prompts.Records.Raw(e); err != nil {
		return out, err
	}
	if out.Record, err = records.Decode(out.Raw); err != nil {
		return out, fmt.Errorf("%w: conversation %s: %w", ErrRecord, id, err)
	}
	out.Own = e.Own()
	r.last.entry, r.last.read = e, out
	return out, nil
}

// `called` lists the calls of records whose ids begin with a text.
func (r *Reader) called(text string) ([]search.Call, error) {
	if err := r.readSums(); err != nil || r.stored == nil {
		return nil, err
	}
	return cached(r.stored.Calls(text))
}
