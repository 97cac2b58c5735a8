package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/testing/harm"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// The bounds of row G1 for one command, and of a hook for one payload.
const (
	commandTime   = 2 * time.Second // of processor time: the machine may be busy otherwise
	commandMemory = 256 << 20
)

// crashed finds what the runtime prints when it gives up.
func crashed(out string) bool {
	return strings.Contains(out, "panic:") || strings.Contains(out, "goroutine ") || strings.Contains(out, "fatal error: ")
}

// hostileLogs changes a log in ways that a remote could publish it in, each a list of files of events, oldest first.
func hostileLogs(good []string, n int) map[string][]string {
	logs := map[string][]string{
		"no event at all":     {"{}\n"},
		"an escape sequence":  {strings.ReplaceAll(good[0], "git-trace", "\x1b]0;owned\x07")},
		"depth without end":   {good[0] + strings.Repeat("[", 1<<20) + "\n"},
		"a line of megabytes": {good[0] + strings.Repeat("x", 8<<20) + "\n"},
		"many lines":          {good[0] + strings.Repeat("{}\n", 1_000_000)},
		"cut in the middle":   {good[0][:len(good[0])/2]},
		"only the first file": {good[0]},
	}
	for i := range n {
		bad := slices.Clone(good)
		k := rand.N(len(bad))
		switch i % 4 {
		case 0:
			at := rand.N(len(bad[k]))
			bad[k] = bad[k][:at] + string(bad[k][at]^byte(1+rand.N(127))) + bad[k][at+1:]
		case 1:
			bad[k] = strings.ReplaceAll(bad[k], `"path":"a"`, `"path":"../../a"`)
		case 2:
			bad[k] = bad[rand.N(len(bad))]
		case 3:
			bad[k] = strings.ReplaceAll(bad[k], `"start":1`, `"start":999999999`)
		}
		logs[fmt.Sprintf("mutation %d", i)] = bad
	}
	return logs
}

// A remote publishes logs of all kinds, under the name of a stranger and of this very clone; they are fetched by git
// itself. Whatever they hold, every command answers in bounds, and nothing local changes.
func TestReliabilityG1CommandsBesideHostileLogs(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	w := recordedTwin(t)
	w.must("git", "commit", "-qam", "all")
	w.call(nil, "gc")
	good := strings.SplitAfter(strings.Join(testenv.SealedFiles(t, w.dir, "refs/traces/events"), ""), "\n")
	good = good[:len(good)-1] // a file for each event
	writer, err := os.ReadFile(filepath.Join(w.dir, ".git/traces/writer"))
	if err != nil {
		t.Fatal(err)
	}
	w.must("git", "init", "-q", "--bare", "../hostile.git")
	hostile := &twin{t: t, base: w.base, dir: filepath.Join(w.base, "hostile.git"), env: w.env}
	local := w.must("git", "rev-parse", "refs/traces/events")
	w.call(nil, "log") // makes the caches
	for name, log := range hostileLogs(good, testenv.Pick(0, 2, 400)) {
		owners := []string{"00000000000000ff", strings.TrimSpace(string(writer))}
		if !testenv.Long() {
			owners = owners[rand.N(2):][:1]
		}
		for _, owner := range owners {
			hostile.must("git", "update-ref", "refs/traces/writers/"+owner+"/events", testenv.StoreSeal(t, hostile.dir, owner, "", log...))
			if out, code := w.run("git", "fetch", "-q", "../hostile.git", "+refs/traces/writers/*:refs/traces/remotes/evil/*"); code != 0 {
				t.Logf("%s: git does not fetch it: %.200s", name, out)
				continue
			}
			before := place(t, w.base)
			for _, forms := range readings() {
				for _, args := range forms {
					if !testenv.Long() && rand.N(3) > 0 {
						continue // another log has it
					}
					c := w.bounded(commandMemory, args...)
					if c.code != 0 && c.code != exit.Finding && c.code != exit.Unchecked || crashed(c.out) {
						t.Errorf("%s of %s, %v: exit status %d\n%.2000s", name, owner, args, c.code, c.out)
					}
					if strings.Contains(c.out, "\x1b") || strings.Contains(c.out, "\x07") {
						t.Errorf("%s of %s, %v prints an escape sequence", name, owner, args)
					}
					if c.cpu > commandTime {
						t.Errorf("%s of %s, %v took %v", name, owner, args, c.cpu)
					}
				}
			}
			samePlace(t, name, before, place(t, w.base))
			if now := w.must("git", "rev-parse", "refs/traces/events"); now != local {
				t.Fatalf("%s of %s: the local log moved", name, owner)
			}
			w.must("git", "update-ref", "-d", "refs/traces/remotes/evil/"+owner+"/events")
			hostile.must("git", "update-ref", "-d", "refs/traces/writers/"+owner+"/events")
		}
	}
}

