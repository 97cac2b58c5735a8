package events

import (
	"bytes"
	"context"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

const hostileRef = "refs/traces/remotes/origin/00000000000000ff/events"

// looksAtHostileLog lets everything that reads a log read this one: nothing may panic, take long or believe it.
func looksAtHostileLog(t *testing.T, log *Log, hostileRef, what string) {
	t.Helper()
	start := time.Now()
	if c, err := log.Copy(context.Background(), hostileRef); err == nil {
		t.Errorf("%s: copied up to %d", what, c.Last())
		c.Close()
	}
	if r := verifyRef(t, log, hostileRef); r.State != Broken || len(r.Faults) == 0 {
		t.Errorf("%s: %s", what, r.Summary())
	}
	for _, order := range []Order{OldestFirst, NewestFirst} {
		for _, err := range log.Walk(context.Background(), Range{Ref: hostileRef, Order: order}) {
			if err != nil {
				break
			}
		}
	}
	if took := time.Since(start); took > testenv.Within(20*time.Second) {
		t.Errorf("%s: took %v", what, took)
	}
}

func TestReliabilityG1HostileContent(t *testing.T) { // alone, for what it allocates is measured
	log, _ := sampleLog(t, 0, 2)
	refFiles(t, log.repo)
	line := `{"data":{},"id":"` + string(longestID) + `","method":["manual"],"prev":"","seq":1,"time":"2026-11-20T09:00:00.000000000Z","type":"log_started","v":1,"writer":"00000000000000ff"}`
	tests := map[string]string{
		"nothing":                  "",
		"empty lines":              strings.Repeat("\n", 20_000),
		"a line that is not ended": line,
		"an id that is not true":   line + "\n",
		"an event of a megabyte":   strings.Replace(line, `{}`, `{"a":"`+strings.Repeat("x", 1<<20)+`"}`, 1) + "\n",
		"deep nesting":             strings.Replace(line, `{}`, `{"a":`+strings.Repeat("[", 1<<20)+"}", 1) + "\n",
		"a hundred thousand names": strings.Replace(line, `{}`, `{`+strings.Repeat(`"a":1,`, 100_000)+`"b":1}`, 1) + "\n",
		"sixty megabytes":          strings.Repeat("\x00", 60<<20),
		"eight megabytes":          strings.Repeat(line+"\n", 30_000),
		"an escape sequence":       "\x1b]0;owned\x07\n",
		"a huge number":            strings.Replace(line, `"seq":1`, `"seq":99999999999999999999999999`, 1) + "\n",
		"the largest number":       reseal(t, strings.Replace(line, `"seq":1`, `"seq":9007199254740991`, 1)) + "\n",
	}
	for name, content := range tests {
		blob, err := log.repo.WriteLoose(log.repo.MainObjects(), refs.BlobObject, []byte(content))
		check(t, err)
		tree, err := log.WritePublication(Publication{Files: []PublishedFile{{1, blob}}, Head: PublicationHead{Format: Version,
			Writer: "00000000000000ff", Level: sealLevel, ObjectFormat: log.repo.Format.String(), Events: 1, Last: longestID,
			Source: Witness{"00000000000000ff", 1, longestID}}})
		check(t, err)
		oid, err := log.writeMain(refs.CommitObject, sealCommit(tree, nil, 1))
		check(t, err)
		// As a fetch does it, which asks nobody what the object is.
		check(t, refs.WriteFileAtomic(log.repo.CommonDir+"/"+hostileRef, []byte(oid.String()+"\n"), 0o666))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		looksAtHostileLog(t, log, hostileRef, name)
		runtime.ReadMemStats(&after)
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 512 && name != "eight megabytes" {
			t.Errorf("%s: %d MB allocated", name, mb)
		}
	}
}

// Logs that are as good as true, spoiled in one place, come from a remote under the very name of their writer.
func TestReliabilityG1MutatedLogsAreNotBelieved(t *testing.T) {
	t.Parallel()
	_, foreign := sampleLog(t, 1000, 12)
	log, good := sampleLog(t, 0, 12)
	writer, err := log.Writer()
	check(t, err)
	own, err := log.Tip(refs.EventsRef)
	check(t, err)
	ref := "refs/traces/remotes/origin/" + writer + "/events"
	kinds := mutations()
	for round := range testenv.Pick(5, 60, 5000) {
		m := kinds[round%len(kinds)]
		bad := good.copied()
		m.spoil(bad, foreign, 1+rand.N(bad.events()-1))
		bad.write(ref)
		check(t, log.ForgetFetched()) // a copy of the sound part of another one goes on with what follows it
		looksAtHostileLog(t, log, ref, m.name)
	}
	if tip, err := log.Tip(refs.EventsRef); err != nil || tip != own {
		t.Errorf("the own log moved: %v, %v", tip, err)
	}
}

func TestReliabilityG2HostileShapes(t *testing.T) {
	t.Parallel()
	log, _ := sampleLog(t, 0, 6)
	// A long chain of commits without any event in it.
	var script bytes.Buffer
	script.WriteString("feature done\n")
	for range testenv.Pick(2000, 20_000, 1_000_000) {
		script.WriteString("commit refs/heads/long\ncommitter a <a> 0 +0000\ndata 2\nx\n\n")
	}
	script.WriteString("done\n")
	if _, err := log.repo.Git(context.Background(), &script, "fast-import", "--quiet", "--done"); err != nil {
		t.Fatal(err)
	}
	runGit(t, log.repo.WorkTree, "update-ref", hostileRef, "refs/heads/long")
	looksAtHostileLog(t, log, hostileRef, "a long chain of something else")
}
