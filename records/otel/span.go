package otel

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Name is the name of the format on the command line.
const Name = "otlp"

// maxSpans limits the number of spans in a file.
const maxSpans = 1_000_000

// errMany reports a file with more spans than that.
var errMany = errors.New("too many spans")

// A span is a span of OTLP, or a log event in the form of a span.
type span struct {
	trace, id, parent, name string
	service                 string
	start, end              time.Time
	failed                  bool
	answers                 bool              // the span is of an agent, and is treated as its answer
	asks                    bool              // the span is an event with the text of a prompt
	untold                  bool              // the span is an answer whose text the client never sends
	attrs                   map[string][]byte // JSON
	from                    foreign.Document
}

// text returns the first of several attributes that is a non-empty text.
func (s *span) text(names ...string) string {
	for _, name := range names {
		if text := rawjson.Unquote(s.attrs[name]); text != "" {
			return text
		}
	}
	return ""
}

// int returns the first of several attributes that is a number above 0.
func (s *span) int(names ...string) int64 {
	for _, name := range names {
		if n := rawjson.NewDecoder(s.attrs[name]).Int(); n > 0 {
			return n
		}
	}
	return 0
}

// json returns the first of several attributes that contains JSON, directly or as text.
func (s *span) json(names ...string) []byte {
	for _, name := range names {
		raw := s.attrs[name]
		if d := rawjson.NewDecoder(raw); d.Kind() == rawjson.String {
			raw = []byte(d.Text())
		}
		if d := rawjson.NewDecoder(raw); len(raw) > 0 {
			if d.Skip(); d.Err() == nil {
				return raw
			}
		}
	}
	return nil
}

// `cut` reports whether the span has messages that cannot be read because a limit on attributes cut them off.
func (s *span) cut() bool {
	for _, name := range []string{"gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.prompt", "gen_ai.completion",
		"ai.prompt.messages", "ai.response.toolCalls"} {
		text := strings.TrimSpace(s.text(name))
		if (strings.HasPrefix(text, "[{") || strings.HasPrefix(text, `{"`)) && s.json(name) == nil {
			return true
		}
	}
	return false
}

