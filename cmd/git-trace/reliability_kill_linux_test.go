package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/route"
)

// TestReliabilityAHookKilledAnywhere kills each hook process of some short stories at each of its system calls that
// write, by strace, goes on with the story, and asks after every step whose the lines are. Whoever wrote a line is the
// first word in it. A line may be nobody's; it may never be somebody else's. A process that has not yet left a note of
// itself when it is killed might as well not have been started, and is left out.
func TestReliabilityAHookKilledAnywhere(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	testenv.NeedsTrace(t)
	calls := killCalls
	if !testenv.Long() {
		calls = calls[:1]
	}
	for name := range killStories() {
		for _, call := range calls {
			t.Run(name+" "+strings.Trim(strings.Split(call, ",")[0], "?"), func(t *testing.T) {
				t.Parallel()
				k := &killRun{t: t, world: newWorld(killDir(t), profile{process: true}), call: call}
				points := k.play(killStories()[name])
				t.Logf("killed at %d points", points)
			})
		}
	}
}

// killCalls are the system calls at whose beginning a process is killed. What lies between two of them changes nothing
// that a later process could see, but for a file that is there and empty.
var killCalls = []string{"write", "?renameat,?renameat2,?rename", "?unlinkat,?unlink", "?mkdirat,?mkdir", "?linkat,?link"}

