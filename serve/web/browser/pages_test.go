package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// every is each kind of page.
var every = []string{"/", "/log", "/t/c86c", "/blame/HEAD/server.go", "/blame/worktree/server.go", "/commit/HEAD",
	"/commit/HEAD?view=split", "/diff/HEAD~1...HEAD", "/graph", "/tree/HEAD/", "/search?q=safe", "/stats", "/log-health",
	"/blame/HEAD/server.go?age=1", "/blame/HEAD/server.go?functions=1", "/t/c86c?show=edits", "/stats?by=file", "/stats?by=day", "/?since=90+days+ago", "/log?state=committed", "/graph?agent=claude-code",
	"/t/c86c/p/2", "/t/c86c/4", "/t/c86c?show=commands", "/blame/HEAD/server.go?step=18", "/commit/HEAD?agents=1", "/search", "/stats?by=model",
	"/compare/c86c/c86c", "/nothing"}

// track is the page of the life of a patch of the demo.
func track(t *testing.T, ctx context.Context, world *World) string {
	t.Helper()
	visit(t, ctx, world.Base+"/t/c86c", 1280)
	return evaluate[string](t, ctx, `document.querySelector("a[href^='/track/']").getAttribute("href")`)
}

// In a browser every page fits a narrow screen, asks for nothing that the policy refuses, and keeps the token out of
// sight.
func testInABrowser(t *testing.T, ctx context.Context, world *World) {
	for _, path := range every {
		visit(t, ctx, world.Base+path, 320)
		if wide := evaluate[int](t, ctx, "document.documentElement.scrollWidth"); wide > 320 {
			t.Errorf("%s: %d pixels wide on a screen of 320", path, wide)
		}
		evaluate[bool](t, ctx, `document.documentElement.style.fontSize = "200%"; true`)
		if wide := evaluate[int](t, ctx, "document.documentElement.scrollWidth"); wide > 320 {
			t.Errorf("%s: %d pixels wide with text of twice the size", path, wide)
		}
		if refused := evaluate[[]string](t, ctx, "window.refused"); len(refused) > 0 {
			t.Errorf("%s: the policy refused %v", path, refused)
		}
		if at := evaluate[string](t, ctx, "location.href + document.cookie + document.referrer"); strings.Contains(at, world.Token) {
			t.Errorf("%s: the token can be read: %s", path, at)
		}
		if h1 := evaluate[int](t, ctx, `document.querySelectorAll("h1").length`); h1 != 1 {
			t.Errorf("%s: %d headings of the first level", path, h1)
		}
	}
}

// Nothing that the browser keeps of where it was has the token, which the printed address has (W3).
func testTheTokenIsKeptNowhere(t *testing.T, ctx context.Context, world *World) {
	if err := world.Enter(ctx); err != nil {
		t.Fatal(err)
	}
	visit(t, ctx, world.Base+"/log", 1280)
	if err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		kept, err := chromedp.Call(ctx, page.GetNavigationHistory, cdp.Empty{})
		if err != nil {
			return err
		}
		if len(kept.Entries) < 2 {
			t.Errorf("the browser keeps %d addresses", len(kept.Entries))
		}
		for _, entry := range kept.Entries {
			if strings.Contains(entry.URL+entry.UserTypedURL, world.Token) {
				t.Errorf("the browser keeps %s", entry.URL)
			}
		}
		return nil
	})); err != nil {
		t.Fatal(err)
	}
}

// Without script a page says what it says with it.
func testWithoutScript(t *testing.T, ctx context.Context, world *World) {
	script := func(off bool) {
		if err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: off})
			return err
		})); err != nil {
			t.Fatal(err)
		}
	}
	for range 40 { // the overview says what state the log is in once it was checked
		visit(t, ctx, world.Base+"/", 1280)
		if !evaluate[bool](t, ctx, `!!document.querySelector("[data-again]")`) {
			break
		}
		time.Sleep(500 * time.Millisecond)
	}
	const main = `for (const e of document.querySelectorAll(".step, .part, .runs li")) e.style.contentVisibility = "visible"; ` + // wherever it is
		`document.getElementById("main").innerText.replace(/\d+ (second|minute)s? ago|just now|\b(now|\d+m)\b/g, "")`
	for _, path := range every {
		visit(t, ctx, world.Base+path, 1280)
		with := evaluate[string](t, ctx, main)
		script(true)
		visit(t, ctx, world.Base+path, 1280)
		without := evaluate[string](t, ctx, main)
		script(false)
		if with != without || len(without) < 20 {
			t.Errorf("%s: without script\n%s\nnot\n%s", path, without, with)
		}
	}
}

