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
	if r, err := log.VerifyCopy(context.Background(), Verification{Ref: hostileRef}); err != nil || r.State != Broken {
		t.Errorf("%s: %s, %v", what, r.Summary(), err)
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
	tree := log.repo.Format.EmptyTree().String()
	header := "tree " + tree + "\nauthor git-trace <git-trace@localhost> 0 +0000\ncommitter git-trace <git-trace@localhost> 0 +0000\n\n"
	subject := "traces: 1 events 1..1\n\n"
	line := `{"data":{},"id":"` + string(longestID) + `","method":["manual"],"prev":"","seq":1,"time":"2026-11-20T09:00:00.000000000Z","type":"log_started","v":1,"writer":"00000000000000ff"}`
	tests := map[string]string{
		"nothing":                  "",
		"no header":                "\n\ntraces: ",
		"no message":               header,
		"no lines":                 header + subject,
		"empty lines":              header + subject + strings.Repeat("\n", 20_000),
		"a line that is not ended": header + subject + line,
		"an id that is not true":   header + subject + line + "\n",
		"an event of a megabyte":   header + subject + strings.Replace(line, `{}`, `{"a":"`+strings.Repeat("x", 1<<20)+`"}`, 1) + "\n",
		"deep nesting":             header + subject + strings.Replace(line, `{}`, `{"a":`+strings.Repeat("[", 1<<20)+"}", 1) + "\n",
		"a hundred thousand names": header + subject + strings.Replace(line, `{}`, `{`+strings.Repeat(`"a":1,`, 100_000)+`"b":1}`, 1) + "\n",
		"sixty megabytes":          header + subject + strings.Repeat("\x00", 60<<20),
		"eight megabytes":          header + subject + strings.Repeat(line+"\n", 30_000),
		"a parent that is none":    strings.Replace(header, "\nauthor", "\nparent x\nauthor", 1) + subject + line + "\n",
		"an escape sequence":       header + subject + "\x1b]0;owned\x07\n",
		"a huge number":            header + subject + strings.Replace(line, `"seq":1`, `"seq":99999999999999999999999999`, 1) + "\n",
		"the largest number":       header + subject + reseal(t, strings.Replace(line, `"seq":1`, `"seq":9007199254740991`, 1)) + "\n",
	}
	for name, content := range tests {
		oid, err := log.repo.WriteLoose(log.repo.MainObjects(), refs.CommitObject, []byte(content))
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
	tree := mustOID(t, runGit(t, log.repo.WorkTree, "hash-object", "-t", "tree", "-w", "/dev/null"))
	stranger := mustOID(t, runGit(t, log.repo.WorkTree, "commit-tree", "-m", "not of the log", tree.String()))
	blob := mustOID(t, runGit(t, log.repo.WorkTree, "hash-object", "-w", "/dev/null"))
	kinds := mutations(stranger, blob)
	for round := range testenv.Pick(5, 60, 5000) {
		m := kinds[round%len(kinds)]
		bad := good.copied()
		m.spoil(bad, foreign, 1+rand.N(bad.events()-1))
		bad.write(ref)
		looksAtHostileLog(t, log, ref, m.name)
	}
	if tip, err := log.Tip(refs.EventsRef); err != nil || tip != own {
		t.Errorf("the own log moved: %v, %v", tip, err)
	}
}

func TestReliabilityG2HostileShapes(t *testing.T) {
	t.Parallel()
	log, good := sampleLog(t, 0, 6)
	oids, _, _ := commitsOf(t, log.repo, good)
	for range testenv.Pick(5, 30, 5000) {
		bad := good.copied()
		i := 1 + rand.N(len(bad.batches)-1)
		parents := 1 + rand.N(64)
		for range parents {
			bad.batches[i].also = append(bad.batches[i].also, oids[rand.N(i)])
		}
		bad.write(hostileRef)
		looksAtHostileLog(t, log, hostileRef, "many parents")
	}
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