func killDir(t *testing.T) string {
	root, err := filepath.EvalSymlinks(testenv.TempDir(t))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// killStep is a step of a story; dies tells that it is a process of git-trace.
type killStep struct {
	name string
	dies bool
	do   func(k *killRun)
}

// killRun is a story in which one process is killed.
type killRun struct {
	t     *testing.T
	world *world
	call  string
	when  int  // at which of these calls the next process dies; 0 when it lives
	hit   bool // whether it did
	heard bool // whether it had come so far as to leave a note: else it might as well not have been started
}

// begin makes the repository in which every story begins.
func (k *killRun) begin() {
	w := k.world
	dir := filepath.Join(w.root, "main")
	w.must(os.MkdirAll(dir, 0o755))
	w.trees = []string{dir}
	w.run(dir, "git", "init", "-q")
	k.types("a.txt", "before")
	k.types("b.txt", "before")
	w.run(dir, "git", "add", "-A")
	w.run(dir, "git", "commit", "-q", "-m", "before")
	w.run(dir, "git-trace", "init")
}

// play plays a story as often as it takes to kill each of its processes at every point, and tells how many points that
// were.
func (k *killRun) play(story []killStep) (points int) {
	where := ""
	defer failsAs(k.t, &where)
	k.begin()
	saved := filepath.Join(k.world.root, "saved")
	for at, step := range story {
		k.copy(k.dir(), saved)
		// The second write is that of the note that a process leaves before it knows what it is about.
		for when := testenv.Pick(2, 2, 1); step.dies; when += testenv.Pick(11, 11, 1) {
			where = fmt.Sprintf("%s %d of step %d, %q", k.call, when, at, step.name)
			k.when = when
			step.do(k)
			k.when = 0
			if !k.hit {
				break
			}
			points++
			if !k.heard {
				k.copy(saved, k.dir())
				continue
			}
			k.check(where + ", at once")
			for i, next := range story[at+1:] {
				if next.do(k); i < 3 || at+i+2 == len(story) {
					k.check(where + ", after " + strconv.Quote(next.name))
				}
			}
			if out := k.world.run(k.dir(), "git-trace", "verify"); !strings.HasPrefix(out, "consistent") {
				k.t.Errorf("%s: %s", where, out)
			}
			k.copy(saved, k.dir())
		}
		if !step.dies {
			step.do(k)
		}
	}
	return points
}

// copy puts what is in a directory in the place of what is in another one. The git directory stays the one that it is:
// another one would not be on the list of recorded repositories. What hooks left at work has ended before.
func (k *killRun) copy(from, to string) {
	k.world.must(untilAlone(k.dir()))
	k.world.must(os.MkdirAll(filepath.Join(to, ".git"), 0o755))
	k.world.run(to, "find", ".", "-mindepth", "1", "!", "-path", "./.git", "-delete")
	k.world.run(k.world.root, "cp", "-a", from+"/.", to)
}

func (k *killRun) dir() string { return k.world.trees[0] }

// dying runs a process of git-trace that is killed on its way, unless it has fewer calls than that.
func (k *killRun) dying(input []byte, args ...string) {
	inject := fmt.Sprintf("inject=%s:signal=KILL:when=%d", k.call, k.when)
	cmd := exec.Command("strace", append([]string{
		"-f", "-qq", "-o", os.DevNull, "-e", "trace=" + k.call, "-e", inject, "git-trace",
	}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin = k.dir(), k.world.env(), bytes.NewReader(input)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if k.hit = errors.As(err, &exit) && exit.ExitCode() < 0; !k.hit && err != nil { // strace ends as what it runs does
		k.world.must(fmt.Errorf("strace: %w: %s", err, out))
	}
}

// boundary is a hook process of the agent.
func (k *killRun) boundary(session, event string, fields map[string]any) {
	payload := map[string]any{
		"session_id": session, "cwd": k.dir(), "hook_event_name": event, "prompt_id": "00000000-0000-4000-8000-000000000001",
	}
	for key, value := range fields {
		payload[key] = value
	}
	raw, err := json.Marshal(payload)
	k.world.must(err)
	if k.when > 0 {
		k.dying(raw, "hook", "claude-code", event)
		notes, err := filepath.Glob(filepath.Join(k.dir(), ".git", "traces", "spool", "*.begun"))
		k.world.must(err)
		k.heard = len(notes) > 0
		return
	}
	boundaries, err := k.world.agent.Decoder.Decode(event, raw)
	k.world.must(err)
	for _, b := range boundaries {
		repos := route.Find(b, nil)
		if len(repos) == 0 {
			k.world.must(errors.New("the repository is not recorded"))
		}
		for _, repo := range repos {
			b.Process = os.Getpid() // the agent lives in this process
			k.world.must(runner.TakeBoundary(k.t.Context(), repo, runner.Engine(repo, events.OpenLog(repo)), b))
		}
	}
}

// gitHook is one of git's hooks.
func (k *killRun) gitHook(name string, args ...string) {
	if k.when > 0 {
		k.dying(nil, append([]string{"git-hook", name}, args...)...)
		k.heard = true
		return
	}
	repo, err := refs.DiscoverHook(k.dir())
	k.world.must(err)
	k.world.must(runner.TakeGitHook(k.t.Context(), repo, trails.New(repo, events.OpenLog(repo), nil), name, args, nil, nil))
}

// types adds a line at the end of a file.
func (k *killRun) types(path, who string) {
	lines, _ := k.world.read(k.dir(), path)
	text := fmt.Sprintf("%s wrote line %d of %s here\n", who, len(lines)+1, path)
	k.world.store(k.dir(), path, append(lines, text))
}

func (k *killRun) check(when string) {
	for _, path := range []string{"a.txt", "b.txt"} {
		k.judge(path, when)
	}
}

// judge compares the answers about a file with the first words of its lines.
func (k *killRun) judge(path, when string) {
	answers, err := k.world.blame(k.dir(), "", path)
	k.world.must(err)
	for _, a := range answers {
		writer, _, _ := strings.Cut(a.Content, " ")
		if got := a.who(); got != writer && got != byUnknown {
			k.t.Errorf("%s: %s:%d is said to be of %s (%s): %q", when, path, a.Line, got, a.Evidence, a.Content)
		}
	}
}

// killStories are the stories. A person types wherever there is room: before, between and after calls.
func killStories() map[string][]killStep {
	started := boundaryStep("S1", "SessionStart", map[string]any{"source": "startup", "model": "claude-opus-4-5"})
	prompt := boundaryStep("S1", "UserPromptSubmit", map[string]any{"prompt": "go on"})
	stop := boundaryStep("S1", "Stop", map[string]any{"stop_hook_active": false, "background_tasks": []any{}})
	a, b := typesStep("a.txt", byHuman), typesStep("b.txt", byHuman)
	commit := []killStep{gitStep("add", "-A"), gitStep("commit", "-q", "-m", "more"), gitHookStep("post-commit")}
	shell := func(id string, inside ...killStep) []killStep {
		return callSteps("S1", id, "Bash", map[string]any{"command": "sh ./" + id}, inside)
	}
	story := func(parts ...[]killStep) []killStep {
		var out []killStep
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	one := func(steps ...killStep) []killStep { return steps }
	both := one(typesStep("a.txt", "S1"), typesStep("b.txt", "S1"))
	return map[string][]killStep{
		"shell":             story(one(started, a, prompt, b), shell("t1", both...), one(a, b), shell("t2", both...), one(a, stop, b, prompt, a), commit),
		"edit":              story(one(started, a, prompt), editSteps("S1", "t1", "a.txt"), one(a, b), editSteps("S1", "t2", "a.txt"), one(a, stop, b, prompt, a), commit),
		"write":             story(one(started, a, prompt), writeSteps("S1", "t1", "a.txt"), one(a, b), writeSteps("S1", "t2", "b.txt"), one(a, stop, b, prompt, a), commit),
		"commit in a shell": story(one(started, a), shell("t1", story(both, commit, both)...), one(a, b), commit, one(prompt)),
		"no end":            story(one(started, a, prompt), shell("t1", both...)[:3], shell("t2", both...), one(a, b, prompt, a), commit),
		"no end, no start":  story(one(started, prompt), shell("t1", both...)[:3], shell("t2", both...)[1:], one(a), commit, one(b)),
		"checkout in a shell": story(one(started, a), commit, one(a, b), commit, shell("t1", story(both, one(
			gitStep("checkout", "-q", "HEAD~1", "--", "."), gitHookStep("post-checkout", "HEAD", "HEAD", "0"),
		), both)...), one(a, prompt)),
		"switch in a shell": story(one(started, a), commit, one(a, b), commit, shell("t1", story(one(
			gitStep("checkout", "-q", "-b", "side", "HEAD~1"), gitHookStep("post-checkout", "HEAD~1", "HEAD", "1"),
		), both)...), one(a, prompt)),
		"commit put off": story(one(started, a, prompt), shell("t1", story(both, commit[:2], one(putOffStep))...), one(a, laterStep, b, laterStep), commit),
	}
}

// putOffStep leaves a commit to be anchored later; laterStep does that.
var (
	putOffStep = killStep{"put off", false, func(k *killRun) {
		repo, err := refs.DiscoverHook(k.dir())
		k.world.must(err)
		head, _, err := repo.Head()
		k.world.must(err)
		k.world.must(later.Open(repo).Add(later.Job{Hook: "post-commit", Commit: head, Time: time.Now()}))
	}}
	laterStep = killStep{runner.LaterHook, true, func(k *killRun) {
		if k.heard = k.when > 0; k.heard {
			k.dying(nil, "git-hook", runner.LaterHook)
			return
		}
		k.world.run(k.dir(), "git-trace", "git-hook", runner.LaterHook)
	}}
)

func boundaryStep(session, event string, fields map[string]any) killStep {
	return killStep{session + " " + event, true, func(k *killRun) { k.boundary(session, event, fields) }}
}

func typesStep(path, who string) killStep {
	return killStep{who + " types in " + path, false, func(k *killRun) { k.types(path, who) }}
}

func gitStep(args ...string) killStep {
	return killStep{"git " + strings.Join(args, " "), false, func(k *killRun) {
		k.world.run(k.dir(), "git", append([]string{"-c", "core.hooksPath=/dev/null"}, args...)...)
	}}
}

func gitHookStep(name string, args ...string) killStep {
	return killStep{name, true, func(k *killRun) { k.gitHook(name, args...) }}
}

// callSteps is a tool call around what happens in it.
func callSteps(session, id, tool string, input map[string]any, inside []killStep) []killStep {
	fields := map[string]any{"tool_name": tool, "tool_input": input, "tool_use_id": id}
	out := append([]killStep{boundaryStep(session, "PreToolUse", fields)}, inside...)
	fields = map[string]any{
		"tool_name": tool, "tool_input": input, "tool_use_id": id,
		"tool_response": map[string]any{"stdout": "", "stderr": "", "interrupted": false, "isImage": false},
	}
	return append(out, boundaryStep(session, "PostToolUse", fields))
}

// fileSteps is a call of a tool that writes one file: it adds a line. Input and response say what it found and left.
func fileSteps(session, id, tool, path string, input, response func(was, now string) map[string]any) []killStep {
	fields := func(k *killRun, input map[string]any) map[string]any {
		input["file_path"] = filepath.Join(k.dir(), path)
		return map[string]any{"tool_name": tool, "tool_input": input, "tool_use_id": id}
	}
	var was, now string
	return []killStep{
		{tool + " begins", true, func(k *killRun) {
			was = *k.world.content(k.dir(), path)
			now = was + fmt.Sprintf("%s wrote %s by %s\n", session, id, tool)
			k.boundary(session, "PreToolUse", fields(k, input(was, now)))
		}},
		{tool + " writes", false, func(k *killRun) {
			k.world.must(os.WriteFile(filepath.Join(k.dir(), path), []byte(now), 0o644))
		}},
		{tool + " ends", true, func(k *killRun) {
			f := fields(k, input(was, now))
			f["tool_response"] = response(was, now)
			k.boundary(session, "PostToolUse", f)
		}},
	}
}

func editSteps(session, id, path string) []killStep {
	last := func(text string) string {
		lines := splitLines(text)
		return lines[len(lines)-1]
	}
	return fileSteps(session, id, "Edit", path, func(was, now string) map[string]any {
		return map[string]any{"old_string": last(was), "new_string": last(was) + last(now), "replace_all": false}
	}, func(was, now string) map[string]any {
		return map[string]any{"oldString": last(was), "newString": last(was) + last(now), "originalFile": was, "structuredPatch": []any{}}
	})
}

func writeSteps(session, id, path string) []killStep {
	return fileSteps(session, id, "Write", path, func(_, now string) map[string]any {
		return map[string]any{"content": now}
	}, func(was, now string) map[string]any {
		return map[string]any{"type": "update", "content": now, "originalFile": was, "structuredPatch": []any{}}
	})
}
