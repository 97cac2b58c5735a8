package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails"
)

// ward is a recorded repository of somebody who has Claude Code, with the hooks of both.
// start begins to record, as the command does.
// draft appends an event of a conversation, or leaves it in the spool.
// head is an id that is there.
// examine gives a line for each result, and how many problems are left.
func TestNothingIsWrongWhereEverythingIsThere(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	told, remain := w.examine(false)
	if remain != 0 || len(told) != len(checks)-1 { // nothing is told of locks
		t.Errorf("%d problems:\n%s", remain, strings.Join(told, "\n"))
	}
	for _, want := range []string{"ok recording: on the list since ", "ok git hooks: all installed", "ok agents: claude-code traced",
		"ok work tree: hooks looked at it ", "ok waiting: no event waits", "ok log: ", "ok read cache: holds ", "ok records: of 0 conversations",
		"ok settings: none is set"} {
		if !holds(told, want) {
			t.Errorf("no %q in\n%s", want, strings.Join(told, "\n"))
		}
	}
	g := w.glance()
	if !g.Recording || g.Listed == nil || g.Log == nil || g.Log.Events == 0 || !g.GitHooks.Works() || len(g.Attention) > 0 || g.Failure != nil {
		t.Errorf("%+v", g)
	}
	if notes := New(w.repo, w.env, w.deeds).Notes(t.Context(), time.Now()); len(notes) > 0 {
		t.Errorf("%q", notes)
	}
}

