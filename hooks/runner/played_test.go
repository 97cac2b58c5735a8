package runner

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

const session = "11111111-2222-4333-8444-555555555551"

// played is a repository in which this process plays the hooks of Claude Code and of git.
type played struct {
	*recording.World
	file string // the session file
}

func play(t *testing.T) *played {
	t.Helper()
	t.Setenv(LimitEnv, "60")
	t.Setenv("GITTRACE_GIT_PID", "1")
	p := &played{recording.New(t), filepath.Join(t.TempDir(), "session.jsonl")}
	t.Chdir(p.Repo.WorkTree)
	p.Check(recorded.Add(p.Repo))
	return p
}

// hears plays a hook of the agent with the fields of its payload.
func (p *played) hears(event string, fields map[string]any) {
	p.T.Helper()
	payload := map[string]any{"session_id": session, "transcript_path": p.file, "cwd": p.Repo.WorkTree, "hook_event_name": event}
	for name, value := range fields {
		payload[name] = value
	}
	raw, err := json.Marshal(payload)
	p.Check(err)
	p.plays(string(raw), "hook", "claude-code", event)
}

// plays plays any hook with this input.
func (p *played) plays(in string, args ...string) {
	p.T.Helper()
	if !Takes(args) {
		p.T.Fatalf("%q is no hook", args)
	}
	if status := Run(args, strings.NewReader(in)); status != 0 {
		p.T.Errorf("%q ends with %d", args, status)
	}
}

// edits plays a call that writes a file.
func (p *played) edits(id, name, text string) {
	p.T.Helper()
	call := map[string]any{"tool_name": "Write", "tool_use_id": id,
		"tool_input": map[string]any{"file_path": filepath.Join(p.Repo.WorkTree, name), "content": text}}
	p.hears("PreToolUse", call)
	p.Write(name, text)
	call["tool_response"] = map[string]any{"type": "create", "filePath": filepath.Join(p.Repo.WorkTree, name), "content": text}
	p.hears("PostToolUse", call)
}

// types counts the events of the log by type.
func (p *played) types() map[events.Type]int {
	p.T.Helper()
	out := map[events.Type]int{}
	for _, e := range p.Log() {
		out[e.Type]++
	}
	return out
}

func (p *played) failures() string {
	raw, _ := os.ReadFile(p.Repo.HookLog())
	return string(raw)
}

// Hooks of an agent and of git put a conversation, its calls and commits into the log, and note nothing that failed.
func TestHooksFillTheLog(t *testing.T) {
	p := play(t)
	p.hears("SessionStart", map[string]any{"source": "startup"})
	p.Check(os.WriteFile(p.file, []byte("{}\n"), 0o600))
	p.hears("UserPromptSubmit", map[string]any{"prompt": "write it"})
	p.edits("one", "a.txt", "by the agent\n")
	p.hears("Stop", nil)
	p.Git("add", "-A")
	p.Git("commit", "-qm", "the agent's")
	p.plays("", "git-hook", "post-commit")
	had := p.types()
	if had[events.PatchRecorded] == 0 || had[events.CommitAnchored] < 2 {
		t.Errorf("events: %v", had)
	}
	if list, err := waiting.Open(p.Repo).All(); err != nil || len(list) != 1 {
		t.Errorf("%d conversations wait for their record, %v", len(list), err)
	}

	older := p.Head()
	p.Git("commit", "-q", "--amend", "-m", "other words")
	p.plays("", "git-hook", "post-commit")
	p.plays(older.String()+" "+p.Head().String()+"\nnot a pair\nx y\n", "git-hook", "post-rewrite", "amend")
	p.Git("checkout", "-q", "-b", "side", "HEAD~1")
	p.plays("", "git-hook", "post-checkout", older.String(), p.Head().String(), "1")
	p.Write("side.txt", "by a person\n")
	p.Git("add", "-A")
	p.Git("commit", "-qm", "side")
	p.plays("", "git-hook", "post-commit")
	p.Git("merge", "-q", "--no-edit", "main")
	p.plays("", "git-hook", "post-merge", "0")
	p.Git("checkout", "-q", "main~1", "--", "base.txt")
	p.plays("", "git-hook", "post-checkout", older.String(), older.String(), "0")
	p.plays("", "git-hook", "post-applypatch")
	if got := p.types(); got[events.CommitAnchored] < had[events.CommitAnchored]+3 || got[events.CommitRewritten] != 1 {
		t.Errorf("events: %v, before %v", got, had)
	}
	p.plays("", "git-hook", SealHook)
	if _, err := p.Repo.ReadRef(refs.EventsRef); err != nil {
		t.Errorf("the log is not sealed: %v", err)
	}
	p.hears("SessionEnd", map[string]any{"reason": "exit"})
	if said := p.failures(); said != "" {
		t.Errorf("failures:\n%s", said)
	}
}

