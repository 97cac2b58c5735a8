// Package opentraces reads and writes TraceRecords in the exchange form of opentraces: one record on each line.
//
// This is git-trace's own form, version 0.3.0 of the schema, so writing only encodes the record. Reading accepts
// records of every version and checks them. It rejects a record that does not match its content hash.
//
// A record of a later version is written in that version again, with all its data. Data for which 0.3.0 has no member
// are kept in metadata.opentraces, as the difference between the record that was read and its form in 0.3.0.
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

// Read yields the records of a file in order. It stops at the first fault and returns its line, unless that line is
// skipped.
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
		record.ContentHash = nil // documentation shortens the hash: "a1b2…"
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

// countFromOne numbers the steps of a record from 1 if its writer numbered them from 0. It removes the hash, which was
// computed with the old numbers.
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

// `kept` is the content of metadata.opentraces in a record of a later version.
type kept struct {
	Version string              `json:"schema_version"`
	Differs *rawjson.Difference `json:"differs,omitempty"` // the difference from the record in version 0.3.0
}

// `Later` reports whether a record was imported from a later version and keeps that version's data.
func Later(record *records.Record) bool { return len(record.Metadata[Name]) > 0 }

// `own` reports whether a version has no members beyond those of 0.3.0.
func own(version string) bool {
	for _, early := range [...]string{"0.1.", "0.2.", "0.3."} {
		if strings.HasPrefix(version, early) {
			return true
		}
	}
	return false
}

// keep converts a record of a later version to 0.3.0, and stores the data that would be lost. It also stores another
// program's metadata.opentraces.
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

// onlyEmpty keeps only those removals in a difference that remove empty members.
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

// Write writes a record and a line feed, in the version in which the record was imported.
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
