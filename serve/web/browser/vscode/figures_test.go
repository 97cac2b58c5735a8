package vscode

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Bounds of what the extension costs.
const (
	mostKey    = 2.0      // milliseconds of a key press, more than without it
	mostMemory = 15 << 20 // bytes of the extension host
	longFile   = 5000     // lines
	keys       = 120
	accepts    = 20
)

// costs are processor times of the editor's own thread, in milliseconds, and the memory of the extension host.
type costs struct {
	key, accept []float64
	memory      int
}

// The extension makes a key press not much slower in a long file, and takes little memory and no process while nobody
// looks at a file.
func TestWhatTheExtensionCosts(t *testing.T) {
	if os.Getenv("GITTRACE_LONG") == "" {
		t.Skip("takes minutes: GITTRACE_LONG=1 plays it")
	}
	without, with := measured(t, false), measured(t, true)
	for name, times := range map[string][2][]float64{"a key": {without.key, with.key}, "an acceptance": {without.accept, with.accept}} {
		a, b := high(times[0]), high(times[1])
		t.Logf("%s: %.2f ms without, %.2f ms with (95th percentile of %d)", name, a, b, len(times[0]))
		if b-a > mostKey {
			t.Errorf("%s: %.2f ms more than without the extension", name, b-a)
		}
	}
	t.Logf("memory: %d kB without, %d kB with", without.memory>>10, with.memory>>10)
	if with.memory-without.memory > mostMemory {
		t.Errorf("%d kB of memory", (with.memory-without.memory)>>10)
	}
}

// high is the 95th percentile.
func high(times []float64) float64 {
	slices.Sort(times)
	return times[len(times)*95/100]
}

func measured(t *testing.T, extension bool) (c costs) {
	t.Helper()
	w := newWorldWith(t, extension)
	var memory struct{ Bytes int }
	time.Sleep(5 * time.Second)
	w.do(w.e.ask("memory", nil, &memory))
	c.memory = memory.Bytes
	if extension {
		if found := w.processes(); len(found) > 0 {
			t.Errorf("idle, and there are processes: %q", found)
		}
	}
	var text strings.Builder
	for i := range longFile {
		fmt.Fprintf(&text, "\tcall%d(first) // line %d of a long file\n", i, i)
	}
	w.write("long.go", text.String())
	w.git("add", "-A")
	w.git("commit", "-qm", "long")
	w.do(w.e.Open("long.go", longFile/2, 1))
	w.do(chromedp.Do(w.e.ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, performance.Enable, performance.EnableParams{TimeDomain: "threadTicks"})
		return err
	})))
	time.Sleep(3 * time.Second)
	for i := range keys {
		key := string(rune('a' + i%26))
		if i%10 == 9 {
			key = " "
		}
		c.key = append(c.key, w.cost(func() { w.typed(key) }))
	}
	w.typed("\n")
	for range accepts {
		w.do(w.e.Suggest("first second third\n"))
		time.Sleep(200 * time.Millisecond)
		c.accept = append(c.accept, w.cost(func() { w.press(kb.Tab) }))
		w.do(w.e.Silent())
	}
	return c
}

// cost is the processor time of the page's thread until all is drawn after a key.
func (w *world) cost(press func()) float64 {
	w.Helper()
	before := w.spent()
	press()
	_, err := chromedp.Run(w.e.ctx, chromedp.Evaluate[bool](
		`new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true), 30)))`, chromedp.EvalAwaitPromise))
	w.do(err)
	return w.spent() - before
}

func (w *world) spent() (all float64) {
	w.Helper()
	w.do(chromedp.Do(w.e.ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		told, err := chromedp.Call(ctx, performance.GetMetrics, cdp.Empty{})
		if err != nil {
			return err
		}
		for _, m := range told.Metrics {
			if m.Name == "TaskDuration" {
				all = m.Value * 1000
			}
		}
		return nil
	})))
	return all
}