// What no hook can take does nothing, and ends with success.
func TestHooksTakeAnything(t *testing.T) {
	p := play(t)
	before := len(p.Log())
	for _, args := range [][]string{
		{"hook"}, {"hook", "claude-code"}, {"hook", "nobody", "Stop"}, {"hook", "claude-code", "Stop"}, {"hook", "claude-code", "NoSuch"},
		{"git-hook", "post-rewrite"},
	} {
		for _, in := range []string{"", "{", "[]", `{"session_id":7}`, strings.Repeat("x", 1<<16)} {
			if args[0] != "git-hook" || in == "" {
				p.plays(in, args...)
			}
		}
	}
	if got := len(p.Log()); got != before {
		t.Errorf("%d events, before %d", got, before)
	}
	t.Chdir(t.TempDir()) // no repository
	p.plays("", "git-hook", "post-commit")
	p.plays("", "git-hook", LaterHook)
	p.plays("", "git-hook", SealHook)
}

// A copy of a repository is not recorded; what its hooks missed is counted.
func TestACopyIsNotRecorded(t *testing.T) {
	p := play(t)
	to := filepath.Join(t.TempDir(), "copy")
	p.Check(os.CopyFS(to, os.DirFS(p.Repo.WorkTree)))
	t.Chdir(to)
	repo, err := refs.DiscoverHook(to)
	p.Check(err)
	p.Repo = repo
	before := len(p.Log())
	p.edits("one", "a.txt", "by the agent\n")
	p.plays("", "git-hook", "post-commit")
	if got := len(p.Log()); got != before {
		t.Errorf("%d events, before %d", got, before)
	}
	if missed := recorded.MissedIn(p.Repo.GitDir, time.Time{}); missed.Hooks == 0 {
		t.Errorf("missed: %+v", missed)
	}
}

// A boundary for which there is no time waits for the next hook, also beside a process that holds the timeline.
func TestBoundariesWait(t *testing.T) {
	p := play(t)
	p.edits("one", "a.txt", "by the agent\n")
	b := events.Boundary{Kind: events.PromptSubmit, Agent: "claude-code", Session: session, Cwd: p.Repo.WorkTree, Time: time.Now(),
		Prompt: &events.Prompt{Text: "late"}}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	engine := Engine(p.Repo, events.OpenLog(p.Repo))
	if err := TakeBoundary(ended, p.Repo, engine, b); err == nil || errors.Is(err, errLost) {
		t.Errorf("without time: %v", err)
	}
	p.hears("Stop", nil)
	if n := p.types()[events.PromptSubmitted]; n != 1 {
		t.Errorf("%d prompts", n)
	}
	p.Check(later.Open(p.Repo).Add(later.Job{Hook: "post-checkout", Time: time.Now()}))
	none := func() error { return nil }
	p.Check(later.Open(p.Repo).Work(t.Context(), func(later.Job) error {
		p.hears("UserPromptSubmit", map[string]any{"prompt": "meanwhile"})
		return nil
	}, none, func() bool { return false }))
	p.hears("Stop", nil)
	if n := p.types()[events.PromptSubmitted]; n != 2 {
		t.Errorf("%d prompts", n)
	}
}