// spansOf reads the spans of a row: an OTLP document, or a single span.
func spansOf(d *foreign.Document) ([]*span, error) {
	resources := rawjson.Member(d.Raw, "resourceSpans")
	if resources == nil {
		resources = rawjson.Member(d.Raw, "resource_spans")
	}
	if resources == nil {
		resources = first(d.Raw, "resourceLogs", "resource_logs")
	}
	if resources == nil {
		s, err := flat(d.Raw)
		if err != nil {
			return nil, err
		}
		s.from = kept(d)
		return []*span{s}, nil
	}
	var out []*span
	r := rawjson.NewDecoder(resources)
	for r.OpenArray(); r.Element(); {
		resource := r.Raw()
		about := attributes(rawjson.Member(rawjson.Member(resource, "resource"), "attributes"))
		scopes := rawjson.NewDecoder(first(resource, "scopeSpans", "scope_spans", "scopeLogs", "scope_logs"))
		for scopes.OpenArray(); scopes.Element(); {
			list := rawjson.NewDecoder(first(scopes.Raw(), "spans", "logRecords", "log_records"))
			for list.OpenArray(); list.Element(); {
				s, err := spanOf(list.Raw())
				if err != nil {
					return nil, err
				}
				s.service, s.from = rawjson.Unquote(about["service.name"]), kept(d)
				out = append(out, s)
			}
		}
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	return out, nil
}

// spanOf reads a span or a log record; only a log record has a single time.
func spanOf(raw []byte) (*span, error) {
	if first(raw, "timeUnixNano", "time_unix_nano", "observedTimeUnixNano", "observed_time_unix_nano") != nil {
		return eventOf(raw), nil
	}
	return flat(raw)
}

// `kept` returns the place of a row, without the row's text.
func kept(d *foreign.Document) foreign.Document {
	return foreign.Document{Place: d.Place, File: d.File}
}

func first(raw []byte, names ...string) []byte {
	for _, name := range names {
		if value := rawjson.Member(raw, name); len(value) > 0 && string(value) != "null" {
			return value
		}
	}
	return nil
}

// `flat` reads a single span in the form of OTLP or of a dump. An object that has only attributes is accepted too.
func flat(raw []byte) (*span, error) {
	context := first(raw, "context", "spanContext")
	text := func(names ...string) string {
		return rawjson.Unquote(first(raw, names...))
	}
	s := &span{name: text("name"), service: text("service")}
	s.trace, s.id = text("traceId", "trace_id"), text("spanId", "span_id")
	if s.id == "" {
		s.trace = rawjson.Unquote(first(context, "traceId", "trace_id"))
		s.id = rawjson.Unquote(first(context, "spanId", "span_id"))
	}
	s.parent = text("parentSpanId", "parent_id", "parent_span_id")
	s.start = moment(first(raw, "startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime"))
	s.end = moment(first(raw, "endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime"))
	status := rawjson.Member(raw, "status")
	code := first(status, "code", "status_code")
	s.failed = string(code) == "2" || strings.HasSuffix(strings.ToUpper(rawjson.Unquote(code)), "ERROR")
	listed := rawjson.Member(raw, "attributes")
	if listed == nil && s.id == "" {
		listed = raw
	}
	if s.attrs = attributes(listed); len(s.attrs) == 0 && s.id == "" {
		return nil, fmt.Errorf("%w: no span", foreign.ErrForm)
	}
	return s, nil
}

// attributes reads a list of key-value pairs, or an object.
func attributes(raw []byte) map[string][]byte {
	out := map[string][]byte{}
	d := rawjson.NewDecoder(raw)
	if d.Kind() == rawjson.Array {
		for d.OpenArray(); d.Element(); {
			pair := d.Raw()
			out[rawjson.MemberText(pair, "key")] = value(rawjson.Member(pair, "value"), 0)
		}
		return out
	}
	for d.Open(); d.Member(); {
		name := string(d.Key())
		out[name] = d.Raw()
	}
	return out
}

// maxDepth limits the nesting of values.
const maxDepth = 64

// value converts an OTLP value to JSON.
func value(raw []byte, depth int) []byte {
	d := rawjson.NewDecoder(raw)
	if d.Kind() != rawjson.Object || depth > maxDepth {
		return raw
	}
	if d.Open(); !d.Member() {
		return []byte("null")
	}
	kind, inner := string(d.Key()), d.Raw()
	switch kind {
	case "intValue":
		if text := rawjson.Unquote(inner); text != "" {
			if n, err := strconv.ParseInt(text, 10, 64); err == nil {
				return strconv.AppendInt(nil, n, 10)
			}
		}
		return inner
	case "arrayValue":
		out := []byte{'['}
		list := rawjson.NewDecoder(rawjson.Member(inner, "values"))
		for list.OpenArray(); list.Element(); {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, value(list.Raw(), depth+1)...)
		}
		return append(out, ']')
	case "kvlistValue":
		var out rawjson.Members
		list := rawjson.NewDecoder(rawjson.Member(inner, "values"))
		for list.OpenArray(); list.Element(); {
			pair := list.Raw()
			out.Raw(rawjson.MemberText(pair, "key"), value(rawjson.Member(pair, "value"), depth+1))
		}
		return out.End()
	default:
		return inner
	}
}

// moment reads a time: nanoseconds, RFC 3339, or [seconds, nanoseconds].
func moment(raw []byte) time.Time {
	d := rawjson.NewDecoder(raw)
	switch d.Kind() {
	case rawjson.String:
		text := d.Text()
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return time.Unix(0, n).UTC()
		}
		at, _ := time.Parse(time.RFC3339Nano, text) // zero for an invalid time
		return at
	case rawjson.Number:
		return time.Unix(0, d.Int()).UTC()
	case rawjson.Array:
		var parts [2]int64
		if json.Unmarshal(raw, &parts) == nil && parts[0] > 0 && parts[0] < 1<<33 {
			return time.Unix(parts[0], parts[1]).UTC()
		}
	default:
	}
	return time.Time{}
}

func stamp(t time.Time) string {
	if t.Unix() <= 0 {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// hexOf returns an id of n bytes in the form of OTLP.
func hexOf(raw []byte, n int) string { return hex.EncodeToString(raw[:n]) }
