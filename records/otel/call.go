package otel

import (
	"cmp"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
)

func (s *span) callID() string { return s.text("gen_ai.tool.call.id", "tool.id", "ai.toolCall.id") }
func (s *span) tool() string {
	return cmp.Or(s.text("gen_ai.tool.name", "tool.name", "ai.toolCall.name"), s.name)
}

// callsAfter returns the tool spans before the next answer.
func callsAfter(list []item) []*span {
	var out []*span
	for _, one := range list {
		switch {
		case one.sub != nil:
		case one.span.kind() == model:
			return out
		default:
			out = append(out, one.span)
		}
	}
	return out
}

// raw returns the first of several attributes that has a value.
func (s *span) raw(names ...string) []byte {
	for _, name := range names {
		if raw := s.attrs[name]; len(raw) > 0 && string(raw) != "null" {
			return raw
		}
	}
	return nil
}

// result adds the result of a call, with the data of the call's span.
func (t *talk) result(id string, r assemble.Result) error {
	if id != "" && t.answered[id] {
		return nil
	}
	t.answered[id] = true
	if s := t.tools[id]; s != nil {
		s.tell(&r)
	}
	return t.Answered(id, r)
}

// tell adds the duration and the failure of a call.
func (s *span) tell(r *assemble.Result) {
	if took := s.end.Sub(s.start); took >= 0 && !s.end.IsZero() && !s.start.IsZero() {
		r.DurationMS = new(took.Milliseconds())
	}
	if r.Time = stamp(s.end); s.failed {
		r.Error = records.ErrorTool
		if told := s.text(errorAttr); told != "" {
			r.Error = told
		}
	}
}

// `ended` adds the result of a call from its span, unless a message had it.
func (t *talk) ended(s *span) error { return t.endedOf(s.callID(), s) }

func (t *talk) endedOf(id string, s *span) error {
	if id == "" || t.answered[id] || t.tools[id] == nil {
		return nil
	}
	r := assemble.Result{}
	if raw := s.raw("gen_ai.tool.call.result", "output.value", "ai.toolCall.result"); raw != nil {
		r.Content = new(said(raw))
	}
	return t.result(id, r)
}