// A line within a run has no address in the page until somebody asks for it: by its address, or with the pointer.
func testALineOfARun(t *testing.T, ctx context.Context, world *World) {
	const target = `document.querySelector(":target")?.textContent ?? ""`
	visit(t, ctx, world.Base+"/blame/HEAD/server.go#L19", 1280)
	if got := evaluate[string](t, ctx, target); got != "19" {
		t.Errorf("the address of line 19 leads to %q", got)
	}
	visit(t, ctx, world.Base+"/blame/HEAD/server.go", 1280)
	at := evaluate[[]float64](t, ctx, `const box = document.getElementById("L18").parentElement.getBoundingClientRect(); [box.left + 5, box.bottom - 4]`)
	if err := chromedp.Do(ctx, chromedp.MouseClickXY(at[0], at[1])); err != nil {
		t.Fatal(err)
	}
	if got := evaluate[string](t, ctx, target); got != "20" {
		t.Errorf("the number of line 20 leads to %q", got)
	}
	const numbers = `[...document.querySelectorAll(".runs p + p")].map((p) => p.textContent).join("\n")`
	if got := evaluate[string](t, ctx, numbers); !strings.HasPrefix(got, "1\n2\n") || !strings.HasSuffix(got, "\n18\n19\n20\n21\n22") {
		t.Errorf("the numbers are %q", got)
	}
}

