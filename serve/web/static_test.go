package web

import (
	"bytes"
	"strings"
	"testing"
)

// The style sheet and the script are small, as they are sent and as a browser reads them.
func TestAssetsAreSmall(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]struct{ plain, packed int }{"page.css": {20_500, 6_000}, "page.js": {6_000, 2_500}} {
		got := ready()[name]
		if len(got.plain) > most.plain || len(got.packed) > most.packed || len(got.packed) < 500 {
			t.Errorf("%s has %d bytes, %d as it is sent", name, len(got.plain), len(got.packed))
		}
	}
	style := ready()["page.css"].plain
	if open, shut := bytes.Count(style, []byte("{")), bytes.Count(style, []byte("}")); open != shut || open < 200 {
		t.Errorf("%d blocks are opened, %d closed", open, shut)
	}
}

func TestWhatIsLeftOutOfAScriptSaysNothing(t *testing.T) {
	t.Parallel()
	const given = "// one\n\nconst a = 1; // two\nfunction f() {\n  // three\n  return \"// four\";\n}\n"
	const want = "const a = 1; // two\nfunction f() {\nreturn \"// four\";\n}\n"
	if got := string(bare([]byte(given))); got != want {
		t.Errorf("got %s", got)
	}
}

func TestWhatIsLeftOutOfAStyleSheetSaysNothing(t *testing.T) {
	t.Parallel()
	const given = "/* one */\n.a, .b > c {\n  color: red; width: calc(1px + 2em);\n}\n@media (max-width: 5em) { .d { content: \"▸\"; } }\n"
	const want = `.a,.b>c{color:red;width:calc(1px + 2em)}@media (max-width:5em){.d{content:"▸"}}`
	if got := string(tight([]byte(given))); got != want {
		t.Errorf("got %s", strings.TrimSpace(got))
	}
}
