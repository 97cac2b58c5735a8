package events

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
)

func TestFirstAppendOpensTheLog(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			repo := newRepo(t, "--object-format="+format)
			log := OpenLog(repo)
			log.Tool = "git-trace 1.2.3"
			if writer, err := log.Writer(); err != nil || writer != "" {
				t.Errorf("writer %q before the first append, %v", writer, err)
			}
			events := mustAppend(t, log, promptDraft(0), promptDraft(1))
			more := mustAppend(t, log, promptDraft(2))
			var opening LogStartedData
			if err := json.Unmarshal(events[0].Data, &opening); err != nil {
				t.Fatal(err)
			}
			if want := (LogStartedData{Format: 1, Tool: "git-trace 1.2.3", ObjectFormat: format}); events[0].Type != LogStarted || opening != want {
				t.Errorf("the log opens with %s %+v", events[0].Type, opening)
			}
			if events[0].Prev != "" || events[1].Prev != events[0].ID || more[0].Prev != events[2].ID || more[0].Seq != 4 {
				t.Error("the events are not chained")
			}
			writer, err := log.Writer()
			if err != nil || writer != more[0].Writer || checkWriter(writer) != nil {
				t.Errorf("writer %q, event says %q, %v", writer, more[0].Writer, err)
			}
			got := readAll(t, log, Range{})
			if !slices.EqualFunc(got, append(events, more...), func(a, b Event) bool { return bytes.Equal(a.Raw(), b.Raw()) }) {
				t.Error("the log holds other events than the appends returned")
			}
			expectCopy(t, log, 4)
			if r := verifyRef(t, log, ""); r.State != Consistent || r.Events != 4 || r.Writer != writer {
				t.Errorf("verified: %+v", r)
			}
			if out := runGit(t, repo.WorkTree, "fsck", "--full", "--strict"); strings.Contains(out, "dangling") || strings.Contains(out, "error") {
				t.Error(out)
			}
			if got := runGit(t, repo.WorkTree, "log", "--all", "--format=%s|%an|%ae|%ad", "--date=raw"); got !=
				"git-trace: the log up to event 3|git-trace|git-trace@localhost|0 +0000\n" {
				t.Error(got)
			}
			runGit(t, repo.WorkTree, "gc", "-q", "--prune=now")
			check(t, log.ForgetCopies())
			mustAppend(t, log, promptDraft(3))
			expectCopy(t, log, 5)
			if r := verifyRef(t, log, ""); r.State != Consistent || r.Events != 5 {
				t.Errorf("verified when packed: %+v", r)
			}
		})
	}
}

func TestSealsDependOnEventsAlone(t *testing.T) {
	t.Parallel()
	var tips []refs.OID
	for range 2 {
		repo := newRepo(t)
		log := OpenLog(repo)
		if err := refs.WriteFileAtomic(log.writerPath(), []byte("0123456789abcdef\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		mustAppend(t, log, promptDraft(0))
		mustAppend(t, log, promptDraft(1), fullDraft())
		mustSeal(t, log)
		tip, err := log.Tip(refs.EventsRef)
		if err != nil {
			t.Fatal(err)
		}
		tips = append(tips, tip)
	}
	if tips[0] != tips[1] {
		t.Errorf("%s and %s", tips[0], tips[1])
	}
}

func TestAppendGoesOnWithoutTheTipCache(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T, log *Log){
		"deleted": func(t *testing.T, log *Log) { check(t, os.RemoveAll(log.cacheDir())) },
		"garbage": func(t *testing.T, log *Log) { check(t, os.WriteFile(log.tipPath(), []byte("tip1 x"), 0o666)) },
		"empty":   func(t *testing.T, log *Log) { check(t, os.WriteFile(log.tipPath(), nil, 0o666)) },
		"lying":   func(t *testing.T, log *Log) { editFile(t, log.tipPath(), " 3 ", " 9 ") },
		"not a file": func(t *testing.T, log *Log) {
			check(t, os.Remove(log.tipPath()))
			check(t, os.Mkdir(log.tipPath(), 0o777))
		},
		"log is packed": func(t *testing.T, log *Log) {
			check(t, os.RemoveAll(log.cacheDir()))
			runGit(t, log.repo.WorkTree, "gc", "-q")
		},
		"writer file lost": func(t *testing.T, log *Log) {
			check(t, os.Remove(log.writerPath()))
		},
		"writer file damaged": func(t *testing.T, log *Log) { check(t, os.WriteFile(log.writerPath(), []byte("x"), 0o666)) },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := OpenLog(newRepo(t))
			first := mustAppend(t, log, promptDraft(0), promptDraft(1))
			spoil(t, log)
			e := mustAppend(t, log, promptDraft(2))[0]
			if e.Seq != 4 || e.Prev != first[2].ID || e.Writer != first[0].Writer {
				t.Errorf("event %d after %s by %s", e.Seq, e.Prev, e.Writer)
			}
			if writer, err := log.Writer(); err != nil || writer != e.Writer {
				t.Errorf("writer %q, %v", writer, err)
			}
		})
	}
}

