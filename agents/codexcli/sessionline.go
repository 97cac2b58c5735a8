package codexcli

import (
	"github.com/git-trace/git-trace/records/rawjson"
)

// line is a line of a rollout: an envelope with time, kind and payload. Versions before 0.32 wrote only the payload.
type line struct {
	kind, time string
	payload    []byte
	summary    bool // the answer is the summary of a compaction
	item       item
}

// item is a payload with its relevant members; values that only some kinds need stay undecoded.
type item struct {
	kind, id, role, name, callID, turn      string
	content, input, output, action, passed  []byte
	summary, info, usage, thread, item, raw []byte
}

func (l *line) decode(raw []byte) {
	*l = line{}
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "metadata":
			l.summary = string(rawjson.Member(d.Raw(), "compaction_output")) == "true"
		default:
			d.Take("type", &l.kind, "timestamp", &l.time, "payload", &l.payload)
		}
	}
	if l.payload == nil {
		l.payload = raw
		l.kind = bareKind(l.kind, raw)
	}
	l.item.decode(l.payload)
}

// bareKind returns the kind of a line without an envelope.
func bareKind(kind string, raw []byte) string {
	switch {
	case kind != "":
		return "response_item"
	case rawjson.Member(raw, "record_type") != nil:
		return "state"
	case rawjson.Member(raw, "id") != nil:
		return "session_meta"
	}
	return ""
}

func (i *item) decode(raw []byte) {
	i.raw = raw
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "type":
			i.kind = d.Text()
		case "id":
			i.id = d.Text()
		case "role":
			i.role = d.Text()
		case "name":
			i.name = d.Text()
		case "call_id":
			i.callID = d.Text()
		case "turn_id":
			i.turn = d.Text()
		case "content":
			i.content = d.Raw()
		case "arguments", "input":
			i.input = d.Raw()
		case "output":
			i.output = d.Raw()
		default:
			i.member(d)
		}
	}
}

func (i *item) member(d *rawjson.Decoder) {
	d.Take("action", &i.action, "summary", &i.summary, "info", &i.info, "usage", &i.usage,
		"thread_token_usage", &i.thread, "item", &i.item, "internal_chat_message_metadata_passthrough", &i.passed)
}
