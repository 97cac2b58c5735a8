package otlp

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// put adds a field with bytes.
func put(out []byte, n protowire.Number, parts ...[]byte) []byte {
	var all []byte
	for _, part := range parts {
		all = append(all, part...)
	}
	return protowire.AppendBytes(protowire.AppendTag(out, n, protowire.BytesType), all)
}

func number(n protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), value)
}

func fixed(n protowire.Number, value uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(nil, n, protowire.Fixed64Type), value)
}

func textOf(text string) []byte { return put(nil, 1, []byte(text)) }

func attribute(key string, value []byte) []byte {
	return put(nil, 6, put(nil, 1, []byte(key)), put(nil, 2, value))
}

// request wraps records of a log, each in bytes.
func requested(records ...[]byte) []byte {
	service := put(nil, 1, put(nil, 1, []byte("service.name")), put(nil, 2, textOf("claude-code")))
	var scoped []byte
	for _, r := range records {
		scoped = put(scoped, 2, r)
	}
	return put(nil, 1, put(nil, 1, service), put(nil, 2, scoped))
}

func prompt(text string) []byte {
	list := put(nil, 5, put(nil, 1, textOf("in a list")), put(nil, 1, number(3, 1<<64-1)))
	record := append(fixed(1, 1778900000000000000), put(nil, 5, textOf("claude_code.user_prompt"))...)
	record = append(record, attribute("session.id", textOf("S1"))...)
	record = append(record, number(99, 7)...) // a field of a later version
	record = append(record, attribute("prompt", textOf(text))...)
	record = append(record, attribute("empty", nil)...)
	record = append(record, attribute("list", list)...)
	record = append(record, put(nil, 9, []byte{0xab, 0xcd})...)
	return record
}

func TestAMessageBecomesTheJSONOfOTLP(t *testing.T) {
	t.Parallel()
	got, err := jsonOf(requested(prompt("say \"hi\"\x00\xff")), &logRequest)
	const want = `{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"claude-code"}}]},` +
		`"scopeLogs":[{"logRecords":[{"timeUnixNano":"1778900000000000000","body":{"stringValue":"claude_code.user_prompt"},"attributes":[` +
		`{"key":"session.id","value":{"stringValue":"S1"}},{"key":"prompt","value":{"stringValue":"say \"hi\"\u0000�"}},` +
		`{"key":"empty","value":{}},{"key":"list","value":{"arrayValue":{"values":[{"stringValue":"in a list"},{"intValue":-1}]}}}],` +
		`"traceId":"abcd"}]}]}]}`
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\n%s", err, got, want)
	}
	items, err := itemsOf(requested(prompt("hi")), asProto, "LogRecords")
	if err != nil || len(items) != 1 || items[0].Session != "S1" || !strings.Contains(string(items[0].Line), `"prompt":"hi"`) {
		t.Errorf("%+v, %v", items, err)
	}
	again, _ := itemsOf(got, asJSON, "LogRecords")
	if len(again) != 1 || again[0].Key != items[0].Key {
		t.Error("the key depends on the text or the encoding")
	}
}

func TestMessagesHaveBounds(t *testing.T) {
	t.Parallel()
	deep := textOf("x")
	for range 100 {
		deep = put(nil, 5, put(nil, 1, deep))
	}
	many := make([][]byte, mostItems+1)
	for name, test := range map[string]struct {
		raw  []byte
		want error
	}{
		"deep":         {requested(attribute("a", deep)), errDeep},
		"many":         {requested(many...), errMany},
		"cut off":      {requested(prompt("hi"))[:50], errWire},
		"another type": {number(1, 1), errWire},
		"no tag":       {[]byte{0x80}, errWire},
	} {
		if _, err := jsonOf(test.raw, &logRequest); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzItems(f *testing.F) {
	f.Add(requested(prompt("hi")), true, true)
	f.Add([]byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1","body":{"stringValue":"codex.user_prompt"},"attributes":[{"key":"prompt","value":{}}]}]}]}]}`), false, true)
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"a","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},`+
		`{"key":"gen_ai.input.messages","value":{"stringValue":"[{]"}}]}]}]}]}`), false, false)
	f.Fuzz(func(t *testing.T, raw []byte, binary, logs bool) {
		encoding, kind := asJSON, "Spans"
		m := &traceRequest
		if logs {
			kind, m = "LogRecords", &logRequest
		}
		if binary {
			encoding = asProto
			if text, err := jsonOf(raw, m); err == nil && !json.Valid(text) {
				t.Fatalf("no JSON: %q", text)
			}
		}
		items, _ := itemsOf(raw, encoding, kind)
		for _, item := range items {
			if !json.Valid(item.Line) || item.Key == "" || strings.Contains(string(item.Line), "\n") {
				t.Fatalf("no line: %q", item.Line)
			}
		}
	})
}