// Each row breaks one thing. What is found says so; repairs leave nothing, or what only the user can mend.
func TestWhatIsWrongIsFoundAndMended(t *testing.T) {
	t.Parallel()
	settings := func(w *ward) string { return filepath.Join(w.repo.WorkTree, ".claude", "settings.local.json") }
	edit := func(w *ward, path, old, now string) {
		raw, err := os.ReadFile(path)
		w.must(err)
		if !strings.Contains(string(raw), old) {
			w.Fatalf("no %q in %s", old, raw)
		}
		w.put(path, strings.ReplaceAll(string(raw), old, now))
	}
	for _, test := range []struct {
		name    string
		damage  func(*ward)
		problem string
		quick   bool   // a glance sees it too
		mended  string // by a repair; "" where only the user can
	}{
		{"a hook is not executable", func(w *ward) { w.must(os.Chmod(w.hook("post-commit"), 0o644)) },
			"post-commit hook is not executable: git skips it | git trace doctor --fix", true, "git hooks are installed again"},
		{"two hooks were deleted", func(w *ward) {
			w.must(errors.Join(os.Remove(w.hook("post-merge")), os.Remove(w.hook("post-rewrite"))))
		}, "each of the hooks post-rewrite, post-merge was deleted", true, "git hooks are installed again"},
		{"a hook was written over", func(w *ward) { w.put(w.hook("post-checkout"), "#!/bin/sh\nexit 0\n") },
			"post-checkout hook was overwritten", true, "git hooks are installed again"},
		{"a hook cannot be there", func(w *ward) {
			w.must(errors.Join(os.Remove(w.hook("post-commit")), os.Mkdir(w.hook("post-commit"), 0o755)))
		}, "post-commit hook cannot be there: .git/hooks/post-commit is ", true, ""},
		{"hooks call another version", func(w *ward) {
			w.env.Binary = filepath.Join(w.env.Home, "bin", capability.HookProgram)
			testenv.Program(w, w.env.Binary, "#!/bin/sh\necho git-trace-hook version 0.0.1\n")
		}, "hooks call ~/bin/git-trace-hook, which is not of version ", false, ""},
		{"git runs no hooks", func(w *ward) { w.git("config", "core.hooksPath", "/dev/null") },
			"git runs no hooks here (core.hooksPath, local configuration)", true, ""},
		{"an agent's hook is gone", func(w *ward) { edit(w, settings(w), "PreToolUse", "PreToolUsed") },
			"claude-code: 1 hook missing in .claude/settings.local.json (PreToolUse)", true, "claude-code: hooks are installed again"},
		{"an agent's hooks call what is not there", func(w *ward) { w.must(os.Remove(w.env.Binary)) },
			"claude-code: the hooks in .claude/settings.local.json call ~/bin/git-trace, which is not there", true, ""},
		{"settings cannot be read", func(w *ward) { w.put(settings(w), "{") }, "claude-code: ", true, ""},
		{"hooks are switched off", func(w *ward) {
			w.put(filepath.Join(w.env.Home, ".claude", "settings.json"), `{"disableAllHooks": true}`)
		}, "claude-code: all hooks are switched off in ~/.claude/settings.json | remove disableAllHooks", true, ""},
		{"no agent is traced", func(w *ward) { w.must(os.Remove(settings(w))) },
			"no agent is traced here | git trace init", true, "the agents' hooks are installed"},
		{"no agent is there", func(w *ward) {
			w.must(errors.Join(os.Remove(settings(w)), os.RemoveAll(filepath.Join(w.env.Home, ".claude"))))
		}, "no agent is traced here | git trace init --agent <name>", true, ""},
		{"the timeline is damaged", func(w *ward) { w.put(trails.StatePath(w.repo), "{") },
			"the state of the timeline cannot be used", false, "the timeline begins anew"},
		{"the last snapshot is lost", func(w *ward) { w.must(os.RemoveAll(filepath.Join(w.repo.TracesDir(), "objects"))) },
			"the last snapshot is lost", false, "the timeline begins anew"},
		{"a killed process left a lock of git's", func(w *ward) {
			path := filepath.Join(w.repo.CommonDir, "refs", "traces", "remotes", "origin", "x", "digest.lock")
			w.must(os.MkdirAll(filepath.Dir(path), 0o755))
			w.put(path, "")
			old := time.Now().Add(-time.Hour)
			w.must(os.Chtimes(path, old, old))
		}, "1 lock of refs of traces left by a killed process, .git/refs/traces/remotes/origin/x/digest.lock for one", false,
			"locks of killed processes are removed"},
		{"events wait", func(w *ward) {
			lock, err := refs.Flock(filepath.Join(w.repo.TracesDir(), "append.lock"), time.Second)
			w.must(err)
			defer lock.Unlock()
			ctx, cancel := context.WithTimeout(w.Context(), time.Second)
			defer cancel()
			_, _ = w.draft(ctx, events.SessionStarted, events.SessionData{Source: "startup"})
		}, "1 batch of events waits to be appended to the log", true, "what waited is appended to the log"},
		{"a batch is no batch", func(w *ward) { w.put(filepath.Join(events.OpenLog(w.repo).SpoolDir(), "x.bad"), "?") },
			"cannot be read as events and was put aside", false, ""},
		{"a hook of git waits", func(w *ward) { w.must(later.Open(w.repo).Add(later.Job{Why: later.TooMuch, Hook: "post-commit"})) },
			"1 hook of git waits to be taken in; the work was too much for a hook", true, "what waited is taken in"},
		{"the log was cut off", func(w *ward) {
			w.add(events.SessionStarted, events.SessionData{Source: "startup"})
			testenv.CutLog(w, w.repo.WorkTree, 1)
		}, "this clone has written event", true, "the log says which events it has lost"},
		{"the log is broken", func(w *ward) { testenv.BreakLog(w, w.repo.WorkTree) }, "", true, ""},
		{"a fetched log is not its writer's", func(w *ward) {
			w.git("update-ref", "refs/traces/remotes/origin/0123456789abcdef/events", refs.EventsRef)
		}, "the fetched log refs/traces/remotes/origin/0123456789abcdef/events is not read: its name is not that of its writer | git update-ref refs/traces/remotes/origin/",
			true, ""},
		{"a purge was interrupted", func(w *ward) {
			w.must((&purged.Plan{Traces: []events.TraceID{events.NewTraceID("claude-code", "s")}}).Keep(w.repo))
		}, "a purge was interrupted and is not finished | git trace doctor --fix", true, "what was begun to be purged is gone"},
		{"a setting keeps conversations from being stored", func(w *ward) {
			w.deeds.Settings = func(refs.Config) (string, error) { return "mend it", errors.New("no such file") }
		}, "no conversation is stored: no such file | mend it", true, ""},
		{"a setting has no such value", func(w *ward) {
			w.deeds.Wrong = func(context.Context, refs.Config) []Finding {
				return []Finding{{What: "no such value", Mend: "unset it"}}
			}
		}, "no such value | unset it", false, ""},
		{"a record is gone", func(w *ward) {
			w.add(events.RecordStored, events.RecordData{Commit: head(w), Blob: head(w), Lifecycle: "provisional"})
		}, "1 conversation stored on refs/traces/records is not there any more", false, ""},
		{"it was recorded elsewhere", func(w *ward) { w.must(recorded.Remove(w.repo)) }, "nothing is recorded here | git trace init", true, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWard(t)
			test.damage(w)
			told, remain := w.examine(false)
			if remain == 0 || !holds(told, test.problem) {
				t.Errorf("not found: %s\n%s", test.problem, strings.Join(told, "\n"))
			}
			if seen := attention(w.glance()); test.quick != (len(seen) > 0 && holds(seen, test.problem)) {
				t.Errorf("at a glance: %q", seen)
			}
			told, remain = w.examine(true)
			if test.mended == "" {
				if remain == 0 && len(w.stored) == 0 {
					t.Errorf("mended by nobody\n%s", strings.Join(told, "\n"))
				}
				return
			}
			if remain > 0 || !holds(told, "mended ") || !holds(told, test.mended) {
				t.Errorf("%d are left\n%s", remain, strings.Join(told, "\n"))
			}
			if told, remain = w.examine(false); remain > 0 {
				t.Errorf("found again\n%s", strings.Join(told, "\n"))
			}
		})
	}
}