// hostilePayloads are inputs of a hook that no client sends.
func hostilePayloads(dir string) map[string][]byte {
	base := fmt.Sprintf(`"session_id":"S1","cwd":%q,"hook_event_name":"PostToolUse","tool_name":"Write","tool_use_id":"t"`, dir)
	return map[string][]byte{
		"nothing": {}, "no JSON": []byte("rubbish"), "null": []byte("null"), "a list": []byte("[1,2]"), "a number": []byte("1e999"), "bytes": []byte("\xff\xfe\x00\x01"),
		"levels without end":      []byte(strings.Repeat(`{"a":`, 1<<20)),
		"lists without end":       []byte(`{` + base + `,"tool_input":` + strings.Repeat(`[`, 1<<20)),
		"a megabyte of a name":    []byte(`{` + base + `,"tool_input":{"file_path":"` + strings.Repeat("x", 1<<20) + `"}}`),
		"64 megabytes":            []byte(`{` + base + `,"tool_input":{"content":"` + strings.Repeat("x", 64<<20) + `"}}`),
		"more than is read":       bytes.Repeat([]byte(" "), 65<<20),
		"a million members":       []byte(`{` + base + strings.Repeat(`,"a":1`, 1<<20) + `}`),
		"types that do not fit":   []byte(`{"session_id":1,"cwd":[],"hook_event_name":{},"tool_name":null,"tool_input":"x","prompt":7}`),
		"a session that is none":  []byte(fmt.Sprintf(`{"session_id":"../../x","cwd":%q,"prompt":"p","hook_event_name":"UserPromptSubmit"}`, dir)),
		"NUL in a session":        []byte(fmt.Sprintf(`{"session_id":"a\u0000b","cwd":%q,"prompt":"p"}`, dir)),
		"a directory that is not": []byte(`{"session_id":"S1","cwd":"/nonexistent/\u0000","prompt":"p"}`),
	}
}

func TestReliabilityH1HostilePayloadsAreSurvived(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	w := recordedTwin(t)
	before := place(t, w.base)
	events := []string{"PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart", "nonsense"}
	names := []string{"claude-code", "generic", "nobody"}
	if testenv.Long() {
		names = append(names, "../x")
		for _, agent := range agents.All(capability.Env{Home: w.base, Getenv: func(string) string { return "" }}) {
			names = append(names, agent.Name)
		}
	}
	n := 0
	for name, payload := range hostilePayloads(w.dir) {
		for i, agent := range names {
			event := events[(n+i)%len(events)]
			start := time.Now()
			c := w.hook(agent, event, payload)
			if c.code != 0 || c.out != "" || time.Since(start) > testenv.Within(2*runner.HardLimit) {
				t.Errorf("%s to %s %s: exit status %d after %v, printing %.300q", name, agent, event, c.code, time.Since(start), c.out)
			}
		}
		n++
	}
	samePlace(t, "payloads", before, place(t, w.base))
	if c := w.call(nil, "verify"); c.code != 0 {
		t.Errorf("verify: %d %s", c.code, c.out)
	}
}