// A commit tells the conversations that have a record; an agent's files tell how a call ended.
func TestRecordsAndFilesAreAsked(t *testing.T) {
	p := play(t)
	p.Git("update-ref", refs.RecordsRef, "HEAD")
	p.Check(os.WriteFile(p.file, []byte("{}\n"), 0o600))
	p.edits("one", "a.txt", "by the agent\n")
	p.Git("add", "-A")
	p.Git("commit", "-qm", "the agent's")
	p.plays("", "git-hook", "post-commit")
	if list, err := waiting.Open(p.Repo).All(); err != nil || len(list) != 1 || list[0].Session != session {
		t.Errorf("waiting: %+v, %v", list, err)
	}
	for _, name := range []string{"claude-code", "nobody"} {
		end := Settler()(trails.Window{Call: trails.Call{Agent: name, ID: "one", Transcript: p.file}})
		if end.Outcome == trails.OutcomeRejected {
			t.Errorf("%s: %+v", name, end)
		}
	}
	if n := earlierPrompts(events.Boundary{Agent: "claude-code", Session: session, Transcript: p.file}); n != 0 {
		t.Errorf("%d earlier prompts, without git-trace to count them", n)
	}
	engine := Engine(p.Repo, events.OpenLog(p.Repo))
	if engine.Beside("claude-code") || engine.Beside("nobody") {
		t.Error("hooks of another program are seen where there are none")
	}
	Editing(p.Repo)() // the answer depends on the machine
	NoteFailure(p.Repo, errors.New("one\ntwo"))
	p.Check(os.Truncate(p.Repo.HookLog(), maxHookLog+1))
	NoteFailure(p.Repo, errors.New("three"))
	if said := p.failures(); !strings.HasSuffix(said, " three\n") || strings.Contains(said, "one") {
		t.Errorf("failures: %q", said)
	}
}

// The program passes to git-trace what it does not do; without git-trace that is nothing.
func TestTheProgramAlone(t *testing.T) {
	for _, args := range [][]string{{"--version"}, {"log"}, {}, {"git-hook", "pre-push"}} {
		if status := Main(args); status != 0 {
			t.Errorf("%q ends with %d", args, status)
		}
	}
	t.Setenv("GITTRACE_GIT_PID", "no number")
	if GitProcess() != 0 || growStack(1) != 0 {
		t.Error("no process of git, and no byte that was not written")
	}
}

// The queue of a work tree is worked off by a background process; only what wants time is put there.
func TestPostponedWorkIsDone(t *testing.T) {
	p := play(t)
	p.edits("one", "a.txt", "by the agent\n")
	p.Git("add", "-A")
	p.Git("commit", "-qm", "the agent's")
	job := later.Job{Hook: "post-commit", Commit: about(p.Repo, "post-commit"), Time: time.Now()}
	if putOff(p.Repo, job, os.ErrNotExist) {
		t.Error("what cannot succeed later is postponed")
	}
	for _, why := range []error{context.DeadlineExceeded, refs.ErrLockTimeout} {
		if !putOff(p.Repo, job, why) {
			t.Errorf("%v: not postponed", why)
		}
	}
	for _, hook := range []string{"post-checkout", "post-rewrite", "post-merge", "no-hook"} {
		p.Check(later.Open(p.Repo).Add(later.Job{Hook: hook, Time: time.Now()}))
	}
	before := p.types()[events.CommitAnchored]
	gone := exec.Command("git", "--version")
	p.Check(gone.Run())
	p.plays("", "git-hook", LaterHook, strconv.Itoa(gone.Process.Pid))
	if n := later.Open(p.Repo).Len(); n != 0 {
		t.Errorf("%d jobs are left", n)
	}
	if got := p.types()[events.CommitAnchored]; got != before+1 {
		t.Errorf("%d anchors, before %d\n%s", got, before, p.failures())
	}
}

// Settings of the environment decide how long a hook may take and what it starts.
func TestLimitsComeFromTheEnvironment(t *testing.T) {
	for env, want := range map[string]time.Duration{"": HardLimit, "9": 9 * time.Second, "-1": HardLimit, "x": HardLimit, "100000": HardLimit} {
		t.Setenv(LimitEnv, env)
		if soft, hard := Limits(); hard != want || soft != want*3/5 {
			t.Errorf("%q: %v, %v", env, soft, hard)
		}
	}
	t.Setenv(LimitEnv, "")
	t.Setenv(ElsewhereEnv, "1")
	if _, hard := Limits(); hard != ElsewhereLimit {
		t.Errorf("elsewhere: %v", hard)
	}
	for env, want := range map[string]int{"": LooseLimit(), "5": 5, "0": 0, "x": LooseLimit()} {
		t.Setenv(LooseLimitVar, env)
		if got := LooseLimit(); got != want {
			t.Errorf("loose %q: %d", env, got)
		}
	}
	env := withoutGit([]string{"A=1", "GIT_DIR=x", "GIT_CONFIG_COUNT=1", "GIT_INDEX_FILE=y"})
	if want := []string{"A=1", "GIT_CONFIG_COUNT=1"}; !slices.Equal(env, want) {
		t.Errorf("environment %q", env)
	}
}