func TestTipThatWentBackIsNotBelieved(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	first := mustAppend(t, log, promptDraft(0))
	mustAppend(t, log, promptDraft(1))
	cutJournal(t, log, 1)
	if e := mustAppend(t, log, promptDraft(2))[0]; e.Seq != 3 || e.Prev != first[1].ID {
		t.Errorf("event %d after %s", e.Seq, e.Prev)
	}
}

func TestRefusedDraftsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	bad := promptDraft(1)
	bad.Type = "surprise"
	_, err := log.Append(context.Background(), []Draft{promptDraft(0), bad})
	if err == nil || errors.Is(err, ErrSpooled) || !strings.Contains(err.Error(), `append events: event type "surprise" is not in the list`) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(log.repo.TracesDir()); !os.IsNotExist(err) {
		t.Error("a refused append left files behind")
	}
	if events, err := log.Append(context.Background(), nil); err != nil || events != nil {
		t.Errorf("an empty append gives %v, %v", events, err)
	}
}

func TestDamagedEndOfTheLogStopsAppendsAndLosesNothing(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(text []byte) []byte{
		"the last event": func(b []byte) []byte { return bytes.Replace(b, []byte(`"kind"`), []byte(`"kinD"`), 1) },
		"the end line":   func(b []byte) []byte { return append(b[:len(b)-2], 'x', '\n') },
		"the first line": func(b []byte) []byte { return bytes.Replace(b, []byte("log 1"), []byte("lag 1"), 1) },
		"nothing":        func([]byte) []byte { return nil },
		"other lines":    func(b []byte) []byte { return append(b, "and more\n"...) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := OpenLog(newRepo(t))
			mustAppend(t, log, promptDraft(0))
			good, err := os.ReadFile(log.JournalPath())
			check(t, err)
			bad := spoil(bytes.Clone(good))
			check(t, os.WriteFile(log.JournalPath(), bad, 0o666))
			_, err = log.Append(context.Background(), []Draft{promptDraft(1)})
			if !errors.Is(err, ErrSpooled) || !errors.Is(err, ErrJournal) {
				t.Fatalf("error %v", err)
			}
			if now, err := os.ReadFile(log.JournalPath()); err != nil || !bytes.Equal(now, bad) {
				t.Error("the damaged log was changed")
			}
			if r := verifyRef(t, log, ""); r.State != Broken {
				t.Errorf("verified: %s %v", r.Summary(), r.Notes)
			}
			if c := openCopyOf(t, log, refs.EventsRef); len(c.Notes) != 1 {
				t.Errorf("read: %v", c.Notes)
			}
			check(t, os.WriteFile(log.JournalPath(), good, 0o666))
			if e := mustAppend(t, log, promptDraft(2))[0]; e.Seq != 4 {
				t.Errorf("event %d after the repair: the spooled one is missing", e.Seq)
			}
		})
	}
}