// watched is hook under strace(1), which tells what was started beside git and git-trace.
func (w *twin) watched(agent, event string, payload any) (c ran, others []string) {
	w.t.Helper()
	raw, err := json.Marshal(payload)
	if err != nil {
		w.t.Fatal(err)
	}
	seen := filepath.Join(testenv.TempDir(w.t), "seen")
	c = w.measure(exec.Command("strace", "-f", "-qq", "-e", "trace=execve", "-e", "signal=none", "-o", seen,
		filepath.Join(w.base, "bin", "git-trace"), "hook", agent, event), raw)
	text, err := os.ReadFile(seen)
	if err != nil {
		w.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		_, rest, ran := strings.Cut(line, `execve("`)
		program, _, _ := strings.Cut(rest, `"`)
		if base := filepath.Base(program); ran && base != "git" && base != "git-trace" {
			others = append(others, program)
		}
	}
	return c, others
}

// Paths of all kinds come in payloads of edits, as directories, sessions and transcripts, and as arguments: nothing is
// written outside of git-trace's own directories, whatever they point to, and no program runs but git and git-trace.
func TestReliabilityJ1PathsFromOutsideWriteNothing(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	testenv.NeedsTrace(t)
	w := recordedTwin(t)
	w.put("../outside", "outside\n")
	w.must("git", "init", "-q", "../theirs")
	w.must("git", "-C", "../theirs", "config", "core.fsmonitor", "touch ../PWNED; false")
	w.put("../theirs/.git/traces/recording", "git-trace records here\n")
	for name, target := range map[string]string{"link": "../outside", "dirlink": "..", "up": "../../.."} {
		w.must("ln", "-s", target, name)
	}
	w.must("git", "add", "-A")
	w.must("git", "commit", "-qm", "links")
	before := place(t, w.base)
	paths := harm.Paths(w.base)
	step := testenv.Pick(0, 17, 1)
	for i := 0; i < len(paths); i += step {
		p := paths[i]
		for _, event := range []string{"PreToolUse", "PostToolUse"} {
			payload := map[string]any{
				"session_id": "S1", "cwd": w.dir, "hook_event_name": event, "tool_name": "Write", "tool_use_id": fmt.Sprint("t", i),
				"tool_input": map[string]any{"file_path": p, "content": "x\n"}, "tool_response": map[string]any{"filePath": p, "type": "create", "content": "x\n"},
			}
			if c, others := w.watched("claude-code", event, payload); c.code != 0 || c.out != "" || len(others) > 0 {
				t.Errorf("edit of %q: %d %q, and started %q", p, c.code, c.out, others)
			}
		}
		for _, payload := range []map[string]any{
			{"session_id": p, "cwd": w.dir, "hook_event_name": "UserPromptSubmit", "prompt": "p"},
			{"session_id": "S1", "cwd": p, "hook_event_name": "UserPromptSubmit", "prompt": "p"},
			{"session_id": "S1", "cwd": w.dir, "transcript_path": p, "hook_event_name": "UserPromptSubmit", "prompt": "p"},
		} {
			if c, others := w.watched("claude-code", "UserPromptSubmit", payload); c.code != 0 || c.out != "" || len(others) > 0 {
				t.Errorf("prompt with %q: %d %q, and started %q", p, c.code, c.out, others)
			}
		}
		for _, args := range [][]string{{"blame", "--", p}, {"show", p}, {"track", p + ":1"}} {
			if strings.ContainsRune(p, 0) {
				continue // no argument can hold it
			}
			if c := w.call(nil, args...); crashed(c.out) {
				t.Errorf("%q: %.2000s", args, c.out)
			}
		}
	}
	samePlace(t, "paths", before, place(t, w.base))
	if c := w.call(nil, "verify"); c.code != 0 {
		t.Errorf("verify: %d %s", c.code, c.out)
	}
	// Nor was anything read from there: no content of a file outside, or of .git, is in the store.
	for name, text := range map[string]string{"outside": "outside\n", "home/.gitconfig": ""} {
		if text == "" {
			raw, err := os.ReadFile(filepath.Join(w.base, name))
			if err != nil {
				t.Fatal(err)
			}
			text = string(raw)
		}
		w.put("probe", text)
		oid := strings.TrimSpace(w.must("git", "hash-object", "probe"))
		if _, err := os.Stat(filepath.Join(w.dir, ".git/traces/objects", oid[:2], oid[2:])); err == nil {
			t.Errorf("the content of %s was taken into the store", name)
		}
	}
}
