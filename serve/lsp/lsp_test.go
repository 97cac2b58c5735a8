package lsp

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/git-trace/git-trace/blame"
)

// asked counts how often git-trace is asked, and answers after a while.
type asked struct {
	times, ended int
	last         string
}

func (a *asked) ask(ctx context.Context, _ string, stdin []byte, _ ...string) ([]byte, error) {
	a.times++
	a.last = string(stdin)
	select {
	case <-time.After(time.Second):
		a.ended++
		return []byte(`{"runs":[]}`), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func serverOf(t *testing.T, a *asked) (*server, *document) {
	s := &server{ctx: t.Context(), Host: Host{Ask: a.ask}, turn: make(chan struct{}, 1)}
	d := &document{path: "/nowhere/at/all"}
	d.put("one\n", false)
	return s, d
}

// All who ask about one text wait for one search; what was found is believed for a while; who types is not interrupted.
func TestOneSearchServesAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asked{}
		s, d := serverOf(t, a)
		for range 5 {
			go func() {
				if _, err := s.runs(t.Context(), d); err != nil {
					t.Error(err)
				}
			}()
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if a.times != 1 {
			t.Errorf("five questions: %d searches", a.times)
		}
		time.Sleep(fresh)
		_, _ = s.runs(t.Context(), d)
		synctest.Wait()
		if a.times != 2 {
			t.Errorf("after a while: %d searches", a.times)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if a.times != 2 {
			t.Errorf("while nobody asks: %d searches", a.times)
		}
	})
}

// A search for a text that is no more ends at once, and who waited gets the answer for the last one.
func TestTheLastTextWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asked{}
		s, d := serverOf(t, a)
		done := make(chan error)
		go func() {
			_, err := s.runs(t.Context(), d)
			done <- err
		}()
		time.Sleep(settled)
		for range 10 {
			d.put(d.text+"x\n", true)
			time.Sleep(settled / 2)
		}
		if err := <-done; err != nil || a.times != 2 || a.ended != 1 || strings.Count(a.last, "x") != 10 {
			t.Errorf("%v, %d searches, %d of them to their end, the last of %q", err, a.times, a.ended, a.last)
		}
	})
}

// A search that nobody waits for any more ends; the next one begins anew.
func TestASearchEndsWithItsLastQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asked{}
		s, d := serverOf(t, a)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		for range 2 {
			go func() {
				_, err := s.runs(ctx, d)
				done <- err
			}()
		}
		time.Sleep(time.Millisecond)
		cancel()
		if first, second := <-done, <-done; first == nil || second == nil {
			t.Errorf("cancelled, and answered: %v %v", first, second)
		}
		if _, err := s.runs(t.Context(), d); err != nil || a.times != 2 || a.ended != 1 {
			t.Errorf("%v, %d searches, %d of them to their end", err, a.times, a.ended)
		}
	})
}

// What was typed within a line end of any kind keeps its place; lines of one prompt are one block.
func TestBlocksAreOfOnePrompt(t *testing.T) {
	one, two := 1, 2
	a := "a"
	r := &runs{RunsJSON: blame.RunsJSON{Runs: []blame.RunJSON{
		{Start: 1, Count: 2, Trace: &a, Prompt: &one}, {Start: 3, Count: 1, Trace: &a, Prompt: &one},
		{Start: 4, Count: 1, Trace: &a, Prompt: &two}, {Start: 5, Count: 1}, {Start: 6, Count: 1, Trace: &a, Prompt: &two},
		{Start: 7, Count: 1, Trace: &a},
	}}}
	var got []string
	for _, b := range r.blocks() {
		got = append(got, strings.Repeat("x", b.Count)+b.ID)
	}
	if told := strings.Join(got, " "); told != "xxxa#1 xa#2 xa#2 xa" {
		t.Error(told)
	}
}

func TestWidthIsOfTheAgreedEncoding(t *testing.T) {
	for line, want := range map[string][2]int{"": {0, 0}, "ab": {2, 2}, "é": {1, 2}, "\U0001d6fc": {2, 4}, "\xff": {1, 1}} {
		if a, b := (&server{}).width(line), (&server{wide: true}).width(line); a != want[0] || b != want[1] {
			t.Errorf("%q: %d %d", line, a, b)
		}
	}
}
