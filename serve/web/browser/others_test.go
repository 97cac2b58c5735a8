package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// attempts are what a page of somebody else may try to read the pages. Each gives what it got; "" is nothing.
const attempts = `(async (base) => {
  const got = {};
  const from = async (name, take) => { try { got[name] = String((await take()) ?? ""); } catch { got[name] = ""; } };
  const loads = (element) => new Promise((done) => {
    element.onload = () => done("loaded"); element.onerror = () => done(""); document.body.append(element);
    setTimeout(() => done(""), 4000);
  });
  const make = (name, set) => Object.assign(document.createElement(name), set);
  for (const path of ["/log", "/api/1/log", "/static/0/page.js"]) {
    await from("fetch " + path, async () => (await fetch(base + path, { credentials: "include" })).text());
    await from("no-cors " + path, async () => (await fetch(base + path, { credentials: "include", mode: "no-cors" })).text());
    await from("image " + path, () => loads(make("img", { src: base + path })));
    await from("script " + path, () => loads(make("script", { src: base + path })));
    await from("style " + path, () => loads(make("link", { rel: "stylesheet", href: base + path })));
  }
  await from("events", () => new Promise((done) => {
    const live = new EventSource(base + "/live", { withCredentials: true });
    live.onmessage = (e) => done(e.data); live.onerror = () => { live.close(); done(""); };
  }));
  await from("frame", async () => {
    const frame = make("iframe", { src: base + "/log" });
    await loads(frame);
    return frame.contentWindow.document.body.textContent + frame.contentWindow.length;
  });
  await from("window", async () => {
    const opened = open(base + "/log");
    if (!opened) return "the browser opens no window, so nothing is shown by this";
    for (let waited = 0; !opened.closed && waited < 4000; waited += 50) await new Promise((done) => setTimeout(done, 50));
    return opened.closed ? "" : opened.length + opened.document.body.textContent; // cut off from what opened it
  });
  await from("form", async () => {
    const inside = make("iframe", { name: "inside" });
    document.body.append(inside);
    const form = make("form", { action: base + "/search?q=safe", method: "post", target: "inside" });
    document.body.append(form); form.submit();
    await new Promise((done) => setTimeout(done, 500));
    return inside.contentDocument?.body?.textContent;
  });
  return got;
})`

// testOtherPages has pages of two other origins in the same browser, which holds the cookie, try to read or to frame the
// pages (W2).
func testOtherPages(t *testing.T, ctx context.Context, world *World) {
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<!DOCTYPE html><title>evil</title><main id="main">evil</main>`)
	}))
	defer evil.Close()
	port := evil.URL[strings.LastIndex(evil.URL, ":"):]
	for _, origin := range []string{"http://127.0.0.1" + port, "http://localhost" + port} {
		if err := chromedp.Do(ctx, chromedp.Navigate(origin), chromedp.WaitReady("#main")); err != nil {
			t.Fatal(err)
		}
		got := evaluate[map[string]string](t, ctx, fmt.Sprintf("(%s)(%q)", attempts, world.Base))
		if len(got) != 3*5+4 {
			t.Errorf("%s: %d attempts", origin, len(got))
		}
		for name, text := range got {
			if text != "" {
				t.Errorf("%s: %s gives %.80q", origin, name, text)
			}
		}
	}
	// The window that was opened stands before the page, and what nobody sees is not drawn.
	if err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, page.BringToFront, cdp.Empty{})
		return err
	})); err != nil {
		t.Fatal(err)
	}
	// The same attempts would be told if they gave something: of its own a page reads everything.
	own := evaluate[string](t, ctx, `fetch("/").then((r) => r.text())`)
	if !strings.Contains(own, "evil") {
		t.Errorf("a page cannot read its own: %q", own)
	}
}

// acts is markup of many kinds that would run or call out, at an address that no machine has and by names.
const acts = `<script>window.canary=1</script><img src=x onerror="window.canary=1"><svg onload="window.canary=1"></svg>` +
	`<a href="javascript:window.canary=1">x</a><iframe srcdoc="<script>parent.canary=1</script>"></iframe>` +
	`<img src="http://192.0.2.1/away"><link rel=preconnect href="http://away.example"><style>@import "http://192.0.2.1/style";</style></pre></textarea></title>` +
	`<script>window.canary=1</script><math><mtext><table><mglyph><style><img src=x onerror="window.canary=1">` +
	`![x](http://192.0.2.1/picture) [x](http://linked.example/) http://linked.example/ <a href="http://linked.example/">x</a> {{.}}`

// payloads are acts and each piece of markup that the tests without a browser use as well.
func payloads() ([]string, error) {
	raw, err := os.ReadFile("../../../internal/testing/harm/markup.json")
	if err != nil {
		return nil, err
	}
	var list []string
	err = json.Unmarshal(bytes.ReplaceAll(raw, []byte("%s"), []byte("window.canary=1")), &list)
	if err == nil && len(list) < 60 {
		err = fmt.Errorf("%d payloads", len(list))
	}
	return append([]string{acts}, list...), err
}

// foreignPages show what foreign and foreignTalk leave.
var foreignPages = []string{"/", "/log", "/t/f0f0", "/t/f0f0?show=edits", "/graph", "/blame/HEAD/acts.html", "/blame/worktree/acts.html", "/commit/HEAD",
	"/commit/HEAD?view=split", "/diff/HEAD~1...HEAD", "/tree/HEAD/", "/search?q=canary", "/search?q=" + url.QueryEscape(acts),
	"/graph?path=" + url.QueryEscape(acts), "/" + url.PathEscape(acts)}

// foreign makes a file and a commit as others may.
func (w *World) foreign(ctx context.Context) error {
	list, err := payloads()
	if err != nil {
		return err
	}
	all := strings.ReplaceAll(strings.Join(list, "\n"), "\x00", "")
	if err := os.WriteFile(filepath.Join(w.Dir, "acts.html"), []byte(all+"\n"+acts+"\n"), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"add", "acts.html"}, {"-c", "user.name=" + strings.NewReplacer("<", "(", ">", ")").Replace(acts[:40]),
		"-c", "user.email=a@example.com", "commit", "-qm", all}} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir, cmd.Env = w.Dir, w.env
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w\n%s", args, err, out)
		}
	}
	return nil
}

