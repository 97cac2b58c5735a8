package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// fixtureDir has a directory for each agent, with payloads that its client sent, named after their events.
const fixtureDir = "../../testdata/payloads"

// sent is one payload of an agent.
type sent struct {
	agent, event string
	payload      any
}

// sentByAll are the fixtures of all agents, and of Cursor, which has none, one for each of its events and forms.
func sentByAll(t *testing.T) []sent {
	t.Helper()
	var out []sent
	for _, agent := range agents.All(agents.Env{Home: "/home/dev", Getenv: func(string) string { return "" }}) {
		paths, err := filepath.Glob(filepath.Join(fixtureDir, agent.Name, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		before := len(out)
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			event, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".json"), "~")
			if agent.Name != "generic" {
				event, _, _ = strings.Cut(event, "-")
			}
			out = append(out, sent{agent.Name, event, anyJSON(t, raw)})
		}
		if agent.Decoder == nil || len(out) > before {
			continue
		}
		for _, event := range agent.Decoder.Events() {
			for tool, input := range map[string]string{
				"Shell": `{"command":"sed -i s/a/b/ a.txt"}`, "Write": `{"file_path":"/home/dev/project/a.txt","contents":"x"}`,
				"StrReplace": `{"file_path":"/home/dev/project/a.txt","old_string":"x","new_string":"y"}`,
			} {
				raw := fmt.Sprintf(`{"conversation_id":"c1","generation_id":"g1","model":"m","workspace_roots":["/home/dev/project"],"cwd":"/home/dev/project",
"transcript_path":null,"prompt":"p","tool_name":%q,"tool_use_id":"t1","tool_input":%s,"file_path":"/home/dev/project/a.txt","command":"ls"}`, tool, input)
				out = append(out, sent{agent.Name, event, anyJSON(t, []byte(raw))})
			}
		}
	}
	return out
}

func anyJSON(t *testing.T, raw []byte) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// retold puts directories into a payload: the agent works in cwd and names files in dir.
func retold(value any, cwd, dir string) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, member := range value {
			if text, ok := member.(string); ok && (key == "command" || key == "cmd") && !strings.Contains(text, "*** Begin Patch") {
				member = text + "; cd " + dir + "; cat " + dir + "/a.txt " + dir + "/README.md"
			}
			out[key] = retold(member, cwd, dir)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i := range value {
			out[i] = retold(value[i], cwd, dir)
		}
		return out
	case string:
		if value == "/home/dev/project" {
			return cwd
		}
		for _, line := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: "} {
			value = strings.ReplaceAll(value, line, line+dir+"/")
		}
		return strings.ReplaceAll(value, "/home/dev/project/", dir+"/")
	}
	return value
}

// TestHostileRepositoriesAreNotOpened plays every payload of every agent in, beside and above the repositories of
// strangers, and every git hook, and looks by strace(1) for what was started and what was read. In the quick form each
// payload meets some of them.
func TestHostileRepositoriesAreNotOpened(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	testenv.NeedsTrace(t)
	testenv.Needs(t, "mkfifo")
	z := newZoo(newRecorded(t))
	payloads := sentByAll(t)
	far := len(z.all) * testenv.Pick(0, 1, len(payloads)) / testenv.Pick(1, 8, len(z.all))
	var within, beside []trial
	for i, p := range payloads {
		for k := range z.all {
			h := z.all[(i+k)%len(z.all)]
			hook := trial{Dir: h.dir, Args: []string{"hook", p.agent, p.event}, Payload: encoded(t, retold(p.payload, h.dir, h.dir))}
			if !h.inside {
				if k < max(3, far) || testenv.Long() {
					within = append(within, hook)
				}
				hook.Dir, hook.Payload = z.path("parent/.."), encoded(t, retold(p.payload, z.path("parent/.."), h.dir))
			} else {
				hook.Dir, hook.Payload = z.dir, encoded(t, retold(p.payload, z.dir, h.dir))
			}
			if testenv.Long() || k == 0 && i%3 == 0 {
				hook.Dir, hook.Payload = z.dir, encoded(t, retold(p.payload, z.dir, h.dir))
				beside = append(beside, hook)
			}
		}
	}
	for _, h := range z.all {
		for _, name := range []string{"post-commit", "post-checkout", "post-merge", "post-rewrite", "post-applypatch", "later"} {
			one := trial{Dir: h.dir, Args: []string{"git-hook", name, "a", "b", "1"}}
			if !h.inside {
				within = append(within, one)
				one.Env = []string{"GIT_DIR=.git"}
				if h.name != "a .git file that points to the recorded one" && h.name != "a .git that is a link to the recorded one" { // git works there
					within = append(within, one)
				}
			}
		}
	}
	t.Logf("%d payloads, %d places: %d calls in them, %d in the recorded repository", len(payloads), len(z.all), len(within), len(beside))
	z.judge(within, z.trace("in them", within), false)
	z.judge(beside, z.trace("beside them", beside), true)
	if out := z.run("git-trace", "verify"); !strings.HasPrefix(out, "consistent") {
		t.Errorf("verify: %s", out)
	}
	if n := strings.Count(z.run("git-trace", "events", "--type", "window_opened"), "\n"); n < min(len(beside), len(payloads))/20 { // a call that is told again is none more
		t.Errorf("%d calls of %d were recorded: the test shows nothing", n, len(beside))
	}
}

