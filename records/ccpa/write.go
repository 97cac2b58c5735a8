package ccpa

import (
	"encoding/json"
	"strconv"

	"github.com/git-trace/git-trace/records/rawjson"
)

// object writes the members of one record in order, without spaces, as the format's own program does.
type object struct{ out []byte }

// begin writes kind and v, and the turn unless it is negative.
func begin(kind Kind, vFirst bool, turn int) *object {
	o := &object{}
	if vFirst {
		o.number("v", 1)
		o.text("kind", string(kind))
	} else {
		o.text("kind", string(kind))
		o.number("v", 1)
	}
	if turn >= 0 {
		o.number("turn", int64(turn))
	}
	return o
}

func (o *object) name(name string) {
	if len(o.out) == 0 {
		o.out = append(o.out, '{')
	} else {
		o.out = append(o.out, ',')
	}
	o.out = append(rawjson.AppendString(o.out, name), ':')
}

func (o *object) text(name, value string) {
	o.name(name)
	o.out = rawjson.AppendString(o.out, value)
}

func (o *object) number(name string, value int64) {
	o.name(name)
	o.out = strconv.AppendInt(o.out, value, 10)
}

func (o *object) flag(name string, value bool) {
	o.name(name)
	o.out = strconv.AppendBool(o.out, value)
}

func (o *object) raw(name string, value json.RawMessage) {
	o.name(name)
	o.out = append(o.out, value...)
}

func (o *object) end() []byte { return append(o.out, '}') }

// append writes the block.
func (b *block) append(out []byte) []byte {
	o := &object{}
	o.text("type", b.kind)
	switch b.kind {
	case "thinking":
		o.text("thinking", b.text)
	case "tool_use":
		o.text("id", b.id)
		o.text("name", b.name)
		o.raw("input", b.input)
	default:
		o.text("text", b.text)
	}
	return append(out, o.end()...)
}

func userPrompt(vFirst bool, turn int, text string) []byte {
	o := begin(UserPrompt, vFirst, turn)
	o.text("text", text)
	return o.end()
}

func assistantTurn(vFirst bool, turn int, blocks []block, stop string) []byte {
	o := begin(AssistantTurn, vFirst, turn)
	list := []byte("[")
	for i := range blocks {
		if i > 0 {
			list = append(list, ',')
		}
		list = blocks[i].append(list)
	}
	o.raw("blocks", append(list, ']'))
	o.text("stop_reason", stop)
	return o.end()
}

func toolResult(vFirst bool, turn int, id string, ok bool, content string, sideEffects json.RawMessage) []byte {
	o := begin(ToolResult, vFirst, turn)
	o.text("tool_use_id", id)
	o.flag("ok", ok)
	o.text("content", content)
	if len(sideEffects) > 0 {
		o.raw("side_effects", sideEffects)
	}
	return o.end()
}
