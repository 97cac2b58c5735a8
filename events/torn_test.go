package events

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"
)

// torn are ends of a log's file as a machine leaves them that lost power: the log has five events in three batches.
// Want is how many of the five are there after the mend, with the one that waited behind them.
var torn = map[string]struct {
	spoil func(b []byte) []byte
	want  int
}{
	"other bytes behind the end": {func(b []byte) []byte { return append(b, "\x00\x00\n\x00more\n"...) }, 5},
	"zeros without a line feed":  {func(b []byte) []byte { return zeros(b, lastBatch(b), len(b)) }, 4},
	"zeros behind the end":       {func(b []byte) []byte { return append(b, make([]byte, 4096)...) }, 5},
	"zeros, and a line feed":     {func(b []byte) []byte { return append(zeros(b, lastBatch(b), len(b)), "\n"...) }, 4},
	"zeros, and the end line": {func(b []byte) []byte {
		return zeros(b, lastBatch(b)+40, bytes.LastIndexByte(b[:len(b)-1], '\n'))
	}, 4},
	"an end line that is torn": {func(b []byte) []byte { return append(b[:len(b)-3], "\x00\n"...) }, 5},
	"half of the batch, and lines of another file": {func(b []byte) []byte {
		return append(b[:lastBatch(b)+100:lastBatch(b)+100], "\nof another file\n"...)
	}, 4},
	"nothing": {func([]byte) []byte { return nil }, 3}, // the seal has the first append
	"zeros":   {func(b []byte) []byte { return make([]byte, len(b)) }, 3},
}

func zeros(b []byte, from, to int) []byte {
	for i := from; i < to; i++ {
		b[i] = 0
	}
	return b
}

// lastBatch is where the last batch begins.
func lastBatch(b []byte) int {
	lines := bytes.SplitAfter(b, newline)
	at := 0
	for i, line := range lines[:len(lines)-2] {
		at += len(line)
		if next := lines[i+1]; len(next) > 0 && line[0] == '#' && i+2 < len(lines)-1 {
			if bytes.Count(b[at:], []byte("\n#")) == 1 {
				return at
			}
		}
	}
	return at
}

// tornLog is a log with five events, the last batch of one.
func tornLog(t *testing.T) *Log {
	t.Helper()
	log := OpenLog(newRepo(t))
	mustAppend(t, log, promptDraft(0), promptDraft(1)) // three with the one that opens it
	mustAppend(t, log, promptDraft(2))
	mustAppend(t, log, promptDraft(3))
	return log
}

func TestATornEndIsMended(t *testing.T) {
	t.Parallel()
	for name, c := range torn {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := tornLog(t)
			good, err := os.ReadFile(log.JournalPath())
			check(t, err)
			openCopyOf(t, log, "refs/traces/events") // readers have noted how far they checked it
			bad := c.spoil(bytes.Clone(good))
			check(t, os.WriteFile(log.JournalPath(), bad, 0o666))
			if _, err := log.Append(context.Background(), []Draft{promptDraft(9)}); !errors.Is(err, ErrSpooled) {
				t.Fatalf("error %v", err)
			}
			found, err := log.FindTorn(context.Background())
			check(t, err)
			if now, err := os.ReadFile(log.JournalPath()); err != nil || !bytes.Equal(now, bad) {
				t.Fatal("looking changed it")
			}
			mended, err := log.MendTorn(context.Background())
			check(t, err)
			kept, err := os.ReadFile(mended.Kept)
			check(t, err)
			if !bytes.HasSuffix(bad, kept) || int64(len(kept)) != found.Bytes {
				t.Errorf("%d bytes are kept, %d were torn", len(kept), found.Bytes)
			}
			copied := openCopyOf(t, log, "refs/traces/events")
			if copied.Last() != int64(c.want+1) || len(copied.Notes) != 0 {
				t.Errorf("%d events, %v", copied.Last(), copied.Notes)
			}
			if r := verifyRef(t, log, ""); r.State == Broken {
				t.Errorf("verified: %s %v", r.Summary(), r.Faults)
			}
			if e := mustAppend(t, log, promptDraft(10))[0]; e.Seq != int64(c.want+2) {
				t.Errorf("the next event is %d", e.Seq)
			}
			now, err := os.ReadFile(log.JournalPath())
			check(t, err)
			for i := range c.want {
				line := bytes.Split(now, newline)
				if want := eventLines(good)[i]; c.want > 3 && !bytes.Contains(bytes.Join(line, newline), want) {
					t.Errorf("event %d is another one", i+1)
				}
			}
			if again, err := log.MendTorn(context.Background()); again != nil || err != nil {
				t.Errorf("once more: %+v, %v", again, err)
			}
		})
	}
}

