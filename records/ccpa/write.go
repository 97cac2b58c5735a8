package ccpa

import (
	"encoding/json"

	"github.com/git-trace/git-trace/records/rawjson"
)

// begin writes kind and v, and turn unless it is negative. The order is the order of the format's own program, without
// spaces.
func begin(kind Kind, vFirst bool, turn int) *rawjson.Members {
	o := &rawjson.Members{}
	if vFirst {
		o.Number("v", 1)
		o.Text("kind", string(kind))
	} else {
		o.Text("kind", string(kind))
		o.Number("v", 1)
	}
	if turn >= 0 {
		o.Number("turn", int64(turn))
	}
	return o
}

// append appends the block's JSON.
func (b *block) append(out []byte) []byte {
	o := &rawjson.Members{}
	o.Text("type", b.kind)
	switch b.kind {
	case "thinking":
		o.Text("thinking", b.text)
	case "tool_use":
		o.Text("id", b.id)
		o.Text("name", b.name)
		o.Raw("input", b.input)
	default:
		o.Text("text", b.text)
	}
	return append(out, o.End()...)
}

func userPrompt(vFirst bool, turn int, text string) []byte {
	o := begin(UserPrompt, vFirst, turn)
	o.Text("text", text)
	return o.End()
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
	o.Raw("blocks", append(list, ']'))
	o.Text("stop_reason", stop)
	return o.End()
}

func toolResult(vFirst bool, turn int, id string, ok bool, content string, sideEffects json.RawMessage) []byte {
	o := begin(ToolResult, vFirst, turn)
	o.Text("tool_use_id", id)
	o.Flag("ok", ok)
	o.Text("content", content)
	if len(sideEffects) > 0 {
		o.Raw("side_effects", sideEffects)
	}
	return o.End()
}
