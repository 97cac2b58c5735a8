package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// longTalk gives the conversation of the demo a record of so many steps: prompts, commands, and a sub-agent with every
// fourth prompt.
func (w *World) longTalk(ctx context.Context, root string, steps int) error {
	var all []map[string]any
	add := func(role, text string, more map[string]any) int {
		n := len(all) + 1
		s := map[string]any{"step_index": n, "role": role, "content": text, "tool_calls": []any{}, "observations": []any{},
			"snippets": []any{}, "timestamp": fmt.Sprintf("2026-11-20T%02d:%02d:%02dZ", 8+n/3600, n/60%60, n%60),
			"token_usage": map[string]int{"input_tokens": 1200, "output_tokens": 150, "cache_read_tokens": 9000}}
		if role == "agent" {
			s["model"], s["agent_role"] = "anthropic/claude-opus-4-5", "main"
		}
		for name, value := range more {
			s[name] = value
		}
		all = append(all, s)
		return n
	}
	for prompt := 1; len(all) < steps; prompt++ {
		add("user", fmt.Sprintf("prompt %d: do the thing", prompt), nil)
		for i := 0; i < 18 && len(all) < steps; i++ {
			id := fmt.Sprintf("toolu_%d_%d", prompt, i)
			at := add("agent", fmt.Sprintf("I look at file %d of prompt %d.", i, prompt), map[string]any{
				"tool_calls": []any{map[string]any{"tool_call_id": id, "tool_name": "Bash", "duration_ms": 900,
					"input": map[string]string{"command": fmt.Sprintf("go test ./pkg%d", i)}}},
				"observations": []any{map[string]any{"source_call_id": id, "content": "ok"}}})
			if i == 5 && prompt%4 == 0 {
				add("user", "find all callers of Close", map[string]any{"parent_step": at})
				add("agent", "there are three", map[string]any{"parent_step": at, "agent_role": "explore"})
			}
		}
	}
	out, err := w.Run(ctx, w.Dir, "log", "--json")
	if err != nil {
		return fmt.Errorf("log: %w\n%s", err, out)
	}
	var list struct{ Conversations []conversation }
	if err := json.Unmarshal([]byte(out[max(strings.Index(out, "{"), 0):]), &list); err != nil {
		return fmt.Errorf("log: %w\n%s", err, out)
	}
	if out, err := exec.CommandContext(ctx, "git", "-C", w.Dir, "update-ref", "-d", "refs/traces/records").CombinedOutput(); err != nil {
		return fmt.Errorf("forget what the demo said: %w\n%s", err, out)
	}
	for _, c := range list.Conversations {
		if strings.HasPrefix(c.Trace, "c86c") {
			return w.talk(ctx, root, c, all)
		}
	}
	return fmt.Errorf("log: no conversation of the demo\n%s", out)
}

// conversation is whose record is imported.
type conversation struct{ Trace, Session, Agent string }

// talk makes steps the record of a conversation.
func (w *World) talk(ctx context.Context, root string, t conversation, steps []map[string]any) error {
	raw, err := json.Marshal(map[string]any{"schema_version": "0.3.0", "trace_id": t.Trace, "session_id": t.Session,
		"agent": map[string]string{"name": t.Agent, "model": "anthropic/claude-opus-4-5"}, "metadata": map[string]any{},
		"timestamp_start": "2026-11-20T08:00:00Z", "timestamp_end": "2026-11-20T12:00:00Z", "steps": steps})
	if err != nil {
		return err
	}
	name := filepath.Join(root, "said.jsonl")
	if err := os.WriteFile(name, append(raw, '\n'), 0o600); err != nil {
		return err
	}
	if out, err := w.Run(ctx, w.Dir, "import", "--from", "opentraces", name); err != nil {
		return fmt.Errorf("import: %w\n%s", err, out)
	}
	return nil
}

const manySteps = 10_000

// testALongConversation opens 10,000 steps at once: each has its place on the page, becomes whole where one looks, and
// without script leads to a page on which it is whole.
func testALongConversation(t *testing.T, ctx context.Context, world *World) {
	visit(t, ctx, world.Base+"/t/c86c", 1280)
	if n := evaluate[int](t, ctx, `document.querySelectorAll(".step, .part a, .prompt").length`); n < manySteps {
		t.Errorf("%d of %d steps are on the page", n, manySteps)
	}
	lost := evaluate[[]string](t, ctx, `[...document.querySelectorAll('.side a, .line a')].map((a) => a.getAttribute("href"))`+
		`.filter((h) => h.startsWith("#") && !document.getElementById(h.slice(1))).slice(0, 5)`)
	if len(lost) > 0 {
		t.Errorf("the time line and the tree lead nowhere: %v", lost)
	}
	if n := evaluate[int](t, ctx, `document.querySelectorAll(".tree li").length`); n < manySteps/100 {
		t.Errorf("%d sub-agents are in the tree", n)
	}
	if text := evaluate[string](t, ctx, `document.querySelector(".tokens").textContent`); !strings.Contains(text, "$0.01") {
		t.Errorf("an answer has no cost: %s", text)
	}
	step := evaluate[string](t, ctx, `const far = document.getElementById("s9000"); far.scrollIntoView(); far.tagName + " " + far.getAttribute("href")`)
	if !strings.HasPrefix(step, "A ?from=") {
		t.Errorf("step 9000 is %s", step)
	}
	if err := chromedp.Do(ctx, chromedp.WaitReady("article#s9000")); err != nil {
		t.Fatal(err)
	}
	if refused := evaluate[[]string](t, ctx, "window.refused"); len(refused) > 0 {
		t.Errorf("the policy refused %v", refused)
	}
	_, from, _ := strings.Cut(step, "A ")
	visit(t, ctx, world.Base+evaluate[string](t, ctx, "location.pathname")+from, 1280)
	if text := evaluate[string](t, ctx, `document.querySelector("article#s9000")?.textContent ?? ""`); !strings.Contains(text, "I look at file") {
		t.Errorf("the page that the line leads to has no step 9000: %q", text)
	}
}
