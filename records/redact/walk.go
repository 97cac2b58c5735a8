package redact

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// walker redacts every string of a JSON text, names of members included.
type walker struct {
	*Redactor
	ctx     context.Context
	count   int
	changed bool // which paths in work trees do, and do not count
}

// labels are the members of a record that others refer to or count by. Below a member that holds what an agent or a
// tool made up (scope), no name means anything.
func labels(name string) bool {
	switch name {
	case "schema_version", "trace_id", "session_id", "content_hash", "timestamp_start", "timestamp_end", "timestamp",
		"role", "model",
		"system_prompt_hash", "agent_role", "call_type", "subagent_trajectory_ref", "tool_call_id", "tool_name",
		"source_call_id",
		"revision", "commit_sha", "base_commit", "type", "tier", "lifecycle", "classifier_version", "execution_context",
		"source",
		"terminal_state", "signal_source", "signal_confidence", "reward_source", "confidence", "change_type", "vcs_type",
		"ids",
		"language", "language_ecosystem", "version", "tools_available", "error", "dependencies":
		return true
	}
	return false
}

// scope tells what the names of members mean at a place of a record.
type scope int

const (
	ofSchema   scope = iota
	ofMetadata       // members that agents and programs of others make up, but for the lines that steps come from
	ofSources        // these lines: their ids are labels
	free             // names mean nothing
)

// below is the scope of a member.
func (s scope) below(name string) scope {
	switch {
	case s == ofMetadata && name == "sources":
		return ofSources
	case s != ofSchema:
		return free
	}
	switch name {
	case "metadata":
		return ofMetadata
	case "input", "tool_definitions", "related", "system_prompts":
		return free
	}
	return ofSchema
}

// apply redacts a value of the schema by way of its JSON, so that no member can be forgotten.
func apply[T any](ctx context.Context, r *Redactor, value *T) (int, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return 0, err
	}
	out, n, err := r.json(ctx, raw)
	if err != nil || out == nil {
		return 0, err
	}
	var redacted T
	if err := json.Unmarshal(out, &redacted); err != nil {
		return 0, fmt.Errorf("read what is left: %w", err)
	}
	*value = redacted
	return n, nil
}

// json redacts the JSON of a value of the schema. Nil stands for what is as it was.
func (r *Redactor) json(ctx context.Context, raw []byte) ([]byte, int, error) {
	w := walker{Redactor: r, ctx: ctx}
	d := rawjson.NewDecoder(raw)
	out, err := w.value(make([]byte, 0, len(raw)), d, ofSchema, prose)
	if err == nil {
		err = d.Err()
	}
	if err != nil || !w.changed {
		return nil, 0, err
	}
	return out, w.count, nil
}

// redactStep gives the JSON of a step as a spool keeps it.
func redactStep(ctx context.Context, r *Redactor, step *records.Step) (raw []byte, n int, err error) {
	if raw, err = records.EncodeStep(step); err != nil {
		return nil, 0, err
	}
	out, n, err := r.json(ctx, raw)
	if err != nil || out == nil {
		return raw, 0, err
	}
	if !bytes.Contains(out, []byte("\u2028")) && !bytes.Contains(out, []byte("\u2029")) {
		return out, n, nil
	}
	// encoding/json escapes these two, but for those in the inputs of calls.
	var redacted records.Step
	if err := json.Unmarshal(out, &redacted); err != nil {
		return nil, 0, fmt.Errorf("read what is left: %w", err)
	}
	raw, err = records.EncodeStep(&redacted)
	return raw, n, err
}

// value appends the next value, redacted.
func (w *walker) value(out []byte, d *rawjson.Decoder, at scope, m manner) ([]byte, error) {
	if err := w.ctx.Err(); err != nil {
		return nil, err
	}
	switch d.Kind() {
	case rawjson.String:
		return w.text(out, "", d.Text(), m)
	case rawjson.Array:
		return w.array(out, d, at, m)
	case rawjson.Object:
		return w.object(out, d, at, m)
	default:
		return append(out, d.Raw()...), d.Err()
	}
}

func (w *walker) text(out []byte, name, text string, m manner) ([]byte, error) {
	clean, n, err := w.guarded(w.ctx, name, text, m)
	if err != nil {
		return nil, err
	}
	w.count += n
	w.changed = w.changed || n > 0 || clean != text
	return rawjson.AppendString(out, clean), nil
}

func (w *walker) array(out []byte, d *rawjson.Decoder, at scope, m manner) ([]byte, error) {
	out = append(out, '[')
	first := true
	for d.OpenArray(); d.Element(); {
		if !first {
			out = append(out, ',')
		}
		first = false
		var err error
		if out, err = w.value(out, d, at, m); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), d.Err()
}

func (w *walker) object(out []byte, d *rawjson.Decoder, at scope, m manner) ([]byte, error) {
	out = append(out, '{')
	first := true
	for d.Open(); d.Member(); {
		if !first {
			out = append(out, ',')
		}
		first = false
		name := string(d.Key())
		below, inside := m, at.below(name)
		if at == ofSchema && labels(name) || at == ofSources && name == "ids" {
			below = label
		}
		var err error
		if at != ofSchema { // names of the schema stay as they are
			out, err = w.text(out, "", name, m)
		} else {
			out = rawjson.AppendString(out, name)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, ':')
		if at != ofSchema && d.Kind() == rawjson.String {
			out, err = w.text(out, name, d.Text(), below)
		} else {
			out, err = w.value(out, d, inside, below)
		}
		if err != nil {
			return nil, err
		}
	}
	return append(out, '}'), d.Err()
}
