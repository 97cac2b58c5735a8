package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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

// Bounds of what a browser does with a page, in milliseconds. Machines of CI share their processors, so they have three
// times as much.
const (
	firstPaint = 500
	oneJump    = 250
	slack      = 3
	mostAsked  = 4 // requests of a page
)

// painted is how a page came to be seen.
type painted struct {
	Answer, Paint, Jump, Layout, Nodes, Bytes, Asked float64
}

// paint opens a page that was opened before, so that the server has its answer, and then goes to a place on it.
func paint(t *testing.T, ctx context.Context, address, place string) painted {
	t.Helper()
	visit(t, ctx, address, 1280)
	visit(t, ctx, address, 1280)
	got := evaluate[painted](t, ctx, fmt.Sprintf(`(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  await frame();
  const page = performance.getEntriesByType("navigation")[0];
  const first = performance.getEntriesByName("first-contentful-paint")[0];
  const began = performance.now();
  document.getElementById(%q).scrollIntoView();
  await frame();
  const jump = performance.now() - began;
  const again = performance.now();
  document.body.style.width = "99%%"; document.body.offsetHeight;
  return {Answer: page.responseEnd, Paint: (first?.startTime ?? -1) - page.responseStart, Jump: jump, Layout: performance.now() - again,
    Nodes: document.querySelectorAll("*").length, Bytes: page.decodedBodySize,
    Asked: 1 + performance.getEntriesByType("resource").filter((e) => !e.name.endsWith("/live")).length};
})()`, place))
	t.Logf("%s: answered in %.0f ms, painted %.0f ms after its first byte, jump %.0f ms, layout %.0f ms, %.0f elements, %.0f bytes, %.0f requests",
		address, got.Answer, got.Paint, got.Jump, got.Layout, got.Nodes, got.Bytes, got.Asked)
	return got
}

// testALongFile opens a blame of 50,000 lines: what is seen first is there soon, and so is its end.
func testALongFile(t *testing.T, ctx context.Context, world *World) {
	for page, place := range map[string]string{"": "L19996", "?from=40001": "L49996"} {
		got := paint(t, ctx, world.Base+"/blame/HEAD/long.go"+page, place)
		if got.Paint < 0 || got.Paint > firstPaint*slack || got.Jump > oneJump*slack || got.Asked > mostAsked {
			t.Errorf("%q: %+v", page, got)
		}
		if y := evaluate[int](t, ctx, fmt.Sprintf(`Math.round(document.getElementById(%q).getBoundingClientRect().top)`, place)); y < 0 || y > 900 {
			t.Errorf("%q: %s stands at %d", page, place, y)
		}
	}
}