func encoded(t *testing.T, value any) []byte {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// trace runs trials and gives what strace saw.
func (z *zoo) trace(what string, trials []trial) string {
	z.t.Helper()
	dir := testenv.TempDir(z.t)
	var list bytes.Buffer
	for _, one := range trials {
		list.Write(append(encoded(z.t, one), '\n'))
	}
	file, seen := filepath.Join(dir, "trials"), filepath.Join(dir, "seen")
	z.must(os.WriteFile(file, list.Bytes(), 0o644))
	cmd := exec.Command("strace", "-f", "-y", "-qq", "--seccomp-bpf", "-s", "4096", "-o", seen,
		"-e", "trace=execve,execveat,open,openat,openat2,creat,chdir,fchdir", "-e", "signal=none", "git-trace-batch", "-batch", file)
	cmd.Dir = z.base
	cmd.Env = []string{
		"HOME=" + z.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", runner.LimitEnv + "=" + patience, "TZ=UTC", "LC_ALL=C.UTF-8", runner.LooseLimitVar + "=0",
	}
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		z.t.Fatalf("%s: %v: %.2000s", what, err, out)
	}
	raw, err := os.ReadFile(seen)
	z.must(err)
	return string(raw)
}

var (
	markedTrial = regexp.MustCompile(`"` + batchMark + `(\d+)"`)
	opened      = regexp.MustCompile(`open(?:at2?)?(?:\(| resumed>).* = \d+<([^>]*)>$`)
	executed    = regexp.MustCompile(`execve(?:at)?\("([^"]*)"`)
	movedTo     = regexp.MustCompile(`chdir\("([^"]*)"`)
)

// judge holds what was seen against what is allowed: no process where only strangers' repositories are; in the recorded
// one git and git-trace alone, and not in a stranger's. Of those no file is opened but the ones that discovery names.
func (z *zoo) judge(trials []trial, seen string, recorded bool) {
	z.t.Helper()
	at := -1
	faults := map[string]bool{}
	fault := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if at >= 0 && !faults[text] && len(faults) < 40 {
			z.t.Errorf("%q in %s: %s\n%.600s", trials[at].Args, trials[at].Dir, text, trials[at].Payload)
		}
		faults[text] = true
	}
	for line := range strings.Lines(seen) {
		line = strings.TrimSuffix(line, "\n")
		if m := markedTrial.FindStringSubmatch(line); m != nil {
			at, _ = strconv.Atoi(m[1])
			continue
		}
		if at < 0 || strings.Contains(line, " ENOENT ") {
			continue
		}
		if m := executed.FindStringSubmatch(line); m != nil {
			base := filepath.Base(m[1])
			if !recorded || base != "git" && base != "git-trace-batch" {
				fault("started %s", line[strings.Index(line, "exec"):min(len(line), 300)])
			}
		}
		if m := movedTo.FindStringSubmatch(line); m != nil && at >= 0 && m[1] != trials[at].Dir {
			dir := m[1]
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(z.dir, dir)
			}
			if h := z.owner(dir); recorded && h != nil && !h.files {
				fault("a process went to %s", dir)
			}
		}
		if m := opened.FindStringSubmatch(line); m != nil && !strings.Contains(line, "O_DIRECTORY") {
			if h := z.owner(m[1]); h != nil && !h.reads(m[1]) {
				fault("opened %s, of %s", m[1], h.name)
			}
		}
	}
	if at != len(trials)-1 {
		z.t.Errorf("%d of %d trials were seen", at+1, len(trials))
	}
	if _, err := os.Stat(z.pwned); !errors.Is(err, fs.ErrNotExist) {
		z.t.Error("a program of a stranger has run")
	}
}

// owner is the stranger's repository in which a path lies; nil for none.
func (z *zoo) owner(path string) *hostile {
	for i := range z.all {
		if rest, ok := strings.CutPrefix(path, z.all[i].own); ok && (rest == "" || rest[0] == '/') {
			return &z.all[i]
		}
	}
	return nil
}

// reads tells whether a file may be opened: those of discovery, and in a recorded work tree those by which git knows
// which commit a repository is at.
func (h *hostile) reads(path string) bool {
	if info, err := os.Stat(path); h.files || err == nil && info.IsDir() {
		return true
	}
	name := filepath.Base(path)
	if slices.Contains([]string{"HEAD", ".git", "commondir"}, name) {
		return true
	}
	git := filepath.Join(h.own, ".git") + "/"
	return h.inside && (path == git+"config" || path == git+"packed-refs" || strings.HasPrefix(path, git+"refs/heads/"))
}
