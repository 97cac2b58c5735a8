package main

import (
	"encoding/json"
	"errors"
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

// What any earlier program stored and installed is read, mended and gone on with by this one; and where an earlier
// program meets what this one stored, nothing is lost. For every commit that changed a stored form the program before it
// is built; in the quick form the first and the last.
func TestUpgrades(t *testing.T) {
	t.Parallel()
	commits := ownHistory(t)
	changes, what := changesOfForms(t, commits)
	if !testenv.Long() {
		program := slices.Index(commits, firstProgram(t, commits))
		first := slices.IndexFunc(changes, func(change string) bool { return slices.Index(commits, change) > program })
		changes = []string{changes[first], changes[len(changes)-1]}
	}
	built := map[string]bool{}
	for _, change := range changes {
		t.Run("before "+change[:8], func(t *testing.T) {
			commit, binary := programBefore(t, commits, change)
			switch {
			case binary == "":
				t.Skipf("no program can be built before it: %s", strings.Join(what[change], ", "))
			case built[commit]:
				return
			}
			built[commit] = true
			t.Logf("%s, before the change of %s", commit[:8], strings.Join(what[change], ", "))
			playUpgrade(t, binary)
		})
	}
	t.Logf("%d earlier programs, before %d changes of stored forms", len(built), len(changes))
}

// What a later program stores is told apart from damage. Nothing of it is touched, git goes on as ever, and what was
// recorded meanwhile is there for the later program.
func TestANewerFormIsLeftAlone(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.install("")
	p.recordByOld()
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

// firstProgram is the first commit whose program records and reads.
func firstProgram(t *testing.T, commits []string) string {
	t.Helper()
	with := revList(t, "log", "--reverse", "--diff-filter=A", "--format=%H", "--", "cmd/git-trace/log.go")
	if len(with) == 0 || !slices.Contains(commits, with[0]) {
		t.Fatal("no commit has the first program")
	}
	return with[0]
}

// program is the one that is there, from the work tree.
const program = "../bin/git-trace"

// past is a repository in which an earlier program records, and the program that takes its place. Every line begins
// with its writer: a session, "person", or "before" where nothing was recorded yet.
type past struct {
	*twin
	strict map[string]bool // lines whose owner must be known; of others nobody may have them but their writer
	events []string        // the ids of all that the newest program knew when it was last asked
}

func newPast(t *testing.T) *past {
	t.Helper()
	base := t.TempDir()
	w := &twin{t: t, base: base, dir: filepath.Join(base, "work")}
	w.env = append([]string{
		"HOME=" + filepath.Join(base, "home"), "PATH=" + filepath.Join(base, "bin") + ":" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1",
		"TZ=UTC", "LC_ALL=C.UTF-8", "GIT_EDITOR=true", runner.LimitEnv + "=" + patience,
	}, testenv.Formats()...)
	w.put("../home/.gitconfig", "[user]\n\tname = A U Thor\n\temail = author@example.com\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"+testenv.Config)
	w.put("../home/.claude/settings.json", "{}\n")
	return &past{twin: w, strict: map[string]bool{}}
}

func playUpgrade(t *testing.T, old string) {
	p := newPast(t)
	p.install(old)
	p.recordByOld()
	p.events = p.eventIDs()
	p.install("")
	p.readByNew()
	p.mendAndGoOn()
	p.hold("after the upgrade")
	p.events = p.eventIDs()
	p.install(old)
	p.workByOld()
	p.install("")
	p.must(program, "init")
	p.agent("S5", "start")
	p.agent("S5", "write", "last.txt", `S5 the newest again\n`)
	p.commit("the newest again")
	p.keep("S5 the newest again")
	p.hold("after an earlier program was there again")
	p.holdEvents()
}

// install puts a program in the place of the one that is there, as a package does; "" is this one.
func (p *past) install(from string) {
	p.t.Helper()
	at := filepath.Join(p.base, "bin", "git-trace")
	hook := filepath.Join(p.base, "bin", capability.HookProgram) // earlier programs were one
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.RemoveAll(hook)); err != nil {
		p.t.Fatal(err)
	}
	if from == "" {
		testenv.CopySelf(p.t, at)
		testenv.CopySelf(p.t, hook)
		return
	}
	text, err := os.ReadFile(from)
	if err != nil {
		p.t.Fatal(err)
	}
	testenv.Program(p.t, at, string(text))
}

// keep says of which lines the owner must be known from now on.
func (p *past) keep(lines ...string) {
	for _, line := range lines {
		p.strict[line] = true
	}
}

func (p *past) add(file, line string) {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, file))
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	p.put(file, string(text)+line+"\n")
}

