package events

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// openCopyOf opens the copy of the own log and closes it with the test.
func openCopyOf(t testing.TB, log *Log, ref string) *Copy {
	t.Helper()
	c, err := log.Copy(context.Background(), ref)
	check(t, err)
	t.Cleanup(c.Close)
	return c
}

func numbersIn(t testing.TB, c *Copy) []int64 {
	t.Helper()
	var out []int64
	for line, err := range c.Lines() {
		check(t, err)
		e, err := DecodeLine(bytes.Clone(line.Line))
		check(t, err)
		check(t, e.CheckID())
		again, err := c.Text().Line(line.Offset, len(line.Line))
		check(t, err)
		if !bytes.Equal(again, e.Raw()) {
			t.Errorf("event %d reads differently at its offset", e.Seq)
		}
		out = append(out, e.Seq)
	}
	return out
}

func expectCopy(t testing.TB, log *Log, last int64) *Copy {
	t.Helper()
	c := openCopyOf(t, log, refs.EventsRef)
	if got := numbersIn(t, c); !slices.Equal(got, counting(1, last)) || c.Last() != last || len(c.Notes) > 0 {
		t.Errorf("copy holds %v up to %d, want %d; notes %v", got, c.Last(), last, c.Notes)
	}
	return c
}

func TestCopyFollowsTheLog(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	if c := openCopyOf(t, log, refs.EventsRef); c.Text().Size() != 0 || c.Last() != 0 {
		t.Error("the copy of no log holds something")
	}
	appendSealed(t, log, promptDraft(0))
	first := expectCopy(t, log, 2)
	appendSealed(t, log, promptDraft(1), promptDraft(2))
	second := expectCopy(t, log, 4)
	if second.Text().Generation() != first.Text().Generation() || second.Text().Stored() <= first.Text().Stored() {
		t.Error("the copy was built anew")
	}
	runGit(t, log.repo.WorkTree, "gc", "-q")
	appendSealed(t, log, promptDraft(3))
	third := expectCopy(t, log, 5)
	var since []int64
	for part, err := range third.Text().Parts(second.Text().Size(), third.Text().Size(), 1) {
		check(t, err)
		for line := range part.Lines() {
			e, err := DecodeLine(line.Line)
			check(t, err)
			since = append(since, e.Seq)
		}
	}
	if !slices.Equal(since, []int64{5}) {
		t.Errorf("since the second look: %v", since)
	}
	if got := numbersIn(t, first); len(got) != 2 {
		t.Errorf("a copy that is open grows to %v", got)
	}
	check(t, log.ForgetCopies())
	fourth := expectCopy(t, log, 5)
	if fourth.Text().Generation() == third.Text().Generation() {
		t.Error("a new build has the old generation")
	}
	runGit(t, log.repo.WorkTree, "update-ref", refs.EventsRef, refs.EventsRef+"~2")
	expectCopy(t, log, 2)
	appendSealed(t, log, promptDraft(9))
	expectCopy(t, log, 3)
}

func TestSpoiledCopyIsBuiltAnew(t *testing.T) {
	t.Parallel()
	tests := map[string]func(text []byte) []byte{
		"empty":                   func([]byte) []byte { return nil },
		"cut in the header":       func(b []byte) []byte { return b[:20] },
		"header alone":            func(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+1] },
		"cut in the first event":  func(b []byte) []byte { return b[:200] },
		"cut in the last line":    func(b []byte) []byte { return b[:len(b)-5] },
		"cut before the last end": func(b []byte) []byte { return b[:bytes.LastIndexByte(b, '#')] },
		"another version":         func(b []byte) []byte { return bytes.Replace(b, []byte("logs 1"), []byte("logs 2"), 1) },
		"another format":          func(b []byte) []byte { return bytes.Replace(b, []byte("sha1"), []byte("sha256"), 1) },
		"an end line that lies": func(b []byte) []byte {
			return append(b[:bytes.LastIndexByte(b, '#')], flatEnd{commit: refs.SHA1.EmptyTree(), seq: 5, id: longestID}.line(10)...)
		},
		"zeros at the end":     func(b []byte) []byte { return append(b, make([]byte, 5000)...) },
		"zeros for the last":   func(b []byte) []byte { clear(b[len(b)-300:]); return b },
		"half an event behind": func(b []byte) []byte { return append(b, `{"agent":"claude`...) },
		"a forged event": func(b []byte) []byte {
			at := bytes.LastIndex(b, []byte(`"chars"`))
			b[at+1] = 'k'
			return b
		},
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := OpenLog(newRepo(t))
			appendSealed(t, log, promptDraft(0))
			appendSealed(t, log, promptDraft(1), promptDraft(2))
			expectCopy(t, log, 4).Close()
			path := log.takenPath(ownDir, "log")
			text, err := os.ReadFile(path)
			check(t, err)
			check(t, os.WriteFile(path, spoil(text), 0o666))
			expectCopy(t, log, 4)
			appendSealed(t, log, promptDraft(3))
			expectCopy(t, log, 5)
		})
	}
}

