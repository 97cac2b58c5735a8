package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// recordedTwin is a traced repository in which two conversations have written, committed and gone on.
func recordedTwin(t *testing.T) *twin {
	t.Helper()
	w := newTwin(t, true)
	w.agent("S1", "did", "bash", "true")
	w.agent("S1", "stop")
	w.agent("S2", "start")
	w.agent("S2", "prompt", "second conversation")
	w.agent("S2", "edit", "a", `agent\n`, `agent\nand another\n`)
	w.must("git", "commit", "-qam", "by agents")
	w.agent("S2", "edit", "a", `another\n`, `another\npending\n`)
	return w
}

// ran is what a call of the program as a process printed and cost.
type ran struct {
	out  string // both streams
	code int
	cpu  time.Duration
}

func (w *twin) call(stdin []byte, args ...string) ran {
	w.t.Helper()
	return w.measure(exec.Command(filepath.Join(w.base, "bin", "git-trace"), args...), stdin)
}

// bounded is call with so much memory that the process may make its own, and no more (setrlimit(2), RLIMIT_DATA).
func (w *twin) bounded(memory int, args ...string) ran {
	w.t.Helper()
	script := fmt.Sprintf(`ulimit -d %d && exec "$0" "$@"`, memory>>10)
	return w.measure(exec.Command("sh", append([]string{"-c", script, filepath.Join(w.base, "bin", "git-trace")}, args...)...), nil)
}

func (w *twin) measure(cmd *exec.Cmd, stdin []byte) ran {
	w.t.Helper()
	cmd.Dir, cmd.Env, cmd.Stdin = w.dir, w.env, bytes.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("%q: %v", cmd.Args, err)
	}
	state := cmd.ProcessState
	return ran{out: string(out), code: state.ExitCode(), cpu: state.UserTime() + state.SystemTime()}
}

// hook calls the hook of an agent with a payload, as its client does.
func (w *twin) hook(agent, event string, payload any) ran {
	w.t.Helper()
	raw, isRaw := payload.([]byte)
	if !isRaw {
		var err error
		if raw, err = json.Marshal(payload); err != nil {
			w.t.Fatal(err)
		}
	}
	return w.call(raw, "hook", agent, event)
}

// readings are the commands that show something, by name, each in all its calls, and of these conversations too.
func readings(ids ...string) map[string][][]string {
	all := map[string][][]string{"completion": {{"__complete", "show", ""}}} // which shells show
	for _, c := range allCommands() {
		for _, form := range c.Shows {
			all[c.Name] = append(all[c.Name], append([]string{c.Name}, strings.Fields(form)...))
		}
	}
	for _, id := range ids {
		all["show"] = append(all["show"], []string{"show", id}, []string{"show", "--json", id})
	}
	return all
}

// place tells everything that is there, but what git-trace itself may write at any time: its store, its refs and its
// caches. Values are hashes, or link targets.
func place(t *testing.T, root string) map[string]string {
	t.Helper()
	seen := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		for _, own := range []string{"work/.git/traces", "work/.git/objects", "work/.git/refs/traces", "work/.git/logs/refs/traces"} {
			if rel == own {
				return fs.SkipDir
			}
		}
		if rel == "work/.git/trace-end" {
			return nil
		}
		if strings.HasSuffix(rel, "/traces") && strings.Contains(rel, ".git/worktrees/") {
			return fs.SkipDir
		}
		switch {
		case d.Type().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			seen[rel] = fmt.Sprintf("%x", sha256.Sum256(content))
		case d.Type()&fs.ModeSymlink != 0:
			seen[rel], _ = os.Readlink(path)
		default:
			seen[rel] = d.Type().String()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func samePlace(t *testing.T, what string, before, after map[string]string) {
	t.Helper()
	for path, was := range before {
		if is, there := after[path]; !there || is != was {
			t.Errorf("%s: %s was %s and is %s", what, path, was, is)
		}
	}
	for path := range after { // a note that a hook could not record lies in the user's own directories
		if _, there := before[path]; !there && !strings.Contains(path, "git-trace/missed") {
			t.Errorf("%s: %s is new", what, path)
		}
	}
}