// foreignTalk is a conversation with a step for each payload, which says it in each of its fields.
func (w *World) foreignTalk(ctx context.Context, root string) error {
	list, err := payloads()
	if err != nil {
		return err
	}
	said := func(n int, role, text string, more map[string]any) map[string]any {
		step := map[string]any{"step_index": n, "role": role, "content": text, "tool_calls": []any{}, "observations": []any{}, "snippets": []any{},
			"timestamp": fmt.Sprintf("2026-11-20T08:%02d:%02dZ", n/60, n%60), "token_usage": map[string]int{"input_tokens": 1}}
		maps.Copy(step, more)
		return step
	}
	another := conversation{Trace: "f0f0c0de-0000-4000-8000-000000000001", Session: "foreign", Agent: "claude-code"}
	steps := []map[string]any{said(1, "user", acts, nil)}
	for i, text := range list {
		call := fmt.Sprint("toolu_", i)
		steps = append(steps, said(i+2, "agent", text, map[string]any{"model": text, "reasoning_content": text,
			"tool_calls":   []any{map[string]any{"tool_call_id": call, "tool_name": text, "input": map[string]string{"command": text, "file_path": text, "content": text}}},
			"observations": []any{map[string]any{"source_call_id": call, "content": text, "error": []any{nil, text}[i%2]}}}))
	}
	return w.talk(ctx, root, another, steps)
}

// testForeignMarkup shows a file, a commit and a conversation that others made: nothing of them runs, nothing is refused, for
// nothing was tried, and nothing is asked of anybody but this server (W4).
func testForeignMarkup(t *testing.T, ctx context.Context, world *World) {
	if err := world.foreign(ctx); err != nil {
		t.Fatal(err)
	}
	if err := world.foreignTalk(ctx, TempDir(t)); err != nil {
		t.Fatal(err)
	}
	list, err := payloads()
	if err != nil {
		t.Fatal(err)
	}
	pages := foreignPages
	for _, text := range list {
		pages = append(pages, "/search?q="+url.QueryEscape(text))
	}
	for _, path := range pages {
		visit(t, ctx, world.Base+path, 1280)
		got := evaluate[[]string](t, ctx, `[String(window.canary ?? "quiet"), ...window.refused, ...performance.getEntriesByType("resource")`+
			`.map((e) => e.name).filter((n) => !n.startsWith(location.origin + "/"))]`)
		if len(got) != 1 || got[0] != "quiet" {
			t.Errorf("%.60s: %v", path, got)
		}
		// textContent, for what is below the screen is drawn when there is time.
		text := evaluate[string](t, ctx, "document.body.textContent")
		shows := strings.HasPrefix(path, "/blame") || strings.HasPrefix(path, "/t/") || path == "/commit/HEAD" || path == "/search?q=canary"
		if shows && !strings.Contains(text, "<script>window.canary=1</script>") {
			t.Errorf("%s does not show the text: %s", path, text)
		}
		if n := strings.Count(text, "window.canary=1"); path == "/t/f0f0" && n < 5*len(list) {
			t.Errorf("%s shows what would run %d times, of %d payloads in each field", path, n, len(list))
		}
	}
}