// The keys of the script work, and are letters while one types.
func testKeys(t *testing.T, ctx context.Context, world *World) {
	visit(t, ctx, world.Base+"/", 1280)
	focused := func() string {
		return evaluate[string](t, ctx, `document.activeElement.className + document.activeElement.id`)
	}
	press := func(key string) {
		if err := chromedp.Do(ctx, chromedp.KeyEvent(key)); err != nil {
			t.Fatal(err)
		}
	}
	if press("j"); focused() != "cover" {
		t.Errorf("j goes to %q", focused())
	}
	const row = `[...document.querySelectorAll(".row .cover")].indexOf(document.activeElement)`
	for _, step := range []struct {
		key string
		at  int
	}{{"j", 1}, {"k", 0}, {"k", 0}} {
		if press(step.key); evaluate[int](t, ctx, row) != step.at {
			t.Errorf("%s goes to row %d, not %d", step.key, evaluate[int](t, ctx, row), step.at)
		}
	}
	press("/")
	press("j")
	if focused() != "find" {
		t.Errorf("/ and j go to %q", focused())
	}
	visit(t, ctx, world.Base+"/blame/HEAD/server.go", 1280)
	const run = `document.activeElement.closest("li")?.querySelector("[id^=L]").id ?? ""`
	var runs []string
	for _, key := range []string{"n", "n", "p"} {
		press(key)
		runs = append(runs, evaluate[string](t, ctx, run))
	}
	if runs[0] == "" || runs[1] == "" || runs[0] == runs[1] || runs[2] != runs[0] {
		t.Errorf("n, n and p go to the runs at %q", runs)
	}
	same := evaluate[int](t, ctx, `document.querySelectorAll(".runs .same").length`)
	if all := evaluate[int](t, ctx, `document.querySelectorAll(".runs [data-t]").length`); same < 2 || same != all {
		t.Errorf("%d of %d runs of the conversation stand out", same, all)
	}
	visit(t, ctx, world.Base+"/commit/HEAD", 1280)
	newest := evaluate[string](t, ctx, "location.pathname")
	arrives := func(key string, there func(path string) bool) {
		t.Helper()
		press(key)
		path := ""
		for range 100 {
			path = evaluate[string](t, ctx, `document.readyState === "complete" ? location.pathname : ""`)
			if there(path) {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Errorf("%s goes to %q", key, path)
	}
	if press("?"); focused() != "endkeys" {
		t.Errorf("? goes to %q", focused())
	}
	arrives("[", func(path string) bool { return strings.HasPrefix(path, "/commit/") && path != newest })
	arrives("]", func(path string) bool { return path == newest })
	arrives("b", func(path string) bool { return path == strings.Replace(newest, "commit", "blame", 1)+"/server.go" })
	arrives("g", func(path string) bool { return path == "/graph" })
}

// Escape goes back to where a key came from, keeps what was typed, and folds what is open around the focus.
func testEscape(t *testing.T, ctx context.Context, world *World) {
	press := func(keys ...string) {
		for _, key := range keys {
			if err := chromedp.Do(ctx, chromedp.KeyEvent(key)); err != nil {
				t.Fatal(err)
			}
		}
	}
	focused := func(want string) {
		t.Helper()
		const at = `document.activeElement.className || document.activeElement.id || document.activeElement.tagName`
		if got := evaluate[string](t, ctx, at); got != want {
			t.Errorf("the focus is at %q, not %q", got, want)
		}
	}
	visit(t, ctx, world.Base+"/", 1280)
	press("/", "s", kb.Escape)
	focused("BODY")
	if typed := evaluate[string](t, ctx, `document.getElementById("find").value`); !strings.HasSuffix(typed, "s") {
		t.Errorf("Escape leaves %q in the search", typed)
	}
	for _, key := range []string{"/", "?"} {
		press("j", key, key, kb.Escape)
		focused("cover")
	}
	press(kb.Escape) // nothing is open
	focused("cover")

	visit(t, ctx, world.Base+"/t/c86c", 1280)
	const call = `document.querySelector(".call.wrote")`
	evaluate[bool](t, ctx, call+`.querySelector("figure a").focus(); true`)
	press(kb.Escape)
	if evaluate[bool](t, ctx, call+".open || document.activeElement !== "+call+".firstElementChild") {
		t.Error("Escape within a call does not fold it, or the focus is not at its line")
	}
	press(kb.Enter)
	if !evaluate[bool](t, ctx, call+".open") {
		t.Error("the call does not open again")
	}
}

// The browser's way back from a conversation leads to the list with what was asked of it, and to the place in it.
func testTheWayBack(t *testing.T, ctx context.Context, world *World) {
	for _, list := range []string{"/log?agent=claude-code", "/search?q=safe", "/graph?agent=claude-code"} {
		if err := chromedp.Do(ctx, chromedp.EmulateViewport(400, 200), chromedp.Navigate(world.Base+list), chromedp.WaitReady("#main")); err != nil {
			t.Fatal(err)
		}
		const place = `JSON.stringify([location.pathname + location.search, Math.round(scrollY), document.getElementById("find")?.value])`
		evaluate[bool](t, ctx, `scrollTo(0, 120); true`)
		left := evaluate[string](t, ctx, place)
		if strings.Contains(left, ",0,") {
			t.Fatalf("%s does not scroll: %s", list, left)
		}
		comes := func(want string) (came string) {
			for range 40 { // the place is found again once the page has its height
				at, err := chromedp.Run(ctx, chromedp.Evaluate[string](place)) // one page goes, another one comes
				if came = at; err == nil && strings.HasPrefix(at, want) {
					break
				}
				time.Sleep(50 * time.Millisecond)
			}
			return came
		}
		evaluate[bool](t, ctx, `document.querySelector("main a[href^='/t/']").click(); true`)
		if came := comes(`["/t/`); !strings.HasPrefix(came, `["/t/`) {
			t.Fatalf("%s leads to %s", list, came)
		}
		evaluate[bool](t, ctx, `setTimeout(() => history.back()); true`)
		if came := comes(left); came != left {
			t.Errorf("the way back leads to %s, not %s", came, left)
		}
	}
}

// walk notes each control that gets the focus, and whether one sees it there.
const walk = `document.body.tabIndex = -1 // an address may lead to a place, from where the key would go on
document.body.focus()
document.body.removeAttribute("tabindex")
window.walked = []
window.controls = [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]
	.filter((e) => e.checkVisibility())
document.addEventListener("focusin", (event) => {
	const seen = [event.target, event.target.closest(".row")].some((e) => e && getComputedStyle(e).outlineStyle !== "none" &&
		parseFloat(getComputedStyle(e).outlineWidth) >= 2)
	walked.push([controls.indexOf(event.target), seen || event.target.className === "skip"])
})
controls.length`

// The key Tab leads through every control of a page, in the order in which they stand, and one sees where one is.
func testTabs(t *testing.T, ctx context.Context, world *World) {
	for _, path := range every {
		visit(t, ctx, world.Base+path, 1280)
		controls := evaluate[int](t, ctx, walk)
		for range controls {
			if err := chromedp.Do(ctx, chromedp.KeyEvent("\t")); err != nil {
				t.Fatal(err)
			}
		}
		for i := range controls {
			script := fmt.Sprintf(`JSON.stringify([walked[%d] ?? [], controls[%[1]d].outerHTML.slice(0, 120)])`, i)
			if found := evaluate[string](t, ctx, script); !strings.HasPrefix(found, fmt.Sprintf("[[%d,true],", i)) {
				t.Errorf("%s: control %d of %d: %s", path, i, controls, found)
				break
			}
		}
	}
}

// On paper stands what is on the screen, without what one presses; of a long file every line.
func testOnPaper(t *testing.T, ctx context.Context, world *World) {
	set := func(medium string) {
		if err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium})
			return err
		})); err != nil {
			t.Fatal(err)
		}
	}
	set("print")
	defer set("")
	for _, path := range every {
		visit(t, ctx, world.Base+path, 800)
		if wide := evaluate[int](t, ctx, "document.documentElement.scrollWidth"); wide > 800 {
			t.Errorf("%s: %d pixels wide on paper of 800", path, wide)
		}
		const sight = `[...document.querySelectorAll(".top, .end, .side")].filter((e) => e.checkVisibility()).length`
		if n := evaluate[int](t, ctx, sight); n > 0 {
			t.Errorf("%s: %d things to press on paper", path, n)
		}
		const unseen = `[...document.querySelectorAll(".runs pre, .step pre")].filter((e) => !e.checkVisibility({contentVisibilityAuto: true})).length`
		if n := evaluate[int](t, ctx, unseen); n > 0 {
			t.Errorf("%s: %d parts are not on paper", path, n)
		}
	}
}

