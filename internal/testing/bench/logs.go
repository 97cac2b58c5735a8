package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// The shape of a generated log, which has the events of conversations.
const (
	promptsPerTrace = 40
	callsPerPrompt  = 10
	patchesPerCall  = 2
	packEvery       = 4000 // number of batches
)

// makeLog appends a number of events to the log of a repository of makeHistory. They include one commit_anchored for
// every commit of the hot file, evenly distributed. So logs of all lengths say the same about that file.
func (b *bench) makeLog(dir string, number int) error {
	repo, err := refs.Discover(dir)
	if err != nil {
		return err
	}
	edits, err := b.hotEdits(dir)
	if err != nil {
		return err
	}
	l := logWriter{bench: b, dir: dir, log: events.OpenLog(repo), number: number, left: number, edits: edits,
		rng: rand.New(rand.NewPCG(3, 3))}
	l.at = time.Date(2024, 1, 1, 9, 0, 0, 0, time.UTC)
	for l.left > 0 {
		if err := l.conversation(); err != nil {
			return err
		}
	}
	return b.check(b.git(dir, "gc", "-q"))
}

// logWriter appends batches, as the hooks of an agent do.
type logWriter struct {
	bench   *bench
	dir     string
	log     *events.Log
	rng     *rand.Rand
	at      time.Time
	number  int // number of requested events
	left    int // number of remaining events
	batches int
	edits   []edit // edits that get an anchor
	next    int    // index of the next edit
	err     error  // errors of draft

	session          string
	prompt, interval int
}

func (l *logWriter) conversation() error {
	l.session = fmt.Sprintf("session-%d", l.rng.Uint32())
	l.prompt = 0
	if err := l.append(l.draft(events.SessionStarted, "",
		events.SessionData{Source: "startup", Model: benchModel})); err != nil {
		return err
	}
	for range promptsPerTrace {
		if err := l.turn(); err != nil || l.left <= 0 {
			return err
		}
	}
	return l.append(l.draft(events.SessionEnded, "", events.SessionData{Source: "prompt_input_exit"}))
}

const benchModel = "claude-sonnet-4-5"

func (l *logWriter) turn() error {
	l.prompt++
	l.interval++
	err := l.append(
		l.draft(events.PromptSubmitted, "", events.PromptData{Index: l.prompt, Chars: 40 + l.rng.IntN(200), Kind: "user"}),
		l.draft(events.SnapshotTaken, "", events.SnapshotData{Role: "prompt", Scope: "full", Interval: int64(l.interval),
			Tree: l.oid()}),
	)
	for call := 0; err == nil && call < callsPerPrompt; call++ {
		err = l.call(call)
	}
	if err != nil {
		return err
	}
	for l.next < len(l.edits) && l.next*l.number <= len(l.edits)*(l.number-l.left) {
		if err := l.anchor(); err != nil {
			return err
		}
	}
	return l.append(l.draft(events.TurnEnded, "", events.TurnData{Prompt: l.prompt, Interval: int64(l.interval),
		Tree: l.oid()}))
}

// call appends the events of a tool call: a window opens, and closes with its changes.
func (l *logWriter) call(n int) error {
	id := fmt.Sprintf("toolu_%s_%d_%d", l.session, l.prompt, n)
	path := fileName(l.rng.IntN(historyOf))
	window := events.WindowData{
		Tool: "Edit", Class: "edit", Prompt: l.prompt, Model: benchModel, Paths: []string{path}, Interval: int64(l.interval),
		Tree: l.oid(),
	}
	if err := l.append(l.draft(events.WindowOpened, id, window)); err != nil {
		return err
	}
	l.interval++
	var batch []events.Draft
	for range patchesPerCall {
		count := 1 + l.rng.IntN(8)
		batch = append(batch, l.draft(events.PatchRecorded, id, events.PatchData{
			Patch: l.patch(), Interval: int64(l.interval), Path: path, Before: l.oid(), After: l.oid(),
			OldStart: 10, OldCount: 1, NewStart: 10, NewCount: count, Owner: events.OwnerAI, Tool: "Edit", Prompt: l.prompt,
			Model: benchModel, Lines: events.EncodeFingerprints(make([]events.Fingerprint, count)),
		}))
	}
	window.Status, window.Patches, window.Interval = "done", patchesPerCall, int64(l.interval)
	return l.append(append(batch, l.draft(events.WindowClosed, id, window))...)
}

// anchor appends the anchor of the next commit of the hot file.
func (l *logWriter) anchor() error {
	commit := l.edits[l.next].commit
	file := events.AnchorFile{Path: hotFile, Blob: l.oid()}
	data := events.CommitData{Commit: commit}
	for ; l.next < len(l.edits) && l.edits[l.next].commit == commit; l.next++ {
		e := l.edits[l.next]
		owner := events.AnchorOwner{Kind: events.OwnerHuman}
		if l.next%3 > 0 {
			owner = events.AnchorOwner{
				Kind: events.OwnerAI, Patch: l.patch(), Trace: l.trace(), Agent: "claude-code", Session: l.session,
				Model: benchModel, Tool: "Edit", ToolCall: fmt.Sprintf("toolu_%s_%d_0", l.session, l.prompt), Prompt: l.prompt,
			}
			data.AI += e.count
		} else {
			data.Human += e.count
		}
		file.Runs = append(file.Runs, events.AnchorRun{Start: e.start, Count: e.count, Owner: len(data.Owners),
			Tier: "exact_blob"})
		data.Owners = append(data.Owners, owner)
		data.Added += e.count
	}
	data.Files = []events.AnchorFile{file}
	d := l.draft(events.CommitAnchored, "", data)
	d.Trace, d.Agent, d.Session, d.Method = "", "", "", []events.Method{events.PostCommit}
	return l.store([]events.Draft{d})
}

// append appends a batch, unless the log is long enough.
func (l *logWriter) append(drafts ...events.Draft) error {
	if l.left <= 0 {
		return nil
	}
	l.left -= len(drafts)
	return l.store(drafts)
}

func (l *logWriter) store(drafts []events.Draft) error {
	if l.err != nil {
		return l.err
	}
	if _, err := l.log.Append(context.Background(), drafts); err != nil {
		return err
	}
	if l.batches++; l.batches%packEvery == 0 { // pack only loose objects, as the upkeep of a log does
		return l.bench.check(l.bench.git(l.dir, "repack", "-d", "-q"))
	}
	return l.bench.ctx.Err()
}

// draft makes an event. It keeps an error for append.
func (l *logWriter) draft(typ events.Type, call string, content any) events.Draft {
	encoded, err := events.Encode(content)
	if err != nil {
		l.err = errors.Join(l.err, err)
	}
	l.at = l.at.Add(time.Duration(1+l.rng.IntN(20)) * time.Second)
	return events.Draft{
		Time: l.at, Type: typ, Trace: l.trace(), Agent: "claude-code", Session: l.session, ToolCall: call,
		Method: []events.Method{events.HookToolAfter}, Data: encoded,
	}
}

func (l *logWriter) trace() events.TraceID { return traceOf(l.session) }

// traceOf returns the trace id of a session.
func traceOf(session string) events.TraceID { return events.NewTraceID("claude-code", session) }

func (l *logWriter) oid() refs.OID {
	return refs.SHA1.Hash(refs.BlobObject, strconv.AppendUint(nil, l.rng.Uint64(), 36))
}

func (l *logWriter) patch() events.PatchID {
	return events.PatchID(fmt.Sprintf("%016x%016x", l.rng.Uint64(), l.rng.Uint64()))
}
