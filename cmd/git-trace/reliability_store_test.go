package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// eventsOf reads the log as the program prints it.
func (w *twin) eventsOf(types ...string) []map[string]any {
	w.t.Helper()
	args := []string{"events", "--json"}
	for _, typ := range types {
		args = append(args, "--type", typ)
	}
	c := w.call(nil, args...)
	if c.code != 0 {
		w.t.Fatalf("events: %s", c.out)
	}
	var list []map[string]any
	for line := range strings.Lines(c.out) {
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			w.t.Fatal(err)
		}
		list = append(list, event)
	}
	return list
}

// Eight clients work in one repository at once, each call of theirs through the real hooks: every call is in the log,
// its beginning and its end once each, and every patch has its owner.
func TestReliabilityA1AgentsRecordAtOnce(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	w := newTwin(t, true)
	const clients = 8
	calls := testenv.Pick(0, 3, 25)
	var wait sync.WaitGroup
	for c := range clients {
		wait.Go(func() {
			for i := range calls {
				id := fmt.Sprintf("call_%d_%d", c, i)
				file := filepath.Join(w.dir, fmt.Sprintf("client%d-%d", c, i))
				for _, event := range []string{"PreToolUse", "PostToolUse"} {
					if event == "PostToolUse" {
						if err := os.WriteFile(file, []byte(id+"\n"), 0o644); err != nil {
							t.Error(err)
						}
					}
					got := w.hook("claude-code", event, map[string]any{
						"session_id": fmt.Sprint("C", c), "cwd": w.dir, "hook_event_name": event, "tool_name": "Write", "tool_use_id": id,
						"tool_input": map[string]any{"file_path": file, "content": id + "\n"}, "tool_response": map[string]any{"type": "create", "filePath": file, "content": id + "\n"},
					})
					if got.code != 0 || got.out != "" {
						t.Errorf("%s %s: %d %q", id, event, got.code, got.out)
					}
				}
			}
		})
	}
	wait.Wait()
	w.agent("last", "start") // takes in what was put aside when its turn did not come in time
	seen := map[string]int{}
	for _, e := range w.eventsOf("window_opened", "window_closed", "patch_recorded") {
		if id, _ := e["tool_call"].(string); strings.HasPrefix(id, "call_") {
			seen[fmt.Sprint(e["type"], " ", id)]++
		}
	}
	for c := range clients {
		for i := range calls {
			for _, typ := range []string{"window_opened", "window_closed", "patch_recorded"} {
				if n := seen[fmt.Sprintf("%s call_%d_%d", typ, c, i)]; n != 1 {
					t.Errorf("call %d of client %d has %d events %s", i, c, n, typ)
				}
			}
		}
	}
	if c := w.call(nil, "verify"); c.code != 0 {
		t.Errorf("verify: %d %s", c.code, c.out)
	}
	w.must("git", "fsck", "--full", "--strict")
}

// sideObjects are the trees and blobs that events speak of and that lie in the side store.
func (w *twin) sideObjects() string {
	w.t.Helper()
	var names strings.Builder
	for _, e := range w.eventsOf("snapshot_taken", "window_opened", "window_closed", "patch_recorded", "turn_ended") {
		data, _ := e["data"].(map[string]any)
		for _, member := range []string{"tree", "before", "after"} {
			if oid, _ := data[member].(string); oid != "" {
				fmt.Fprintln(&names, oid)
			}
		}
	}
	return names.String()
}

// All reflogs are expired and everything unreachable is pruned: what the log names is still there, in git's store or in
// the side store, and everything reads as before.
func TestReliabilityD1CollectingGarbageTakesNothingThatIsNeeded(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	w := recordedTwin(t)
	for i := range testenv.Pick(0, 8, 300) {
		w.agent("S1", "bash", fmt.Sprintf("echo %d >>a; echo %d >f%d", i, i, i%20))
		if i%4 == 3 {
			w.must("git", "add", "-A")
			w.must("git", "commit", "-qm", fmt.Sprint("work ", i))
		}
	}
	answers := func() string {
		var all strings.Builder
		for _, args := range [][]string{{"events", "--json"}, {"blame", "--line-porcelain", "a"}, {"log", "--json"}} {
			fmt.Fprintln(&all, w.call(nil, args...).out)
		}
		return all.String()
	}
	want := answers()
	names := w.sideObjects()
	if strings.Count(names, "\n") < 20 {
		t.Fatalf("the events name %d objects", strings.Count(names, "\n"))
	}
	for _, command := range [][]string{
		{"reflog", "expire", "--expire=now", "--all"}, {"gc", "-q", "--prune=now"}, {"prune", "--expire=now"}, {"repack", "-adq"}, {"maintenance", "run", "--quiet"},
	} {
		w.must(append([]string{"git"}, command...)...)
		if got := answers(); got != want {
			t.Fatalf("after git %v the answers are others", command)
		}
	}
	check := exec.Command("git", "cat-file", "--batch-check")
	check.Dir, check.Stdin = w.dir, strings.NewReader(names)
	check.Env = w.with("GIT_ALTERNATE_OBJECT_DIRECTORIES=" + filepath.Join(w.dir, ".git/traces/objects"))
	out, err := check.CombinedOutput()
	if err != nil || strings.Contains(string(out), "missing") {
		t.Errorf("objects that events name: %v\n%s", err, out)
	}
	if out := w.must("git", "fsck", "--full", "--strict", "--connectivity-only"); strings.Contains(out, "missing") || strings.Contains(out, "error") {
		t.Errorf("fsck: %s", out)
	}
	if c := w.call(nil, "verify"); c.code != 0 {
		t.Errorf("verify: %d %s", c.code, c.out)
	}
}

