package terminal

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestJSONOnATerminalSaysTheSameAndActsOnNothing(t *testing.T) {
	t.Parallel()
	text := "{\"a\": \"caf\u00e9 \u202eevil \u009b31m \u200b \U000e0041 \x7f 日本\"}\n"
	for _, piece := range []int{1, 2, 3, 7, len(text)} {
		var out bytes.Buffer
		screen := &JSON{To: &out}
		for at := 0; at < len(text); at += piece {
			if n, err := screen.Write([]byte(text[at:min(len(text), at+piece)])); err != nil || n == 0 {
				t.Fatal(n, err)
			}
		}
		want := "{\"a\": \"café \\u202eevil \\u009b31m \\u200b \\udb40\\udc41 \\u007f 日本\"}\n"
		if out.String() != want {
			t.Errorf("in pieces of %d: %s", piece, out.String())
		}
		var got, meant map[string]string
		if json.Unmarshal(out.Bytes(), &got) != nil || json.Unmarshal([]byte(text), &meant) != nil || got["a"] != meant["a"] {
			t.Errorf("in pieces of %d it says %q", piece, got["a"])
		}
	}
}