func TestARepairThatFailsLeavesTheProblem(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.put(trails.StatePath(w.repo), "{")
	w.deeds.Start = func(context.Context) error { return errors.New("disk full") }
	told, remain := w.examine(true)
	if remain != 1 || !holds(told, "it could not be mended: disk full") {
		t.Errorf("%d: %s", remain, strings.Join(told, "\n"))
	}
}

func TestARecordThatIsGoneIsAskedForAgain(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	trace := w.add(events.RecordStored, events.RecordData{Commit: head(w), Blob: head(w), Lifecycle: "provisional"})
	if w.examine(true); len(w.stored) != 1 || w.stored[0].Trace != trace || w.stored[0].WorkTree != w.repo.WorkTree {
		t.Errorf("%+v", w.stored)
	}
}

// A conversation of Claude Code whose session file changed and that no hook reported.
func TestWhatNoHookReportedIsTold(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	key := strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(w.repo.WorkTree)
	session := "0a1b2c3d-0000-4000-8000-00000000000a"
	line := fmt.Sprintf(`{"type":"user","uuid":"u","sessionId":%q,"cwd":%q,"version":"99.0.0","timestamp":"2026-11-02T09:00:00Z","message":{"role":"user","content":"hi"}}`,
		session, w.repo.WorkTree)
	w.put(filepath.Join(w.env.Home, ".claude", "projects", key, session+".jsonl"), line+"\n")
	later := time.Now().Add(time.Second)
	w.must(os.Chtimes(filepath.Join(w.env.Home, ".claude", "projects", key, session+".jsonl"), later, later))
	told, _ := w.examine(false)
	if !holds(told, "claude-code: 1 conversation went on here without a report of its hooks") {
		t.Error(strings.Join(told, "\n"))
	}
	if notes := New(w.repo, w.env, w.deeds).Notes(t.Context(), time.Now()); !holds(notes, "99.0.0") {
		t.Errorf("%q", notes)
	}

	// the log is put back from a copy, and has lost what it was told meanwhile; whether it says so itself, or not yet
	log, now := events.OpenLog(w.repo), time.Now()
	w.must(os.Chtimes(filepath.Join(w.env.Home, ".claude", "projects", key, session+".jsonl"), now, now))
	kept, err := os.ReadFile(log.JournalPath())
	w.must(err)
	w.add(events.TurnEnded, events.TurnData{})
	w.must(os.WriteFile(log.JournalPath(), kept, 0o600))
	for range 2 {
		told, _ := w.examine(false)
		if !holds(told, "claude-code: 1 conversation went on here and the log has lost its events") || holds(told, "without a report") {
			t.Error(strings.Join(told, "\n"))
		}
		_, err := log.NoteLosses(t.Context())
		w.must(err)
	}
	w.must(os.Chtimes(filepath.Join(w.env.Home, ".claude", "projects", key, session+".jsonl"), now, later.Add(time.Hour)))
	if told, _ := w.examine(false); !holds(told, "without a report") {
		t.Error(strings.Join(told, "\n"))
	}
}

func TestAgentsThatAreNotTracedAreNamed(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.must(os.MkdirAll(filepath.Join(w.env.Home, ".gemini"), 0o755))
	if seen := attention(w.glance()); !holds(seen, "gemini-cli is on this machine and not traced: only its session files tell of its lines") {
		t.Errorf("%q", seen)
	}
	w.git("config", agents.IgnoreKey, "gemini-cli")
	if seen := attention(w.glance()); len(seen) > 0 {
		t.Errorf("%q", seen)
	}
	w.git("config", agents.IgnoreKey, "gemini")
	if seen := attention(w.glance()); !holds(seen, "trace.ignoreAgent: unknown agent 'gemini' | known are claude-code, ") {
		t.Errorf("%q", seen)
	}
}

