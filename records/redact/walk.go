package redact

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// walker redacts every string of a JSON text, including member names.
type walker struct {
	*Redactor
	ctx     context.Context
	texts   []string // the redacted strings in order, including member names
	count   int
	changed bool // relative paths of work trees set it too, although they are not counted
}

// `labels` reports whether a member's value is an id, or a name or time that other data refers to. Below a member with
// free data of an agent or a tool (see scope), member names have no meaning.
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

// scope says how member names are read in a part of a record.
type scope int

const (
	ofSchema    scope = iota
	ofMetadata        // free members of agents and other programs, except the source lines of steps
	ofSources         // the source lines of steps: their ids are labels
	free              // member names have no meaning
	ofTelemetry       // members of spans and log events
)

// telemetryLabels lists the last words of telemetry member names whose values other data refers to.
var telemetryLabels = []string{"id", "key", "kind", "model", "name", "role", "service", "time", "toolCallId", "type"}

// Telemetry redacts the JSON of a span or log event. From ids and similar values it removes only secrets. It changes
// member names only inside inputs and results. It returns the number of redactions.
func (r *Redactor) Telemetry(ctx context.Context, raw []byte) ([]byte, int, error) {
	w := walker{Redactor: r, ctx: ctx}
	err := w.value(rawjson.NewDecoder(raw), ofTelemetry, prose)
	if err != nil || !w.changed {
		return raw, 0, err
	}
	return w.written(make([]byte, 0, len(raw)), rawjson.NewDecoder(raw)), w.count, nil
}

// `below` returns the scope inside a member.
func (s scope) below(name string) scope {
	switch {
	case s == ofMetadata && name == "sources":
		return ofSources
	case s == ofTelemetry:
		switch name[strings.LastIndexAny(name, "._")+1:] {
		case "args", "arguments", "input", "result", "response", "definitions":
			return free
		}
		return ofTelemetry
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

// apply redacts a value of the schema through its JSON, so that no member is forgotten.
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

// json redacts the JSON of a value of the schema. It returns nil if nothing changed.
func (r *Redactor) json(ctx context.Context, raw []byte) ([]byte, int, error) {
	w := walker{Redactor: r, ctx: ctx}
	d := rawjson.NewDecoder(raw)
	err := w.value(d, ofSchema, prose)
	if err == nil {
		err = d.Err()
	}
	if err != nil || !w.changed {
		return nil, 0, err
	}
	return w.written(make([]byte, 0, len(raw)), rawjson.NewDecoder(raw)), w.count, nil
}

// redactStep returns the redacted JSON of a step, in the form of a spool.
func redactStep(ctx context.Context, r *Redactor, step *records.Step) (raw []byte, n int, err error) {
	w := stepWalker{walker: walker{Redactor: r, ctx: ctx}}
	if w.err = ctx.Err(); w.err == nil {
		raw, err = records.WriteStep(step, &w)
	}
	if err = cmp.Or(w.err, err); err != nil || !w.changed {
		return raw, 0, err
	}
	w.redacted = true
	raw, err = records.WriteStep(step, &w)
	return raw, w.count, err
}

// stepWalker redacts the texts of a step while the step is written. If one text changes, the step is written again with
// the redacted texts.
type stepWalker struct {
	walker
	redacted bool // the step is being written with the redacted texts
	err      error
}

// Text redacts a text of the schema.
func (w *stepWalker) Text(member, text string) string {
	if w.redacted {
		text, w.texts = w.texts[0], w.texts[1:]
		return text
	}
	m := prose
	if labels(member) {
		m = label
	}
	valid := text
	if !utf8.ValidString(text) {
		valid = string([]rune(text)) // as in JSON
	}
	if w.err == nil {
		w.err = w.text("", valid, m)
	}
	return text
}

// Input redacts the input of a call.
func (w *stepWalker) Input(raw []byte) []byte {
	d := rawjson.NewDecoder(raw)
	if w.redacted {
		return w.written(nil, d)
	}
	if w.err == nil {
		w.err = w.value(d, free, prose)
	}
	return raw
}

// value redacts the next value.
func (w *walker) value(d *rawjson.Decoder, at scope, m manner) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	switch d.Kind() {
	case rawjson.String:
		return w.text("", d.Text(), m)
	case rawjson.Array:
		for d.OpenArray(); d.Element(); {
			if err := w.value(d, at, m); err != nil {
				return err
			}
		}
	case rawjson.Object:
		return w.object(d, at, m)
	default:
		d.Skip()
	}
	return d.Err()
}

func (w *walker) text(name, text string, m manner) error {
	clean, n, err := w.guarded(w.ctx, name, text, m)
	w.texts = append(w.texts, clean)
	w.count += n
	w.changed = w.changed || n > 0 || clean != text
	return err
}

func (w *walker) object(d *rawjson.Decoder, at scope, m manner) error {
	for d.Open(); d.Member(); {
		name := string(d.Key())
		below, inside := m, at.below(name)
		if at == ofSchema && labels(name) || at == ofSources && name == "ids" || at == ofTelemetry &&
			slices.Contains(telemetryLabels, name[strings.LastIndexAny(name, "._")+1:]) {
			below = label
		}
		var err error
		switch {
		case at == ofSchema || at == ofTelemetry: // member names of the schema do not change
			w.texts = append(w.texts, name)
			err = w.value(d, inside, below)
		case d.Kind() == rawjson.String:
			if err = w.text("", name, m); err == nil {
				err = w.text(name, d.Text(), below)
			}
		default:
			if err = w.text("", name, m); err == nil {
				err = w.value(d, inside, below)
			}
		}
		if err != nil {
			return err
		}
	}
	return d.Err()
}

// `written` appends the next value with its redacted texts.
func (w *walker) written(out []byte, d *rawjson.Decoder) []byte {
	first := true
	comma := func() {
		if !first {
			out = append(out, ',')
		}
		first = false
	}
	switch d.Kind() {
	case rawjson.String:
		d.Skip()
		return w.next(out)
	case rawjson.Array:
		out = append(out, '[')
		for d.OpenArray(); d.Element(); {
			comma()
			out = w.written(out, d)
		}
		return append(out, ']')
	case rawjson.Object:
		out = append(out, '{')
		for d.Open(); d.Member(); {
			comma()
			out = w.written(append(w.next(out), ':'), d)
		}
		return append(out, '}')
	}
	return append(out, d.Raw()...)
}

// `next` appends the next redacted text.
func (w *walker) next(out []byte) []byte {
	text := w.texts[0]
	w.texts = w.texts[1:]
	return rawjson.AppendString(out, text)
}
