package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// What a later program stores is told apart from damage. Nothing of it is touched, git goes on as ever, and what was
// recorded meanwhile is there for the later program.
func TestANewerFormIsLeftAlone(t *testing.T) {
	t.Parallel()
	p := newLater(t)
	p.record()
	log := filepath.Join(p.dir, ".git", "traces", "events.log")
	form := func(from, to string) {
		text, err := os.ReadFile(log)
		if err != nil || !strings.HasPrefix(string(text), from) {
			t.Fatalf("%s: %v: %.30s", log, err, text)
		}
		p.put(".git/traces/events.log", to+strings.TrimPrefix(string(text), from))
	}
	p.events = p.eventIDs()
	form("git-trace log 1 ", "git-trace log 2 ")
	stored, _ := os.ReadFile(log)
	for _, args := range [][]string{{"blame", "a.txt"}, {"log"}, {"verify"}, {"rebuild"}, {"gc"}, {"checkpoint"}, {"show", "HEAD"}, {"stats"}} {
		out, code := p.run(append([]string{program}, args...)...)
		if code != exitUnchecked || !strings.Contains(out, "a newer git-trace wrote the log: it has form 2, and this program reads 1") ||
			!strings.Contains(out, "hint: install the newest git-trace") || strings.Contains(out, "damage") {
			t.Errorf("git-trace %q: %d: %s", args, code, out)
		}
	}
	for _, args := range [][]string{{"status"}, {"doctor"}, {"doctor", "--fix"}, {"init"}} {
		out, _ := p.run(append([]string{program}, args...)...)
		if args[0] != "init" && !strings.Contains(strings.Join(strings.Fields(out), " "), "install the newest git-trace") {
			t.Errorf("git-trace %q: %s", args, out)
		}
	}
	p.agent("S2", "post", "edit", "open.txt", `person open\n`, `person open\nS2 open\n`)
	p.commit("meanwhile")
	if now, _ := os.ReadFile(log); string(now) != string(stored) {
		t.Error("the log of a later program was changed")
	}
	form("git-trace log 2 ", "git-trace log 1 ")
	p.agent("S2", "stop")
	p.keep("S2 open", "person open")
	p.hold("with the later program again")
	p.holdEvents()
}

// program is the one that is there, from the work tree.
const program = "../bin/git-trace"

// laterProgram is a repository in which a later program takes the place of this one, for a time. Every line begins with its
// writer: a session, "person", or "before" where nothing was recorded yet.
type laterProgram struct {
	*twin
	strict map[string]bool // lines whose owner must be known; of others nobody may have them but their writer
	events []string        // the ids of all that was recorded
}

func newLater(t *testing.T) *laterProgram {
	t.Helper()
	base := t.TempDir()
	w := &twin{t: t, base: base, dir: filepath.Join(base, "work")}
	w.env = append([]string{
		"HOME=" + filepath.Join(base, "home"), "PATH=" + filepath.Join(base, "bin") + ":" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1",
		"TZ=UTC", "LC_ALL=C.UTF-8", "GIT_EDITOR=true", runner.LimitEnv + "=" + patience,
	}, testenv.Formats()...)
	w.put("../home/.gitconfig", "[user]\n\tname = A U Thor\n\temail = author@example.com\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"+testenv.Config)
	w.put("../home/.claude/settings.json", "{}\n")
	p := &laterProgram{twin: w, strict: map[string]bool{}}
	testenv.CopySelf(t, filepath.Join(base, "bin", "git-trace"))
	testenv.CopySelf(t, filepath.Join(base, "bin", capability.HookProgram))
	return p
}

// keep says of which lines the owner must be known from now on.
func (p *laterProgram) keep(lines ...string) {
	for _, line := range lines {
		p.strict[line] = true
	}
}

func (p *laterProgram) add(file, line string) {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, file))
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	p.put(file, string(text)+line+"\n")
}

// record is what is seen before: a commit, and a call that has begun.
func (p *laterProgram) record() {
	p.must("git", "init", "-q")
	p.add("a.txt", "before 1")
	p.commit("before")
	p.must(program, "init")
	p.agent("S1", "start")
	p.agent("S1", "prompt", "write it")
	p.agent("S1", "edit", "a.txt", `before 1\n`, `before 1\nS1 first\n`)
	p.add("a.txt", "person first")
	p.commit("one")
	p.agent("S1", "stop")
	p.keep("S1 first", "person first")
	p.agent("S2", "start")
	p.put("open.txt", "person open\n")
	p.agent("S2", "pre", "edit", "open.txt", `person open\n`, `person open\nS2 open\n`)
}

// hold holds every line of every file, committed or not, to its writer.
func (p *laterProgram) hold(when string) {
	p.t.Helper()
	seen := map[string]bool{}
	for file := range strings.Lines(p.must("git", "ls-files", "--cached", "--others", "--exclude-standard")) {
		file = strings.TrimSuffix(file, "\n")
		var blame struct{ Lines []ownedLine }
		if out := p.output("blame", "--json", file); json.Unmarshal([]byte(out), &blame) != nil {
			p.t.Fatalf("blame %s: %s", file, out)
		}
		for _, line := range blame.Lines {
			seen[line.Content] = true
			writer, _, _ := strings.Cut(line.Content, " ")
			owner := strings.TrimSuffix(line.owner(), "*")
			switch want := map[string]string{"person": "human", "before": "unknown"}[writer]; {
			case owner == want, owner == writer, owner == "unknown" && !p.strict[line.Content]:
			default:
				p.t.Errorf("%s: %q of %s is %s's", when, line.Content, file, owner)
			}
		}
	}
	for line := range p.strict {
		if !seen[line] {
			p.t.Errorf("%s: no file has the line %q: the story is wrong", when, line)
		}
	}
}

// output is what the program prints, without its warnings and hints.
func (p *laterProgram) output(args ...string) string {
	p.t.Helper()
	cmd := exec.Command(filepath.Join(p.base, "bin", "git-trace"), args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("git-trace %q: %v", args, err)
	}
	return string(out)
}

// eventIDs are the ids of all events, as whichever program is there tells them.
func (p *laterProgram) eventIDs() []string {
	p.t.Helper()
	var ids []string
	for line := range strings.Lines(p.output("events", "--json")) {
		var e struct{ ID string }
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.ID == "" {
			p.t.Fatalf("event %s: %v", line, err)
		}
		ids = append(ids, e.ID)
	}
	if len(ids) == 0 {
		p.t.Fatal("there are no events")
	}
	return ids
}

// holdEvents holds that the log still begins with the events that were known, and is consistent.
func (p *laterProgram) holdEvents() {
	p.t.Helper()
	now, known := p.eventIDs(), p.events
	if len(now) < len(known) || !slices.Equal(now[:len(known)], known) {
		p.t.Errorf("of %d events that were recorded the log, with %d, does not have all", len(known), len(now))
	}
	if out, code := p.run(program, "verify"); code != 0 {
		p.t.Errorf("verify: %s", out)
	}
}