func eventLines(text []byte) (out [][]byte) {
	for line := range bytes.SplitSeq(text, newline) {
		if len(line) > 0 && line[0] == '{' {
			out = append(out, line)
		}
	}
	return out
}

// What is whole in a torn batch is not lost, also where an event before it is.
func TestWholeEventsOfATornBatchStay(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	mustAppend(t, log, promptDraft(0))
	mustAppend(t, log, promptDraft(1), promptDraft(2), promptDraft(3))
	text, err := os.ReadFile(log.JournalPath())
	check(t, err)
	lines := eventLines(text)
	at := bytes.Index(text, lines[3])
	check(t, os.WriteFile(log.JournalPath(), append(zeros(bytes.Clone(text[:len(text)-4]), at, at+50), "\n\n"...), 0o666))
	mended, err := log.MendTorn(context.Background())
	check(t, err)
	if mended.Back != 2 || mended.After != 2 {
		t.Errorf("%+v", mended)
	}
	now, err := os.ReadFile(log.JournalPath())
	check(t, err)
	list := eventLines(now)
	if len(list) != 4 || !bytes.Equal(list[2], lines[2]) {
		t.Fatalf("%s", now)
	}
	for n, of := range [][]byte{lines[2], lines[4]} {
		was, err := DecodeLine(of)
		check(t, err)
		is, err := DecodeLine(list[2+n])
		check(t, err)
		a, err := was.Draft().Content()
		check(t, err)
		if b, err := is.Draft().Content(); err != nil || a != b {
			t.Errorf("%s became %s", of, list[2+n])
		}
	}
	if r := verifyRef(t, log, ""); r.State == Broken {
		t.Errorf("verified: %s %v", r.Summary(), r.Faults)
	}
}

// A log that was changed further back is not mended: nobody is to find a changed log consistent.
func TestAChangedLogIsNotTakenForATornOne(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(b []byte) []byte{
		"an earlier event, and other lines": func(b []byte) []byte {
			return append(bytes.Replace(b, []byte(`"kind"`), []byte(`"kinD"`), 1), "and more\n"...)
		},
		"the last event": func(b []byte) []byte { return bytes.Replace(b, []byte(`"chars":30`), []byte(`"chars":31`), 1) },
		"the first line": func(b []byte) []byte { return bytes.Replace(b, []byte("log 1"), []byte("lag 1"), 1) },
	} {
		log := tornLog(t)
		text, err := os.ReadFile(log.JournalPath())
		check(t, err)
		bad := spoil(bytes.Clone(text))
		if bytes.Equal(bad, text) {
			t.Fatal("nothing was changed")
		}
		check(t, os.WriteFile(log.JournalPath(), bad, 0o666))
		if _, err := log.MendTorn(context.Background()); !errors.Is(err, ErrNotTorn) {
			t.Errorf("%s: %v", name, err)
		}
		if now, err := os.ReadFile(log.JournalPath()); err != nil || !bytes.Equal(now, bad) {
			t.Errorf("%s: it was changed", name)
		}
	}
}
