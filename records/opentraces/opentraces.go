// Package opentraces reads and writes TraceRecords as opentraces exchanges them: one record a line.
//
// The record is git-trace's own form, version 0.3.0 of the schema, so writing is encoding it. Reading takes records of
// every version, and checks their claims. It refuses a record that does not match its content hash.
//
// A record of a later version is written in that version again, complete. Data without a member in 0.3.0 are kept under
// metadata.opentraces, as the difference between the read record and its own form.
package opentraces

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/jsonl"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Name is the name of the format on the command line.
const Name = "opentraces"

// ErrHash reports a record that does not match its content hash.
var ErrHash = errors.New("content_hash does not match the record")

// Read gives the records of a file in order. The first fault ends the reading and names its line, unless the file skips
// that line.
func Read(r io.Reader, yield func(line int, record *records.Record) error) error {
	in := jsonl.NewReader(r, 0)
	for {
		raw, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var record *records.Record
		if err == nil {
			if record, err = decode(raw); err != nil {
				err = in.Fault(err)
			}
		}
		if err != nil && in.PassOver(err) {
			continue
		}
		if err != nil {
			return err
		}
		if err := yield(in.Line(), record); err != nil {
			return err
		}
	}
}

func decode(raw []byte) (*records.Record, error) {
	record, err := records.DecodeForeign(raw)
	if err != nil {
		return nil, err
	}
	if record.ContentHash != nil && !isHash(*record.ContentHash) {
		record.ContentHash = nil // documents elide it: "a1b2…"
	}
	if record.ContentHash != nil {
		if holds, err := record.HashHolds(raw); err != nil {
			return nil, err
		} else if !holds {
			return nil, ErrHash
		}
	}
	if err := keep(record, raw); err != nil {
		return nil, err
	}
	countFromOne(record)
	if faults := record.CheckForeign(); len(faults) > 0 {
		return nil, fmt.Errorf("%w: %s", records.ErrNotRecord, faults[0])
	}
	return record, nil
}

// isHash reports whether a text has the form of a content hash: a SHA-256 in hexadecimal.
func isHash(text string) bool {
	return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
}

// countFromOne numbers the steps of a record from 1, if its writer began with 0: both forms occur. The hash was
// made with the old numbers, so it is removed.
func countFromOne(record *records.Record) {
	if len(record.Steps) == 0 || record.Steps[0].StepIndex != 0 {
		return
	}
	record.ContentHash = nil
	for i := range record.Steps {
		s := &record.Steps[i]
		s.StepIndex++
		if s.ParentStep != nil {
			parent := *s.ParentStep + 1
			s.ParentStep = &parent
		}
	}
}

// kept is the content of metadata.opentraces in a record of a later version.
type kept struct {
	Version string              `json:"schema_version"`
	Differs *rawjson.Difference `json:"differs,omitempty"` // from the record in version 0.3.0
}

// Later reports whether a record was imported in a later version, whose data it then keeps.
func Later(record *records.Record) bool { return len(record.Metadata[Name]) > 0 }

// own reports whether a version has no member that 0.3.0 does not have.
func own(version string) bool {
	for _, early := range [...]string{"0.1.", "0.2.", "0.3."} {
		if strings.HasPrefix(version, early) {
			return true
		}
	}
	return false
}

// keep makes a record of a later version one of 0.3.0, and keeps the lost data. It keeps a foreign metadata.opentraces,
// too.
func keep(record *records.Record, raw []byte) error {
	theirs, taken := record.Metadata[Name]
	if own(record.SchemaVersion) && !taken {
		return nil
	}
	k := kept{Version: record.SchemaVersion}
	record.SchemaVersion = records.SchemaVersion
	if own(k.Version) {
		record.SchemaVersion = k.Version
	}
	plain := *record
	made, err := records.Encode(&plain)
	if err != nil {
		return err
	}
	k.Differs, _ = rawjson.Between(made, raw)
	if k.Differs == nil {
		k.Differs = &rawjson.Difference{}
	}
	for _, name := range [...]string{"schema_version", "content_hash"} {
		delete(k.Differs.Set, name)
	}
	onlyEmpty(k.Differs, made)
	if taken {
		of := &rawjson.Difference{}
		if inner := k.Differs.In["metadata"]; inner != nil {
			of = inner
		}
		of.Put(Name, theirs)
		k.Differs.Within("metadata", of)
	}
	record.SetMeta(Name, k)
	return nil
}

// onlyEmpty keeps only the removals of a difference that remove members without a value.
func onlyEmpty(d *rawjson.Difference, made []byte) {
	_, parts, _ := rawjson.Parts(made)
	d.Drop = slices.DeleteFunc(d.Drop, func(name string) bool {
		value, _ := rawjson.Find(parts, name)
		return !slices.Contains([]string{"null", "[]", "{}"}, string(value))
	})
	for name, inner := range d.In {
		if value, found := rawjson.Find(parts, name); found {
			onlyEmpty(inner, value)
		}
	}
}

// Write writes a record and a line feed, in the version in which it was imported.
func Write(w io.Writer, record *records.Record) error {
	raw, err := encode(record)
	if err != nil {
		return err
	}
	if _, err := w.Write(append(raw, '\n')); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}

func encode(record *records.Record) ([]byte, error) {
	var k kept
	if raw := record.Metadata[Name]; len(raw) == 0 || json.Unmarshal(raw, &k) != nil || k.Version == "" {
		return records.Encode(record)
	}
	plain := *record
	plain.SchemaVersion = k.Version
	plain.Metadata = maps.Clone(record.Metadata)
	delete(plain.Metadata, Name)
	raw, err := records.Encode(&plain)
	if err != nil {
		return nil, err
	}
	if k.Differs != nil {
		onlyEmpty(k.Differs, raw)
	}
	raw = k.Differs.Apply(raw)
	hash, err := records.ContentHash(raw)
	if err != nil {
		return nil, err
	}
	record.ContentHash = &hash
	sealed := &rawjson.Difference{}
	sealed.Put("content_hash", rawjson.AppendString(nil, hash))
	return sealed.Apply(raw), nil
}