// recordByOld is what the earlier program sees: whole stories, and at its end a stash, lines that no commit has, and a
// call that has begun.
func (p *past) recordByOld() {
	p.must("git", "init", "-q")
	p.add("a.txt", "before 1")
	p.commit("before")
	p.must(program, "init")
	p.agent("S1", "start")
	p.agent("S1", "prompt", "write it")
	p.agent("S1", "edit", "a.txt", `before 1\n`, `before 1\nS1 first\n`)
	p.add("a.txt", "person first")
	p.agent("S1", "write", "b.txt", `S1 second\nS1 third\n`)
	p.commit("one")
	p.must("git", "checkout", "-q", "-b", "topic")
	p.agent("S2", "start")
	p.agent("S2", "bash", "echo S2 first >>b.txt")
	p.add("c.txt", "person second")
	p.commit("topic")
	p.must("git", "commit", "-q", "--amend", "-m", "topic, amended")
	p.must("git", "checkout", "-q", "main")
	p.add("d.txt", "person third")
	p.commit("main goes on")
	p.must("git", "rebase", "-q", "main", "topic")
	p.must("git", "checkout", "-q", "main")
	p.must("git", "merge", "-q", "--ff-only", "topic")
	p.agent("S1", "stop")
	p.keep("S1 first", "person first", "S1 second", "S1 third", "S2 first", "person second", "person third")
	p.agent("S2", "write", "stashed.txt", `S2 stashed\n`)
	p.must("git", "stash", "push", "-q", "-u")
	p.agent("S2", "write", "loose.txt", `S2 loose\n`)
	p.add("loose.txt", "person loose")
	p.put("open.txt", "person open\n")
	p.agent("S2", "pre", "edit", "open.txt", `person open\n`, `person open\nS2 open\n`)
	if out, code := p.run(program, "verify"); code != 0 {
		p.t.Fatalf("the earlier program does not verify its own log: %s", out)
	}
}

// readByNew reads what the earlier program left, before anything is mended.
func (p *past) readByNew() {
	p.t.Helper()
	p.holdEvents()
	p.hold("at the upgrade")
	for _, args := range [][]string{{"status"}, {"log"}, {"log", "--json"}, {"stats"}, {"graph"}, {"verify"}, {"show", "HEAD"}} {
		if out, code := p.run(append([]string{program}, args...)...); code != 0 || strings.Contains(out, "damaged") {
			p.t.Errorf("git-trace %q of what the earlier program recorded: %d: %s", args, code, out)
		}
	}
	out := p.must(program, "log", "--json")
	for _, session := range []string{`"S1"`, `"S2"`} {
		if !strings.Contains(out, session) {
			p.t.Errorf("log has no conversation %s: %s", session, out)
		}
	}
	p.agent("S2", "post", "edit", "open.txt", `person open\n`, `person open\nS2 open\n`)
	p.commit("by the hooks of the earlier program")
	p.hold("with the hooks of the earlier program")
}

// mendAndGoOn mends what doctor finds, after which it must find nothing, and works on.
func (p *past) mendAndGoOn() {
	p.t.Helper()
	p.must(program, "doctor", "--fix")
	if out, code := p.run(program, "doctor"); code != 0 {
		p.t.Errorf("doctor finds something after it has mended all: %s", out)
	}
	p.must("git", "stash", "pop", "-q")
	p.commit("the stash")
	p.hold("with the stash")
	p.agent("S3", "start")
	p.agent("S3", "prompt", "go on")
	p.agent("S3", "edit", "a.txt", `S1 first\n`, `S1 first\nS3 first\n`)
	p.add("b.txt", "person fourth")
	p.commit("two")
	p.must("git", "checkout", "-q", "-b", "later")
	p.agent("S1", "write", "later.txt", `S1 later\n`)
	p.commit("later")
	p.must("git", "checkout", "-q", "main")
	p.add("c.txt", "person fifth")
	p.commit("three")
	p.must("git", "rebase", "-q", "main", "later")
	p.keep("S3 first", "person fourth", "S1 later", "person fifth")
}

// workByOld lets the earlier program meet what this one stored. It may not know who wrote what now comes. It may not
// disturb git, nor what is stored.
func (p *past) workByOld() {
	p.t.Helper()
	before, _ := os.ReadFile(filepath.Join(p.dir, ".git", "traces", "events.log"))
	known := p.events
	if out, code := p.run(program, "verify"); code == 0 && !slices.Equal(p.eventIDs(), known) {
		p.t.Errorf("the earlier program says nothing of a log that it cannot read: %s", out)
	}
	for _, args := range [][]string{{"doctor", "--fix"}, {"rebuild"}, {"gc"}, {"init"}, {"status"}, {"log"}} {
		p.run(append([]string{program}, args...)...) // whatever they say of it
	}
	p.agent("S4", "start")
	p.agent("S4", "write", "mixed.txt", `S4 by the earlier one\n`)
	p.add("mixed.txt", "person beside it")
	p.commit("by the earlier program again")
	p.agent("S4", "stop")
	p.agent("S4", "pre", "bash", "true")
	after, _ := os.ReadFile(filepath.Join(p.dir, ".git", "traces", "events.log"))
	if !strings.HasPrefix(string(after), string(before)) {
		p.t.Error("the earlier program changed the file of the log")
	}
}

// hold holds every line of every file, committed or not, to its writer.
func (p *past) hold(when string) {
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
func (p *past) output(args ...string) string {
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
func (p *past) eventIDs() []string {
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
func (p *past) holdEvents() {
	p.t.Helper()
	now, known := p.eventIDs(), p.events
	if len(now) < len(known) || !slices.Equal(now[:len(known)], known) {
		p.t.Errorf("of %d events that were recorded the log, with %d, does not have all", len(known), len(now))
	}
	if out, code := p.run(program, "verify"); code != 0 {
		p.t.Errorf("verify: %s", out)
	}
}