// Gemini CLI does not tell when all hooks of a call have ended.
func TestHooksOfOthersAreNoted(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	gemini, _ := agents.Lookup(w.env, "gemini-cli")
	w.must(os.Mkdir(filepath.Join(w.env.Home, ".gemini"), 0o755))
	target := capability.Target{Scope: capability.ScopeUser, Repo: w.repo}
	_, err := gemini.Installer.Install(t.Context(), target)
	w.must(err)
	for i, other := range []string{"gofmt -w " + strings.Repeat("x", 100), "one\nmore"} {
		status, err := gemini.Installer.Status(t.Context(), target)
		w.must(err)
		raw, err := os.ReadFile(status.Settings)
		w.must(err)
		entry, _ := json.Marshal(map[string]any{"matcher": "", "hooks": []any{map[string]any{"type": "command", "command": other}}})
		w.put(status.Settings, strings.Replace(string(raw), `"AfterTool": [`, `"AfterTool": [`+string(entry)+",", 1))
		notes := New(w.repo, w.env, w.deeds).Notes(t.Context(), time.Now())
		if len(notes) != i+1 || !holds(notes, "another hook runs after each tool ("+other[:3]) || !holds(notes, "…") {
			t.Errorf("%q", notes)
		}
	}
}

func TestFailuresOfHooksAreListedNewestLast(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	if list, err := Failures(w.repo); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
	var text strings.Builder
	now := time.Now().UTC().Truncate(time.Second)
	for i := range 8 {
		fmt.Fprintf(&text, "%s claude-code PreToolUse: disk full %d\x1b[31m\n", now.Add(time.Duration(i-8)*time.Minute).Format(time.RFC3339), i)
	}
	w.put(w.repo.HookLog(), "half a li\n"+text.String())
	list, err := Failures(w.repo)
	if err != nil || len(list) != 8 || list[7].Time != now.Add(-time.Minute) || strings.Contains(list[7].What, "\x1b") {
		t.Errorf("%+v, %v", list, err)
	}
	if g := w.glance(); g.Failure == nil || !strings.Contains(g.Failure.What, "disk full 7") {
		t.Errorf("%+v", g.Failure)
	}
	notes := New(w.repo, w.env, w.deeds).Notes(t.Context(), now)
	if len(notes) != shownFailures+1 || !strings.Contains(notes[0], "8 minutes ago") && !strings.Contains(notes[0], "disk full 3") ||
		notes[shownFailures] != "3 failures before that in .git/traces/hook.log" {
		t.Errorf("%q", notes)
	}
	w.must(os.Remove(w.repo.HookLog()))
	w.must(os.Mkdir(w.repo.HookLog(), 0o755))
	if notes := New(w.repo, w.env, w.deeds).Notes(t.Context(), now); !holds(notes, "what hooks could not do is not known") {
		t.Errorf("%q", notes)
	}
}

func TestARepositoryThatWasCopiedIsPutOnTheListAgain(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	if why := Silence(t.Context(), w.repo); len(why) > 0 && recorded.Is(w.repo) {
		t.Errorf("%+v", why)
	}
	moved := filepath.Join(t.TempDir(), "moved")
	w.must(os.CopyFS(moved, os.DirFS(w.repo.WorkTree)))
	repo, err := refs.Discover(moved)
	w.must(err)
	w.repo = repo
	if why := Silence(t.Context(), repo); len(why) != 1 || !strings.Contains(why[0].What, "was recorded elsewhere") {
		t.Errorf("%+v", why)
	}
	told, remain := w.examine(true)
	if remain > 0 || !holds(told, "the repository is on the list of recorded ones again") {
		t.Errorf("%d are left\n%s", remain, strings.Join(told, "\n"))
	}
}

func TestPathsAreSaidFromTheTopOrFromHome(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/home/dev/shop/a/b": "a/b", "/home/dev/x": "~/x", "/etc/x": "/etc/x", "/home/developer": "/home/developer",
	} {
		if got := shortPath(filepath.FromSlash(path), "/home/dev/shop", "/home/dev"); got != want && filepath.Separator == '/' {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// Whoever only pulls has locks in the way, too, of a ref or of all that are packed.
func TestALockIsFoundWhereNothingIsRecorded(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"refs/traces/remotes/origin/x/digest.lock", "packed-refs.lock", "packed-refs.new"} {
		w := newWard(t)
		w.must(recorded.Remove(w.repo))
		path := filepath.Join(w.repo.CommonDir, filepath.FromSlash(name))
		w.must(os.MkdirAll(filepath.Join(w.repo.CommonDir, "refs", "traces", "remotes", "origin", "x"), 0o755))
		w.put(path, "")
		old := time.Now().Add(-time.Hour)
		w.must(os.Chtimes(path, old, old))
		if told, _ := w.examine(true); !holds(told, "locks of killed processes are removed") {
			t.Errorf("not mended: %s", strings.Join(told, "\n"))
		}
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is there still", name)
		}
	}
}
