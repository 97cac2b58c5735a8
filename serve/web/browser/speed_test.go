package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

const manyLines = 50_000

// longFile commits a file of so many lines, in two commits that take turns every five lines.
func (w *World) longFile(ctx context.Context, lines int) error {
	name := filepath.Join(w.Dir, "long.go")
	for _, word := range []string{"first", "second"} {
		var b strings.Builder
		for i := range lines {
			if i/5%2 == 0 {
				fmt.Fprintf(&b, "\tcall%d(first) // line %d of a long file\n", i, i)
			} else {
				fmt.Fprintf(&b, "\tcall%d(%s) // line %d of a long file\n", i, word, i)
			}
		}
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			return err
		}
		for _, args := range [][]string{{"add", "long.go"}, {"-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm",
			word + " version of a long file"}} {
			cmd := exec.CommandContext(ctx, "git", args...)
			cmd.Dir, cmd.Env = w.Dir, w.env
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("git %v: %w\n%s", args, err, out)
			}
		}
	}
	return nil
}

// Bounds of what a browser does with a page, in milliseconds of processor time: other programs of a machine take none of
// it. They only make it more by what they take of the caches, so tests have twice as much.
const (
	mostPaint  = 500 // all work on a page until it stands
	oneJump    = 250
	oneLayout  = 100 // of the page anew, for another width
	slack      = 2
	mostAsked  = 4 // requests of a page
	aSecond    = 1000
	whileQuiet = 200
)

// painted is how a page came to be seen, in milliseconds of processor time.
type painted struct{ Paint, Jump, Layout, Bytes, Asked float64 }

// spent is the processor time of the page's thread so far, and that of its layouts.
func spent(t *testing.T, ctx context.Context) (all, layout float64) {
	t.Helper()
	if err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		told, err := chromedp.Call(ctx, performance.GetMetrics, cdp.Empty{})
		if err != nil {
			return err
		}
		for _, m := range told.Metrics {
			switch m.Name {
			case "TaskDuration":
				all = m.Value * aSecond
			case "LayoutDuration":
				layout = m.Value * aSecond
			}
		}
		return nil
	})); err != nil {
		t.Fatal(err)
	}
	return all, layout
}

// paint opens a page in a tab of its own that was opened before, so that the server has its answer, and then goes to a
// place on it.
func paint(t *testing.T, ctx context.Context, address, place string) (got painted) {
	t.Helper()
	visit(t, ctx, address, 1280)
	tab, end := chromedp.NewContext(ctx)
	defer end()
	if err := chromedp.Do(tab, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, performance.Enable, performance.EnableParams{TimeDomain: "threadTicks"})
		return err
	})); err != nil {
		t.Fatal(err)
	}
	drawn := func(script string) {
		evaluate[bool](t, tab, script+fmt.Sprintf(
			`; new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true), %d)))`, whileQuiet))
	}
	visit(t, tab, address, 1280)
	drawn("")
	var laid float64
	got.Paint, laid = spent(t, tab)
	evaluate[bool](t, tab, `document.body.style.width = "99%"; document.body.offsetHeight > 0`)
	before, again := spent(t, tab)
	got.Layout = again - laid
	drawn(fmt.Sprintf(`document.getElementById(%q).scrollIntoView()`, place))
	after, _ := spent(t, tab)
	got.Jump = after - before
	got.Bytes = evaluate[float64](t, tab, `performance.getEntriesByType("navigation")[0].decodedBodySize`)
	got.Asked = evaluate[float64](t, tab,
		`1 + performance.getEntriesByType("resource").filter((e) => !e.name.endsWith("/live")).length`)
	if y := evaluate[int](t, tab, fmt.Sprintf(`Math.round(document.getElementById(%q).getBoundingClientRect().top)`, place)); y < 0 || y > 900 {
		t.Errorf("%s: %s stands at %d", address, place, y)
	}
	t.Logf("%s: %.0f ms until it stands, layout anew %.0f ms, jump %.0f ms, %.0f bytes, %.0f requests",
		address, got.Paint, got.Layout, got.Jump, got.Bytes, got.Asked)
	return got
}

// testALongFile opens a blame of 50,000 lines: what is seen first is there soon, and so is its end. A machine at work may
// hold up one painting, not each of three.
func testALongFile(t *testing.T, ctx context.Context, world *World) {
	for page, place := range map[string]string{"": "L19996", "?from=40001": "L49996"} {
		var all []painted
		for len(all) < 3 && (len(all) == 0 || !all[len(all)-1].soon()) {
			all = append(all, paint(t, ctx, world.Base+"/blame/HEAD/long.go"+page, place))
		}
		if !all[len(all)-1].soon() {
			t.Errorf("%q: %+v", page, all)
		}
	}
}

// soon reports whether a page came to be seen within the bounds.
func (p painted) soon() bool {
	return p.Paint > 0 && p.Paint <= mostPaint*slack && p.Jump <= oneJump*slack && p.Layout <= oneLayout*slack &&
		p.Asked <= mostAsked
}