// On a machine that will be deleted, each commit is an occasion to publish; the side store is packed when it is due.
func TestOccasions(t *testing.T) {
	p := play(t)
	t.Setenv(ElsewhereEnv, "1")
	if !committed(p.Repo) {
		t.Error("no occasion before the first attempt")
	}
	publish(p.Repo)
	if _, err := os.Stat(publishedMark(p.Repo)); err != nil || committed(p.Repo) {
		t.Errorf("an attempt leaves no mark: %v", err)
	}
	text := "by the agent\n" // objects are counted by a sample of their ids
	for !strings.HasPrefix(p.Repo.Format.Hash(refs.BlobObject, []byte(text)).String(), "17") {
		text += "more\n"
	}
	p.edits("one", "a.txt", text)
	if !isDue(p.Repo, 1) || triedLately(p.Repo) {
		t.Error("packing is not due")
	}
	p.Check(PackDue(t.Context(), p.Repo, 1))
	if isDue(p.Repo, 1) || !triedLately(p.Repo) {
		t.Error("packing is still due")
	}
	p.Check(PackDue(t.Context(), p.Repo, 0))
	startUpkeep(p.Repo)
	p.Check(os.MkdirAll(filepath.Join(p.Repo.TracesDir(), "purge"), 0o755))
	p.Check(os.WriteFile(filepath.Join(p.Repo.TracesDir(), "purge", "rules"), nil, 0o600))
	if !hasRules(p.Repo) {
		t.Error("the rules of a purge are not seen")
	}
	startUpkeep(p.Repo)
	if wantsSummary(p.Repo) {
		t.Error("nobody asked for the line about a commit")
	}
	p.Git("config", SummaryKey, "true")
	if !wantsSummary(p.Repo) {
		t.Error("the line about a commit is not wanted")
	}
	p.Check(os.Mkdir(filepath.Join(p.Repo.GitDir, "rebase-merge"), 0o755))
	if wantsSummary(p.Repo) {
		t.Error("each commit of a rebase has its line")
	}
}

// What a hook leaves to other processes is started beside it, with the arguments of git-trace, and outlives nothing.
func TestHooksStartGitTrace(t *testing.T) {
	p := play(t)
	dir := t.TempDir()
	told := filepath.Join(dir, "told")
	testenv.Program(t, filepath.Join(dir, "git-trace"), "#!/bin/sh\necho \"$*\" >>'"+told+"'\ncase $2 in earlier) echo 2;; bad) exit 3;; esac\n")
	executable = func() (string, error) { return filepath.Join(dir, Name), nil }
	defer func() { executable = os.Executable }()
	calls := func(words string) {
		t.Helper()
		for range 500 {
			if raw, _ := os.ReadFile(told); strings.Contains(string(raw), words) {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		raw, _ := os.ReadFile(told)
		t.Errorf("nobody started %q:\n%s", words, raw)
	}
	p.Check(os.WriteFile(p.file, []byte("{}\n"), 0o600))
	if n := earlierPrompts(events.Boundary{Agent: "claude-code", Session: session, Transcript: p.file}); n != 2 {
		t.Errorf("%d earlier prompts", n)
	}
	if status := Main([]string{"git-hook", "bad"}); status != 3 {
		t.Errorf("git-trace's status is %d", status)
	}
	p.hears("UserPromptSubmit", map[string]any{"prompt": "write it"})
	p.edits("one", "a.txt", "by the agent\n")
	p.hears("Stop", nil)
	calls("record --quiet")
	p.Git("add", "-A")
	p.Git("commit", "-qm", "the agent's")
	p.plays("", "git-hook", "post-commit")
	calls("git-hook " + SealHook)
	if !putOff(p.Repo, later.Job{Hook: "post-checkout", Time: time.Now()}, context.DeadlineExceeded) {
		t.Error("not postponed")
	}
	calls("git-hook " + LaterHook)
	t.Setenv(ElsewhereEnv, "1")
	publish(p.Repo)
	calls("git-hook push-later")
	p.Check(os.Remove(filepath.Join(dir, "git-trace")))
	p.Check(os.WriteFile(filepath.Join(dir, "git-trace"), nil, 0o600))
	if Background(p.Repo, p.Repo.GitDir, nil, "gc") || !strings.Contains(p.failures(), "start git-trace gc: ") {
		t.Errorf("a program that cannot start is not noted: %s", p.failures())
	}
}