// The judge of accessibility finds nothing, in light and in dark.
func testForEverybody(t *testing.T, ctx context.Context, world *World) {
	script, err := os.ReadFile(os.Getenv("GITTRACE_AXE"))
	needed(t, err == nil, "GITTRACE_AXE names no axe.min.js: npm install axe-core")
	for _, colours := range []string{"light", "dark"} {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colours}}
		if err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
			return err
		})); err != nil {
			t.Fatal(err)
		}
		for _, path := range every {
			visit(t, ctx, world.Base+path, 1280)
			evaluate[bool](t, ctx, string(script)+"\n;true")
			text := evaluate[string](t, ctx, `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]})`+
				`.then((r) => JSON.stringify(r.violations.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)+" "+(n.any[0]?.message??"")).join(" | "))))`)
			var found []string
			if err := json.Unmarshal([]byte(text), &found); err != nil {
				t.Fatal(err)
			}
			for _, one := range found {
				t.Errorf("%s in %s: %s", path, colours, one)
			}
		}
	}
}

func TestPages(t *testing.T) {
	ctx, world := opened(t)
	if err := world.proseTalk(ctx, TempDir(t)); err != nil {
		t.Fatal(err)
	}
	every = append(every, track(t, ctx, world), "/t/"+proseTrace[:8])
	t.Run("answers", func(t *testing.T) { testAnswers(t, ctx, world) })
	t.Run("in a browser", func(t *testing.T) { testInABrowser(t, ctx, world) })
	t.Run("the token", func(t *testing.T) { testTheTokenIsKeptNowhere(t, ctx, world) })
	t.Run("without script", func(t *testing.T) { testWithoutScript(t, ctx, world) })
	t.Run("a line of a run", func(t *testing.T) { testALineOfARun(t, ctx, world) })
	t.Run("keys", func(t *testing.T) { testKeys(t, ctx, world) })
	t.Run("Escape", func(t *testing.T) { testEscape(t, ctx, world) })
	t.Run("the way back", func(t *testing.T) { testTheWayBack(t, ctx, world) })
	t.Run("tabs", func(t *testing.T) { testTabs(t, ctx, world) })
	t.Run("on paper", func(t *testing.T) { testOnPaper(t, ctx, world) })
	t.Run("for everybody", func(t *testing.T) { testForEverybody(t, ctx, world) })
	t.Run("other pages", func(t *testing.T) { testOtherPages(t, ctx, world) })
	t.Run("foreign markup", func(t *testing.T) { testForeignMarkup(t, ctx, world) })
	if err := world.longTalk(ctx, TempDir(t), manySteps); err != nil {
		t.Fatal(err)
	}
	t.Run("a long conversation", func(t *testing.T) { testALongConversation(t, ctx, world) })
	if err := world.longFile(ctx, manyLines); err != nil {
		t.Fatal(err)
	}
	t.Run("a long file", func(t *testing.T) { testALongFile(t, ctx, world) })
}
