// Command pictures makes pictures of the pages of git trace serve, from the repository of git trace demo:
//
//	cd serve/web/browser && go run ./pictures -out ../../../docs/pictures
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/git-trace/git-trace/serve/web/browser"
)

func main() {
	out := flag.String("out", "../../../docs/pictures", "the directory they are written to")
	at := flag.String("url", "", "pages that are served already, with their token, in place of the demo")
	pages := flag.String("pages", "", "other pages, as NAME=PATH separated by blanks")
	width := flag.Int64("width", 1280, "in pixels")
	height := flag.Int64("height", 800, "in pixels; a longer page is taken whole up to three times as much")
	dark := flag.Bool("dark", false, "in dark colours")
	flag.Parse()
	if err := run(context.Background(), *out, *at, *pages, *width, *height, *dark); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// `wanted` lists the six pages for the documentation, as NAME=PATH.
const wanted = "overview=/ conversation=/t/c86c blame=/blame/HEAD/server.go commit=/commit/HEAD " +
	"graph=/graph stats=/stats"

func run(ctx context.Context, out, url, pages string, width, height int64, dark bool) error {
	root, err := os.MkdirTemp("", "pictures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	var world *browser.World
	if base, token, found := strings.Cut(url, "/?k="); found {
		world = &browser.World{Base: base, Token: token}
	} else if world, err = browser.NewWorld(ctx, root, "../../.."); err != nil {
		return err
	}
	defer world.Close()
	if pages == "" {
		pages = wanted
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	ctx, end := browser.Open(ctx)
	defer end()
	colours := "light"
	if dark {
		colours = "dark"
	}
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colours}}
	if err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return err
	})); err != nil {
		return err
	}
	if err := world.Enter(ctx); err != nil {
		return err
	}
	for _, page := range strings.Fields(pages) {
		name, path, _ := strings.Cut(page, "=")
		picture, err := taken(ctx, world.Base+path, width, height)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(out, name+".png"), picture, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// mostChecks is the number of times that a page is reloaded at most.
const mostChecks = 10

// `taken` returns a picture of a page, as tall as the page, within a limit.
func taken(ctx context.Context, address string, width, height int64) ([]byte, error) {
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, height), chromedp.Navigate(address),
		chromedp.WaitReady("#main")); err != nil {
		return nil, err
	}
	for range mostChecks { // the overview says that the log is being checked until it is reloaded after the check
		checking, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`!!document.querySelector("[data-again]")`))
		if err != nil {
			return nil, err
		}
		if !checking {
			break
		}
		if err := chromedp.Do(ctx, chromedp.Sleep(time.Second), chromedp.Navigate(address),
			chromedp.WaitReady("#main")); err != nil {
			return nil, err
		}
	}
	tall, err := chromedp.Run(ctx, chromedp.Evaluate[int64]("document.documentElement.scrollHeight"))
	if err != nil {
		return nil, err
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, min(max(tall, height/2), 3*height))); err != nil {
		return nil, err
	}
	return chromedp.Run(ctx, chromedp.CaptureScreenshot())
}