func TestARefThatIsNoLogIsNotTakenOver(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	stranger := strings.TrimSpace(runGit(t, log.repo.WorkTree, "commit-tree", "-m", "not a log", log.repo.Format.EmptyTree().String()))
	runGit(t, log.repo.WorkTree, "update-ref", refs.EventsRef, stranger)
	_, err := log.Append(context.Background(), []Draft{promptDraft(1)})
	if !errors.Is(err, ErrSpooled) || !errors.Is(err, ErrNotLog) {
		t.Fatalf("error %v", err)
	}
	if tip, _ := log.Tip(refs.EventsRef); tip.String() != stranger {
		t.Error("the ref was changed")
	}
	runGit(t, log.repo.WorkTree, "update-ref", "-d", refs.EventsRef)
	if e := mustAppend(t, log, promptDraft(2))[0]; e.Seq != 3 {
		t.Errorf("event %d after the repair: the spooled one is missing", e.Seq)
	}
}

// cutJournal takes the last batches from the file of the own log.
func cutJournal(t testing.TB, log *Log, batches int) {
	t.Helper()
	j, err := log.openJournal(os.O_RDWR)
	check(t, err)
	defer j.close()
	at := j.end.offset
	for range batches {
		b, err := batchBefore(j.file, j.head, at)
		check(t, err)
		at = b.begin
	}
	check(t, j.file.Truncate(at))
}

func TestWalkReadsBothWaysWhereverTheLogIs(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"file", "loose", "packed"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			log := OpenLog(newRepo(t))
			for i := range 6 {
				mustAppend(t, log, promptDraft(2*i), promptDraft(2*i+1))
				mustSeal(t, log)
			}
			if where == "packed" {
				runGit(t, log.repo.WorkTree, "gc", "-q")
			}
			if where != "file" {
				check(t, os.Remove(log.JournalPath()))
			}
			numbers := func(r Range) []int64 {
				var out []int64
				for _, e := range readAll(t, log, r) {
					out = append(out, e.Seq)
				}
				return out
			}
			if got := numbers(Range{}); !slices.Equal(got, counting(1, 13)) {
				t.Errorf("oldest first: %v", got)
			}
			down := numbers(Range{Order: NewestFirst})
			slices.Reverse(down)
			if !slices.Equal(down, counting(1, 13)) {
				t.Errorf("newest first: %v", down)
			}
			if got := numbers(Range{Ref: "refs/traces/remotes/origin/x/events"}); got != nil {
				t.Errorf("a log that does not exist: %v", got)
			}
			for e, err := range log.Walk(context.Background(), Range{}) {
				if err != nil || e.Seq != 1 {
					t.Error(e.Seq, err)
				}
				break
			}
		})
	}
}

func counting(from, to int64) []int64 {
	var out []int64
	for n := from; n <= to; n++ {
		out = append(out, n)
	}
	return out
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func editFile(t testing.TB, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	check(t, err)
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("%s does not hold %q", filepath.Base(path), old)
	}
	check(t, os.WriteFile(path, bytes.Replace(text, []byte(old), []byte(new), 1), 0o666))
}

// TestAppendTiming prints what an append costs beside the four git processes that it would take otherwise; it asserts
// nothing, the machine decides.
func TestAppendTiming(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	dir := log.repo.WorkTree
	const rounds = 110
	var ours, plain []time.Duration
	for i := range rounds {
		start := time.Now()
		mustAppend(t, log, promptDraft(2*i), promptDraft(2*i+1))
		ours = append(ours, time.Since(start))
		if i%10 == 0 {
			start = time.Now()
			blob := strings.TrimSpace(runGit(t, dir, "hash-object", "-w", log.writerPath()))
			runGit(t, dir, "ls-tree", log.repo.Format.EmptyTree().String())
			commit := strings.TrimSpace(runGit(t, dir, "commit-tree", "-m", blob, log.repo.Format.EmptyTree().String()))
			runGit(t, dir, "update-ref", "refs/plain", commit)
			plain = append(plain, time.Since(start))
		}
	}
	slices.Sort(ours)
	slices.Sort(plain)
	p50, p99, four := ours[len(ours)/2], ours[len(ours)*99/100], plain[len(plain)/2]
	t.Logf("append of two events: p50 %v, p99 %v; four git processes %v: ratio %.3f", p50, p99, four, p50.Seconds()/four.Seconds())
}