// holds tells whether any object of a repository has a text in it.
func (w *twin) holds(repo, text string) bool {
	w.t.Helper()
	out := w.must("sh", "-c", `git -C "$0" cat-file --batch-all-objects --batch | grep -ac "$1" || :`, repo, text)
	return strings.TrimSpace(out) != "0"
}

// Fifty secret files, tracked, untracked and ignored, while an agent works; then everything that carries git's data to
// another place. Ignored files were never read; what was not committed is in no copy; and but for copies of all refs,
// no ref of ours is in one either.
func TestReliabilityL1WhatLeavesTheMachine(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	w := newTwin(t, true)
	w.put(".gitignore", ".env*\n*.pem\nignored/\n")
	for i := range 50 {
		name := []string{"tracked%d.key", "untracked%d.key", ".env%d", "cert%d.pem", "ignored/%d"}[i%5]
		secret := []string{"KNOWNSECRET", "UNTRACKEDSECRET", "IGNOREDSECRET", "IGNOREDSECRET", "IGNOREDSECRET"}[i%5]
		w.put(fmt.Sprintf(name, i), fmt.Sprintf("%s-%d\n", secret, i))
	}
	w.agent("S1", "prompt", "PROMPTSECRET")
	w.agent("S1", "bash", "echo COMMANDSECRET >/dev/null; echo UNTRACKEDSECRET-by-agent >by-agent.key")
	w.must("git", "add", ".gitignore", "a", "agent.txt")
	w.must("sh", "-c", "git add tracked*.key && git commit -qm tracked && git tag -am v1 v1")
	w.agent("S1", "stop")
	if !w.holds(".", "KNOWNSECRET-") {
		t.Fatal("this test no longer finds what is there")
	}
	side := exec.Command("sh", "-c", `git cat-file --batch-all-objects --batch | grep -ac "$0" || :`, "IGNOREDSECRET")
	side.Dir = w.dir
	side.Env = w.with("GIT_OBJECT_DIRECTORY=" + filepath.Join(w.dir, ".git/traces/objects"))
	if out, err := side.Output(); err != nil || strings.TrimSpace(string(out)) != "0" {
		t.Errorf("an ignored file was read into the store: %s %v", out, err)
	}
	if err := os.Mkdir(filepath.Join(w.base, "to"), 0o755); err != nil { // git bundle makes no directory
		t.Fatal(err)
	}
	to := func(script string) string { return `git init -q --bare "$1" && ` + script }
	for name, c := range map[string]struct {
		script  string
		allRefs bool // the command copies every ref there is
	}{
		"push": {to(`git push -q "$1" main`), false}, "push --all": {to(`git push -q --all "$1"`), false}, "push --tags": {to(`git push -q --tags "$1"`), false},
		"push --follow-tags": {to(`git push -q --follow-tags "$1" main`), false}, "push --mirror": {to(`git push -q --mirror "$1"`), true}, "push refs/*": {to(`git push -q "$1" "refs/*:refs/*"`), true},
		"clone": {`git clone -q . "$1"`, false}, "clone --no-local": {`git clone -q --no-local . "$1"`, false}, "clone --mirror": {`git clone -q --mirror . "$1"`, true},
		"fetch":              {to(`git -C "$1" fetch -q "$PWD" "+refs/heads/*:refs/heads/*"`), false},
		"bundle of a branch": {`git bundle create -q "$1.bundle" main && git clone -q --mirror "$1.bundle" "$1"`, false},
		"bundle --all":       {`git bundle create -q "$1.bundle" --all && git clone -q --mirror "$1.bundle" "$1"`, true},
	} {
		dir := filepath.Join(w.base, "to", strings.NewReplacer(" ", "_", "/", "_", "*", "_").Replace(name))
		w.must("sh", "-c", c.script, "sh", dir)
		for _, secret := range []string{"UNTRACKEDSECRET", "IGNOREDSECRET", "PROMPTSECRET", "COMMANDSECRET"} {
			if w.holds(dir, secret) {
				t.Errorf("%s carries %s", name, secret)
			}
		}
		if ours := strings.Contains(w.must("git", "-C", dir, "for-each-ref"), "refs/traces/"); ours != c.allRefs {
			t.Errorf("%s carries refs of ours: %v", name, ours)
		}
	}
}
