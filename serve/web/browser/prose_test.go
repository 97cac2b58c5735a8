package browser

import (
	"context"
	"strings"
	"testing"
)

// answer is Markdown of each kind, in part too wide for a narrow page.
var answer = "# What I changed\n\nClose is *safe to call twice* now, see [the manual](https://go.dev/doc/x?a=1) and `sync/atomic`.\n" +
	"On a second line: ~~not so~~ **so**.\n\n1. one\n2. two\n   - " + strings.Repeat("within ", 20) + "\n\n> quoted\n\n" +
	"```go\nif !s.closed.CompareAndSwap(false, true) { " + strings.Repeat("wide ", 60) + "}\n```\n\n" +
	"| call | " + strings.Repeat("a column | ", 12) + "\n|---|" + strings.Repeat("---|", 12) + "\n| Close | " + strings.Repeat("unbreakable-and-long | ", 12) +
	"\n\n![a chart](https://a.example/chart.png)\n"

const proseTrace = "a0a0c0de-0000-4000-8000-000000000002"

// proseTalk is a conversation whose answer is Markdown.
func (w *World) proseTalk(ctx context.Context, root string) error {
	step := func(n int, role, text string) map[string]any {
		return map[string]any{"step_index": n, "role": role, "content": text, "tool_calls": []any{}, "observations": []any{}, "snippets": []any{}}
	}
	return w.talk(ctx, root, conversation{Trace: proseTrace, Session: "prose", Agent: "codex-cli"},
		[]map[string]any{step(1, "user", "what did you *change*?"), step(2, "agent", answer)})
}

// testAnswers looks at an answer as a browser draws it: elements where Markdown has them, and no picture is asked for.
func testAnswers(t *testing.T, ctx context.Context, world *World) {
	visit(t, ctx, world.Base+"/t/"+proseTrace[:8], 1280)
	for selector, want := range map[string]string{
		".prose p > b": "What I changed", ".prose em": "safe to call twice", ".prose p > code": "sync/atomic", ".prose ol > li": "one",
		".prose blockquote": "quoted", ".prose pre": "CompareAndSwap", ".prose td": "Close", ".prose a[href='https://a.example/chart.png']": "image: a chart",
		".prompt .said": "what did you *change*?",
	} {
		if got := evaluate[string](t, ctx, "document.querySelector(`"+selector+"`)?.textContent ?? ''"); !strings.Contains(got, want) {
			t.Errorf("%s is %q, not %q", selector, got, want)
		}
	}
	if text := evaluate[string](t, ctx, `document.querySelector(".talkhead").textContent`); strings.Contains(text, "What became") {
		t.Errorf("of what wrote nothing the page says %q", text)
	}
	if n := evaluate[int](t, ctx, `document.querySelectorAll("main img").length`); n > 0 {
		t.Errorf("%d pictures", n)
	}
	if text := evaluate[string](t, ctx, `document.querySelector(".prose").innerText`); !strings.Contains(text, "sync/atomic.\nOn a second line") {
		t.Errorf("lines are joined: %q", text)
	}
}
