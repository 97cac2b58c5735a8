package events

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// lostTo is a log whose events behind the seal go with the file, or with other ways to lose them.
func lostTo(t *testing.T, lose func(*Log)) *Log {
	t.Helper()
	log := OpenLog(newRepo(t))
	for i := range 4 {
		mustAppend(t, log, promptDraft(i))
	}
	mustSeal(t, log) // up to 5
	mustAppend(t, log, promptDraft(4), promptDraft(5))
	lose(log)
	return log
}

// The ref is enough: what has the seals alone goes on from them, under the same writer.
func TestTheLogIsTakenUpFromTheRef(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*Log){
		"the file":            func(l *Log) { check(t, os.Remove(l.JournalPath())) },
		"all that was kept":   func(l *Log) { check(t, os.RemoveAll(l.repo.TracesDir())) },
		"all, and the memory": func(l *Log) { check(t, os.RemoveAll(l.repo.TracesDir())); check(t, l.ForgetEnd()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := lostTo(t, lose)
			before, err := log.Tip(refs.EventsRef)
			check(t, err)
			expectCopy(t, log, 5).Close()
			if e := mustAppend(t, log, promptDraft(9))[0]; e.Seq != 6 {
				t.Errorf("it goes on with %d", e.Seq)
			}
			if n := mustSeal(t, log); n != 1 {
				t.Errorf("%d events more are sealed", n)
			}
			if parent := mustOID(t, runGit(t, log.repo.WorkTree, "rev-parse", refs.EventsRef+"~1")); parent != before {
				t.Errorf("the seal lies on %s", parent)
			}
			if r := verifyRef(t, log, ""); r.State != Consistent || r.Events != 6 {
				t.Errorf("%s, %d events, %v", r.Summary(), r.Events, r.Faults)
			}
		})
	}
}

func TestALossIsToldUntilSomebodyNotesIt(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lose     func(*Log)
		from, to int64
	}{
		"the file":            {func(l *Log) { check(t, os.Remove(l.JournalPath())) }, 6, 7},
		"all that was kept":   {func(l *Log) { check(t, os.RemoveAll(l.repo.TracesDir())) }, 6, 7},
		"the end of the file": {func(l *Log) { cutJournal(t, l, 1) }, 6, 7},
		"file and ref": {func(l *Log) {
			check(t, os.RemoveAll(l.repo.TracesDir()))
			runGit(t, l.repo.WorkTree, "update-ref", "-d", refs.EventsRef)
		}, 1, 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := lostTo(t, tt.lose)
			told := func(when string) {
				t.Helper()
				lost, err := log.Losses()
				if err != nil || len(lost) != 1 || lost[0].From != tt.from || lost[0].To != tt.to {
					t.Errorf("%s: %v, %v", when, lost, err)
				}
				if r := verifyRef(t, log, ""); r.State != Consistent || len(r.Notes) == 0 || !strings.Contains(strings.Join(r.Notes, "\n"), "which the log has lost") {
					t.Errorf("%s: %s %v", when, r.Summary(), r.Notes)
				}
			}
			told("at first")
			for i := range 9 {
				mustAppend(t, log, promptDraft(20+i))
			}
			mustSeal(t, log)
			check(t, log.ForgetCopies())
			told("after later appends")
			if n, err := log.NoteLosses(context.Background()); err != nil || n != 1 {
				t.Errorf("noted: %d, %v", n, err)
			}
			all := readAll(t, log, Range{})
			last := all[len(all)-1]
			var data IncompleteData
			if check(t, ReadData(last.Data, &data)); last.Type != CaptureIncomplete || data.Reason != "events_lost" || data.First != tt.from || data.Last != tt.to || data.Event == "" {
				t.Errorf("the log says %s %+v", last.Type, data)
			}
			mustAppend(t, log, promptDraft(40))
			if lost, err := log.Losses(); err != nil || len(lost) > 0 {
				t.Errorf("still told: %v, %v", lost, err)
			}
			if n, err := log.NoteLosses(context.Background()); err != nil || n != 0 {
				t.Errorf("noted again: %d, %v", n, err)
			}
		})
	}
}

// A log that was set aside, killed before it was remembered, or mended has lost nothing.
func TestWhatIsNoLossIsNotTold(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(*Log){
		"nothing": func(*Log) {},
		"killed before it was remembered": func(l *Log) {
			before, err := os.ReadFile(l.tipPath())
			check(t, err)
			mustAppend(t, l, promptDraft(8))
			check(t, os.WriteFile(l.tipPath(), before, 0o666))
		},
		"set aside": func(l *Log) {
			_, _, err := l.SetAside(context.Background())
			check(t, err)
		},
	} {
		log := lostTo(t, do)
		mustAppend(t, log, promptDraft(9))
		if lost, err := log.Losses(); err != nil || len(lost) > 0 {
			t.Errorf("%s: %v, %v", name, lost, err)
		}
	}
}

// Losses that add up are kept side by side, and the file holds them whole however many there are.
func TestManyLossesAreRemembered(t *testing.T) {
	t.Parallel()
	id, m := longestID, memory{}
	m.end = tip{seq: 5, id: id, writer: longestWriter}
	for i := range mostLosses + 4 {
		m = m.with(tip{seq: int64(i), id: id, writer: "00000000000000ff"}).with(tip{seq: 0})
		m.end = tip{seq: 5, id: id, writer: longestWriter}
		got, ok := parseMemory(m.String())
		if !ok || len(got.lost) != len(m.lost) || got.end != m.end || len(m.lost) > mostLosses {
			t.Fatalf("%d losses: %v, %d", len(m.lost), ok, len(got.lost))
		}
	}
}
