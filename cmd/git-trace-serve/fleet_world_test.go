package main

import (
	"bufio"
	"crypto/sha1" //nolint:gosec // git's
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// fleetRepo is a generated repository: a history of months, a log that knows who wrote most of it, and conversations
// with tokens and cost.
type fleetRepo struct {
	t      *testing.T
	dir    string
	random *rand.Rand
	at     time.Time
	files  map[string][]string
	next   int
	drafts []events.Draft
	log    *events.Log
	tells  []string // a conversation each

	in    io.WriteCloser // git fast-import
	out   *bufio.Reader
	marks int
}

var fleetFiles = []string{"main.go", "README.md", "cmd/a.go", "cmd/b.py", "pkg/x/deep.go", "pkg/y.ts", "docs/a.md"}

var fleetAgents = []struct{ agent, model string }{
	{"claude-code", "claude-opus-4-5"}, {"claude-code", "claude-sonnet-4-5"}, {"codex-cli", "gpt-5"}, {"gemini-cli", "gemini-3"},
}

// makeFleetRepo makes one with so many commits and patches.
func makeFleetRepo(t *testing.T, dir string, seed uint64, commits, patches int) {
	t.Helper()
	r := &fleetRepo{t: t, dir: dir, random: rand.New(rand.NewPCG(seed, 22)), files: map[string][]string{},
		at: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	r.git("init", "-q", "-b", "main", dir)
	repo, err := refs.Discover(dir)
	r.check(err)
	r.check(os.MkdirAll(repo.TracesDir(), 0o755))
	r.log = events.OpenLog(repo)
	cmd := exec.Command("git", "fast-import", "--quiet", "--date-format=raw")
	cmd.Dir = dir
	r.in, err = cmd.StdinPipe()
	r.check(err)
	out, err := cmd.StdoutPipe()
	r.check(err)
	r.out = bufio.NewReader(out)
	r.check(cmd.Start())
	for n := range commits {
		r.commit(n)
		r.patches(patches / commits)
	}
	r.check(r.in.Close())
	r.check(cmd.Wait())
	r.flush()
	r.git("-C", dir, "reset", "-q", "--hard")
	r.check(os.WriteFile(filepath.Join(dir, ".git", "said.jsonl"), []byte(strings.Join(r.tells, "\n")+"\n"), 0o644))
}

func (r *fleetRepo) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *fleetRepo) git(args ...string) {
	r.t.Helper()
	if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (r *fleetRepo) say(format string, args ...any) {
	_, err := fmt.Fprintf(r.in, format, args...)
	r.check(err)
}

// commit adds lines to a file and takes some away; each ninth one reverts the one before.
func (r *fleetRepo) commit(n int) {
	r.at = r.at.Add(time.Duration(1+r.random.IntN(60)) * time.Hour)
	path := fleetFiles[r.random.IntN(len(fleetFiles))]
	before := slices.Clone(r.files[path])
	lines := slices.Clone(before)
	added, at := 1+r.random.IntN(12), r.random.IntN(len(lines)+1)
	if cut := r.random.IntN(6); at+cut <= len(lines) {
		lines = slices.Delete(lines, at, at+cut)
	}
	for i := range added {
		r.next++
		lines = slices.Insert(lines, at+i, fmt.Sprintf("line %d of %d", r.next, r.random.Uint32()))
	}
	r.files[path] = lines
	id := r.write(fmt.Sprintf("commit %d", n), path, lines)
	r.anchor(id, path, lines, at+1, added, n)
	if n%9 == 8 {
		r.at = r.at.Add(time.Hour)
		r.files[path] = before
		revert := r.write("Revert\n\nThis reverts commit "+id.String()+".", path, before)
		r.anchor(revert, path, before, 0, 0, n)
	}
}

func (r *fleetRepo) write(message, path string, lines []string) refs.OID {
	r.marks++
	text := joinLines(lines)
	r.say("commit refs/heads/main\nmark :%d\nauthor P%d <p%d@example.com> %d +0000\ncommitter C <c@example.com> %d +0000\n"+
		"data %d\n%s\n", r.marks, r.marks%3, r.marks%3, r.at.Unix(), r.at.Unix(), len(message), message)
	r.say("M 100644 inline %s\ndata %d\n%s\nget-mark :%d\n", path, len(text), text, r.marks)
	line, err := r.out.ReadString('\n')
	r.check(err)
	id, err := refs.ParseOID(strings.TrimSpace(line))
	r.check(err)
	return id
}

func joinLines(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// anchor says who wrote the lines: an agent the first ones, a person some more, nobody the rest. Of some commits no hook
// was heard of.
func (r *fleetRepo) anchor(id refs.OID, path string, lines []string, start, added, n int) {
	if n%7 == 3 {
		return
	}
	text := joinLines(lines)
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text)) //nolint:gosec // git's
	blob, err := refs.ParseOID(hex.EncodeToString(sum[:]))
	r.check(err)
	who := fleetAgents[r.random.IntN(len(fleetAgents))]
	session := fmt.Sprintf("s%d", n/4)
	file := events.AnchorFile{Path: path, Blob: blob}
	ai := min(added, 1+r.random.IntN(8))
	human := min(added-ai, r.random.IntN(4))
	data := events.CommitData{Commit: id, Added: added, AI: ai, Human: human, Unknown: added - ai - human}
	if added > 0 {
		data.Owners = []events.AnchorOwner{{Kind: events.OwnerAI, Patch: r.patch(), Trace: events.NewTraceID(who.agent, session),
			Agent: who.agent, Session: session, Model: who.model, Tool: "Edit", ToolCall: "c", Prompt: 1}, {Kind: events.OwnerHuman}}
		file.Runs = append(file.Runs, events.AnchorRun{Start: start, Count: ai, Tier: "exact_blob"})
		if human > 0 {
			file.Runs = append(file.Runs, events.AnchorRun{Start: start + ai, Count: human, Owner: 1, Tier: "exact_blob"})
		}
		data.Files = []events.AnchorFile{file}
		r.tell(who.agent, who.model, session)
	}
	r.draft(events.Draft{Type: events.CommitAnchored, Method: []events.Method{events.PostCommit}}, data)
}

// tell makes the record of a conversation, once.
func (r *fleetRepo) tell(agent, model, session string) {
	step := func(n int, role, text string, tokens int) map[string]any {
		s := map[string]any{"step_index": n, "role": role, "content": text, "tool_calls": []any{}, "observations": []any{},
			"snippets": []any{}, "timestamp": r.at.Add(time.Duration(n) * time.Minute).Format(time.RFC3339)}
		s["token_usage"] = map[string]any{"input_tokens": tokens * 10, "output_tokens": tokens, "cache_read_tokens": tokens * 100}
		if role == "agent" {
			s["model"] = model
		}
		return s
	}
	line, err := json.Marshal(map[string]any{
		"schema_version": "0.3.0", "trace_id": string(events.NewTraceID(agent, session)), "session_id": session,
		"agent": map[string]any{"name": agent, "model": model}, "metadata": map[string]any{"client_cost_usd": 0.25,
			"prompts": map[string]int{"1": 1}},
		"timestamp_start": r.at.Format(time.RFC3339), "timestamp_end": r.at.Add(time.Hour).Format(time.RFC3339),
		"steps": []any{step(1, "user", "do what "+session+" says", 0), step(2, "agent", "done", 7+r.random.IntN(90))},
	})
	r.check(err)
	name := string(events.NewTraceID(agent, session))
	if !slices.ContainsFunc(r.tells, func(said string) bool { return strings.Contains(said, name) }) {
		r.tells = append(r.tells, string(line))
	}
}

func (r *fleetRepo) patch() events.PatchID {
	return events.PatchID(fmt.Sprintf("%016x%016x", r.random.Uint64(), r.random.Uint64()))
}

// patches are hunks that hooks saw come.
func (r *fleetRepo) patches(n int) {
	for i := range n {
		who := fleetAgents[r.random.IntN(len(fleetAgents))]
		session, count := fmt.Sprintf("s%d", i%5), 1+r.random.IntN(8)
		r.draft(events.Draft{Type: events.PatchRecorded, Method: []events.Method{events.HookToolAfter}, Agent: who.agent,
			Session: session, Trace: events.NewTraceID(who.agent, session), ToolCall: fmt.Sprintf("c%d", i)},
			events.PatchData{Patch: r.patch(), Interval: int64(r.next + i + 1), Path: fleetFiles[i%len(fleetFiles)], OldStart: 1,
				NewStart: 1, NewCount: count, Owner: events.OwnerAI, Tool: "Edit", Prompt: 1, Model: who.model,
				Lines: events.EncodeFingerprints(make([]events.Fingerprint, count))})
	}
}

func (r *fleetRepo) draft(d events.Draft, data any) {
	raw, err := events.Encode(data)
	r.check(err)
	d.Time, d.Data = r.at, raw
	if r.drafts = append(r.drafts, d); len(r.drafts) >= 500 {
		r.flush()
	}
}

func (r *fleetRepo) flush() {
	if len(r.drafts) > 0 {
		_, err := r.log.Append(r.t.Context(), r.drafts)
		r.check(err)
		r.drafts = nil
	}
}
