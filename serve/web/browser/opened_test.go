package browser

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// needed skips a test without what it needs; under CI=true it fails.
func needed(t *testing.T, ok bool, what string) {
	t.Helper()
	switch {
	case ok:
	case os.Getenv("CI") == "true":
		t.Fatal(what)
	default:
		t.Skip(what)
	}
}

func chromium() bool {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if _, err := exec.LookPath(name); err == nil {
			return true
		}
	}
	return false
}

// opened is the demo, and a browser that was let in. What the browser refused is gathered in each page.
func opened(t *testing.T) (context.Context, *World) {
	t.Helper()
	needed(t, chromium(), "there is no Chromium here: apt-get install chromium")
	root := TempDir(t)
	if err := Build(t.Context(), root, "../../.."); err != nil {
		t.Fatal(err)
	}
	return openedIn(t, root)
}

// openedIn is the demo below a directory that has the programs.
func openedIn(t *testing.T, root string) (context.Context, *World) {
	t.Helper()
	// The context of a test ends before what is cleaned up.
	world, err := playWorld(context.Background(), root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(world.Close)
	ctx, end := Open(context.Background())
	t.Cleanup(end)
	const gather = `window.refused = [];
addEventListener("securitypolicyviolation", (e) => window.refused.push(e.violatedDirective + " " + e.blockedURI));`
	err = chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument,
			page.AddScriptToEvaluateOnNewDocumentParams{Source: gather})
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := world.Enter(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx, world
}

func evaluate[T any](t *testing.T, ctx context.Context, script string) T {
	t.Helper()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%.60s: %v", script, err)
	}
	return out
}

func visit(t *testing.T, ctx context.Context, address string, width int64) {
	t.Helper()
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(address),
		chromedp.WaitReady("#main")); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
}