func TestCopyWithoutAPlaceToStoreItIsInMemory(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	appendSealed(t, log, promptDraft(0), promptDraft(1))
	check(t, os.RemoveAll(log.cacheDir()))
	check(t, os.WriteFile(log.cacheDir(), nil, 0o666))
	if c := expectCopy(t, log, 3); c.Text().Generation() != "" || c.Text().Stored() != 0 {
		t.Error("the copy claims to be stored")
	}
	appendSealed(t, log, promptDraft(2))
	expectCopy(t, log, 4)
}

func TestReaderDoesNotWaitForALongBuild(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	appendSealed(t, log, promptDraft(0))
	expectCopy(t, log, 2)
	appendSealed(t, log, promptDraft(1))
	lock, err := refs.Flock(log.takenPath(ownDir, "log.lock"), time.Second)
	check(t, err)
	defer lock.Unlock()
	start := time.Now()
	if c := expectCopy(t, log, 3); c.Text().Stored() >= c.Text().Size() {
		t.Error("the new event was stored although another process holds the lock")
	}
	if took := time.Since(start); took > testenv.Within(2*time.Second) {
		t.Errorf("took %v", took)
	}
}

func TestDamagedOwnLogGivesWhatIsLeft(t *testing.T) {
	t.Parallel()
	log, good := sampleLog(t, 0, 12)
	bad := good.copied()
	*bad.line(9) = strings.Replace(*bad.line(9), `"v":1`, `"v":2`, 1)
	bad.write(refs.EventsRef)
	for range 2 {
		c := openCopyOf(t, log, refs.EventsRef)
		want := append(counting(1, 8), counting(10, int64(good.events()))...)
		if got := numbersIn(t, c); !slices.Equal(got, want) || len(c.Notes) != 1 || !strings.HasPrefix(c.Notes[0], "log is broken at 9: ") {
			t.Errorf("holds %v, notes %v", got, c.Notes)
		}
	}
	good.write(refs.EventsRef)
	expectCopy(t, log, int64(good.events()))

	// An object in the middle is gone: what is behind it can still be read.
	oids, first, last := filesOf(t, log, good)
	check(t, log.ForgetCopies())
	check(t, os.Remove(looseFileOf(log.repo, oids[5])))
	c := openCopyOf(t, log, refs.EventsRef)
	want := append(counting(1, int64(first[5]-1)), counting(int64(last[5])+1, int64(good.events()))...)
	if got := numbersIn(t, c); !slices.Equal(got, want) || len(c.Notes) != 1 {
		t.Errorf("holds %v, notes %v", got, c.Notes)
	}
}

