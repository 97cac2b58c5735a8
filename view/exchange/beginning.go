package exchange

import (
	"bytes"
	"slices"

	"github.com/git-trace/git-trace/records/rawjson"
)

// beginning is a JSON value, read from the beginning of a file and perhaps cut off. It is an object with members, or an
// array.
type beginning struct {
	raw    []byte
	kind   rawjson.Kind
	values map[string][]byte // of an object; the last value may be cut off
}

func begin(raw []byte) beginning {
	d := rawjson.NewDecoder(raw)
	b := beginning{raw: raw, kind: d.Kind(), values: map[string][]byte{}}
	if b.kind != rawjson.Object {
		return b
	}
	for d.Open(); d.Member(); {
		name, rest := string(d.Key()), d.Rest()
		if b.values[name] = d.Raw(); d.Err() != nil {
			b.values[name] = rest
		}
	}
	return b
}

// `has` reports whether an object has all the given members.
func (b beginning) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { _, found := b.values[name]; return !found })
}

// text returns a member that is a string.
func (b beginning) text(name string) string { return rawjson.Unquote(b.values[name]) }

// first returns the first element of an array.
func (b beginning) first() beginning {
	d := rawjson.NewDecoder(b.raw)
	if b.kind != rawjson.Array {
		return beginning{}
	}
	if d.OpenArray(); !d.Element() {
		return beginning{}
	}
	rest := d.Rest()
	if raw := d.Raw(); d.Err() == nil {
		return begin(raw)
	}
	return begin(rest)
}

// row returns the content of a row of a file: the object itself, or the first object of an array.
func (b beginning) row() beginning {
	if b.kind == rawjson.Array {
		return b.first()
	}
	return b
}

// `in` returns a member as a beginning.
func (b beginning) in(name string) beginning { return begin(b.values[name]) }

// message reports whether an array begins with a message in the form of the providers' APIs. Messages in clients'
// session files have more members.
func (b beginning) message() bool {
	first := b.first()
	if !slices.Contains([]string{"system", "developer", "user", "assistant"}, first.text("role")) {
		return false
	}
	return !first.has("ts") && !first.has("messageId") && !first.has("parts") && !first.has("timestamp")
}

// textOf reports whether a member holds an array of messages as text, which may be cut off.
func (b beginning) textOf(name string) bool {
	text := b.row().values[name]
	return bytes.HasPrefix(text, []byte(`"[{`)) && bytes.Contains(text, []byte(`\"role\"`))
}

// `kept` reports whether an object is a session in a client's own form, and not a row of a data set.
func (b beginning) kept() bool { return b.has("sessionId") || b.has("v") }

// spans recognises spans of OpenTelemetry: an OTLP document, single spans of a dump, or only attributes.
func (b beginning) spans() bool {
	r := b.row()
	identified := r.has("spanContext") || r.has("span_id") || r.has("spanId") || r.in("context").has("span_id")
	return r.has("resourceSpans") || r.has("resource_spans") || r.has("attributes") && identified ||
		r.has("gen_ai.operation.name") || r.has("openinference.span.kind")
}

// events recognises a list of OpenHands events, or a row that contains one. A row of predictions contains only a patch.
func (b beginning) events() bool {
	event := func(b beginning) bool { return b.has("source") && (b.has("action") || b.has("observation")) }
	r := b.row()
	first := r.in("history").first()
	return b.kind == rawjson.Array && event(r) ||
		event(first) || event(first.first()) || first.has("action", "content") ||
		r.has("history") && (r.has("git_patch") || r.has("test_result")) ||
		r.has("instance_id", "model_patch", "model_name_or_path")
}
