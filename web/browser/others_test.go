package browser

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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