func TestDamagedFetchedLogIsNotBelievedAtAll(t *testing.T) {
	t.Parallel()
	log, good := sampleLog(t, 0, 6)
	writer, err := log.Writer()
	check(t, err)
	ref := "refs/traces/remotes/origin/" + writer + "/events"
	bad := good.copied()
	*bad.line(9) = strings.Replace(*bad.line(9), `"v":1`, `"v":2`, 1)
	bad.write(ref)
	for range 2 {
		if c, err := log.Copy(context.Background(), ref); err == nil {
			t.Errorf("copied up to %d", c.Last())
		} else if !strings.Contains(err.Error(), "log is broken at 9") {
			t.Error(err)
		}
	}
	good.write(ref)
	c := openCopyOf(t, log, ref)
	if got := numbersIn(t, c); len(got) != good.events() {
		t.Errorf("holds %v", got)
	}
}

func TestCopySurvivesKills(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	log, good := sampleLog(t, 0, 40)
	last := int64(good.events())
	for i := range 40 {
		if i%3 == 0 {
			check(t, log.ForgetCopies())
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "EVENTS_TEST_CHILD="+log.repo.WorkTree, "EVENTS_TEST_COPY=1")
		check(t, cmd.Start())
		time.Sleep(rand.N(12 * time.Millisecond))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if i%5 == 0 {
			appendSealed(t, log, promptDraft(10_000+i))
			last++
		}
		expectCopy(t, log, last).Close()
	}
}

func TestCopiesBuiltAtOnceAgree(t *testing.T) {
	t.Parallel()
	log, good := sampleLog(t, 0, 40)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 5 {
				c, err := log.Copy(context.Background(), refs.EventsRef)
				if err != nil {
					t.Error(err)
					return
				}
				n := 0
				for _, err := range c.Lines() {
					if err != nil {
						t.Error(err)
						return
					}
					n++
				}
				if n < good.events() {
					t.Errorf("%d events", n)
				}
				c.Close()
			}
		})
	}
	for i := range 10 {
		appendSealed(t, log, promptDraft(10_000+i))
	}
	wait.Wait()
	expectCopy(t, log, int64(good.events())+10)
}

// FuzzCopyEnds holds that no file, however spoiled, is taken for a copy whose end is not there.
func FuzzCopyEnds(f *testing.F) {
	d, _ := promptDraft(0).normal()
	e, _ := seal(d, place{seq: 1, writer: "0123456789abcdef"})
	header := journalHeader(refs.SHA1)
	line := string(e.Raw()) + "\n"
	f.Add([]byte(header + "0123456789abcdef\n" + line + flatEnd{commit: refs.SHA1.EmptyTree(), seq: 1, id: e.ID}.line(len(line))))
	f.Add([]byte(header + "0123456789abcdef\n"))
	f.Add([]byte(header))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "copy")
		check(t, os.WriteFile(path, text, 0o666))
		file, err := os.Open(path)
		check(t, err)
		defer file.Close()
		_, b, _, err := readEnds(file, header)
		if err != nil {
			return
		}
		end := b.end
		if end.offset > int64(len(text)) || end.offset < int64(len(header)+17) {
			t.Fatalf("ends at %d of %d bytes", end.offset, len(text))
		}
		c := &Text{file: file, stored: end.offset}
		for part, err := range c.Parts(0, c.Size(), 64) {
			if err != nil && !errors.Is(err, ErrCopyDamaged) {
				t.Fatal(err)
			}
			for line := range part.Lines() {
				_, _ = DecodeLine(line.Line)
			}
		}
	})
}

// Not parallel: it takes git away.
func TestAShortPackedLogIsReadWithoutGit(t *testing.T) {
	log := OpenLog(newRepo(t))
	for i := range 20 {
		appendSealed(t, log, promptDraft(i))
	}
	runGit(t, log.repo.GitDir, "gc", "-q", "--prune=now")
	loose, err := filepath.Glob(filepath.Join(log.repo.MainObjects(), "??"))
	check(t, err)
	if len(loose) > 0 {
		t.Fatalf("loose objects are left in %v", loose)
	}
	t.Setenv("PATH", t.TempDir())
	c, err := log.Copy(context.Background(), refs.EventsRef)
	check(t, err)
	defer c.Close()
	if c.Last() != 21 || len(c.Notes) > 0 { // log_started is the first
		t.Errorf("%d events, notes %v", c.Last(), c.Notes)
	}
}
