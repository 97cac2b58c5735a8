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
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/driver"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// desk is a person's machine: a clone, a home, and the agents that they have at work.
type desk struct {
	*traced
	*ledgerOfWeek
	name   string
	agents []shellTool
	back   time.Duration // how far its clock was set back, as files and commits have it
}

// ledgerOfWeek is what was really typed: every line of the week is one of a kind and says who wrote it.
type ledgerOfWeek struct {
	t     *testing.T
	lines int
	loose map[string]bool // lines of which it may be that nobody knows the owner, since nothing could see it
}

var agentOf = map[string]string{"claude": "claude-code", "codex": "codex-cli", "gemini": "gemini-cli", "pi": "pi"}

// line is the next line of a writer: a person, or a client.
func (l *ledgerOfWeek) line(writer string) string {
	l.lines++
	return fmt.Sprintf("%s wrote line %d", writer, l.lines)
}

// newDesk makes the clone of a person. The first commit is the same in all of them.
func newDesk(t *testing.T, l *ledgerOfWeek, name, remote string, agents ...string) *desk {
	t.Helper()
	repo := driver.NewRepo(t)
	d := &desk{traced: &traced{Repo: repo, t: t, binary: filepath.Join(repo.Tmp, "bin", "git-trace")}, ledgerOfWeek: l, name: name}
	if err := os.MkdirAll(filepath.Dir(d.binary), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.meter(), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	testenv.CopySelf(t, d.binary)
	repo.Git("config", "user.name", name)
	repo.Git("remote", "add", "origin", remote)
	for _, tool := range shellTools() {
		if slices.Contains(agents, tool.client) {
			driver.Need(t, tool.client)
			d.agents = append(d.agents, tool)
		}
	}
	return d
}

func (d *desk) meter() string { return filepath.Join(filepath.Dir(d.binary), "meter") }

func (d *desk) start() {
	for _, tool := range d.agents {
		d.trace(append([]string{"init"}, tool.options...)...)
	}
}

// types appends a line by the person's own hand.
func (d *desk) types(file string) string {
	d.traced.t.Helper()
	line := d.line(d.name)
	text, err := os.ReadFile(filepath.Join(d.Dir, file))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.traced.t.Fatal(err)
	}
	d.Write(file, string(text)+line+"\n")
	if then := time.Now().Add(-d.back); d.back > 0 {
		if err := os.Chtimes(filepath.Join(d.Dir, file), then, then); err != nil {
			d.traced.t.Fatal(err)
		}
	}
	return line
}

// call is a shell call in which an agent appends a line to a file, after some other command.
func (d *desk) call(tool shellTool, first, file string) (driver.Turn, string) {
	line := d.line(tool.client)
	if first != "" {
		first += "; "
	}
	input := tool.argument(first + "echo '" + line + "' >> " + file)
	return driver.Turn{Tools: []driver.Tool{{Name: tool.tool, Input: input}}}, line
}

// asks lets an agent append a line to each file, in one conversation, while the person types into another one.
func (d *desk) asks(n int, beside string, files ...string) {
	d.traced.t.Helper()
	tool := d.agents[n]
	var turns []driver.Turn
	for _, file := range files {
		turn, _ := d.call(tool, "", file)
		turns = append(turns, turn)
	}
	if beside != "" {
		turns[len(turns)-1].Sh = "echo '" + d.line(d.name) + "' >> " + beside
	}
	d.plays(tool, driver.Options{}, append(turns, driver.Turn{})...)
}

func (d *desk) plays(tool shellTool, opts driver.Options, turns ...driver.Turn) {
	d.traced.t.Helper()
	d.client = tool.client
	opts.CheckTrust = tool.client == "codex"
	d.played(driver.Main(turns...), opts)
}

// dies lets an agent be killed in the middle of a shell call that has written a line.
func (d *desk) dies(n int, file string) {
	d.traced.t.Helper()
	tool := d.agents[n]
	started := filepath.Join(d.Tmp, "started")
	turn, line := d.call(tool, "", file)
	input := turn.Tools[0].Input.(map[string]any)
	for _, name := range []string{"command", "cmd"} {
		if text, found := input[name].(string); found {
			input[name] = text + "; touch " + started + "; sleep 20"
		}
	}
	d.plays(tool, driver.Options{SignalOn: started, Signal: syscall.SIGKILL, AllowFailure: true}, turn)
	d.loose[line] = true
}

// sleeps lets an agent be at work in a call when the machine goes to sleep: all of the person's processes stand still.
func (d *desk) sleeps(n int, file string, long time.Duration) {
	d.traced.t.Helper()
	tool := d.agents[n]
	started := filepath.Join(d.Tmp, "asleep")
	turn, _ := d.call(tool, "touch "+started+"; sleep 1", file)
	done := make(chan int, 1)
	go func() {
		for range 1500 {
			if _, err := os.Stat(started); err == nil {
				stopped := d.signal(syscall.SIGSTOP)
				time.Sleep(long)
				d.signal(syscall.SIGCONT)
				done <- stopped
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		done <- 0
	}()
	d.plays(tool, driver.Options{}, turn, driver.Turn{})
	if <-done == 0 {
		d.traced.t.Error("nothing was at work when the machine went to sleep")
	}
}

// signal sends a signal to every process that has the person's home, and tells how many there were.
func (d *desk) signal(s syscall.Signal) int {
	n := 0
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if err == nil && pid > 0 && bytes.Contains(env, []byte("HOME="+d.Home+"\x00")) && syscall.Kill(pid, s) == nil {
			n++
		}
	}
	return n
}

// commits commits everything on a branch, and publishes it.
func (d *desk) commits(message string) {
	d.traced.t.Helper()
	d.Git("add", "-A")
	d.Git("commit", "-q", "-m", message)
}

// Git runs git as the person does: the hooks find the program of this machine, and dates are those of its clock.
func (d *desk) Git(args ...string) string {
	d.traced.t.Helper()
	cmd := d.git(args...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		d.traced.t.Fatalf("%s: git %s: %v: %s", d.name, strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (d *desk) git(args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = d.Dir, d.Env(filepath.Dir(d.binary))
	if at := time.Now().Add(-d.back).Format(time.RFC3339); d.back > 0 {
		cmd.Env = append(cmd.Env, "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
	}
	return cmd
}

// conflicts lets an agent on a branch, and the person meanwhile, append to one file. The person settles what git cannot:
// both stay, with a line of theirs below.
func (d *desk) conflicts(file string) {
	d.traced.t.Helper()
	d.Git("checkout", "-q", "-b", "aside")
	d.asks(1, "", file)
	d.commits("an agent's side")
	d.Git("checkout", "-q", "-")
	d.types(file)
	d.commits("a person's side")
	if out, err := d.git("merge", "-q", "aside").CombinedOutput(); err == nil || !strings.Contains(string(out), "CONFLICT") {
		d.traced.t.Fatalf("git finds no conflict: %v: %s", err, out)
	}
	var both []string
	for line := range strings.Lines(d.Read(file)) {
		if strings.Contains(line, " wrote line ") {
			both = append(both, line)
		}
	}
	d.Write(file, strings.Join(both, ""))
	d.types(file)
	d.commits("both sides")
}

// moveTo gives the clone a file system of its own, with little room.
func (d *desk) moveTo(dir, size string) {
	d.traced.t.Helper()
	for _, args := range [][]string{
		{"mkdir", dir}, {"mount", "-t", "tmpfs", "-o", "size=" + size, "none", dir}, {"cp", "-a", d.Dir, dir},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			d.traced.t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
	d.traced.t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	d.Dir = filepath.Join(dir, filepath.Base(d.Dir))
}

// full fills the file system of the clone; what it gives frees the room again.
func (d *desk) full() (free func()) {
	name := filepath.Join(filepath.Dir(d.Dir), "filler")
	f, err := os.Create(name)
	if err != nil {
		d.traced.t.Fatal(err)
	}
	for chunk := 1 << 20; chunk > 0; {
		if _, err := f.Write(make([]byte, chunk)); err != nil {
			chunk /= 2
		}
	}
	_ = f.Close()
	return func() { _ = os.Remove(name) }
}

// score counts lines by whether the owner that is told is the one who wrote them.
type score struct{ right, nobody, wrong int }

// evening holds every line of every file to its writer.
func (d *desk) evening(day string) (s score) {
	d.traced.t.Helper()
	for _, file := range strings.Split(d.Git("ls-files", "--cached", "--others", "--exclude-standard"), "\n") {
		if strings.HasPrefix(file, ".") {
			continue
		}
		var out struct{ Lines []blamed }
		if err := json.Unmarshal([]byte(d.trace("blame", "--json", file)), &out); err != nil {
			d.traced.t.Fatal(err)
		}
		for _, l := range out.Lines {
			writer, _, of := strings.Cut(l.Content, " wrote line ")
			switch agent := agentOf[writer]; {
			case !of: // of the first commit, before anything was recorded
			case l.Contributor == "unknown" && d.loose[l.Content]:
				s.nobody++
			case agent == "" && l.Contributor == "human", agent != "" && l.Contributor == "ai" && l.Agent == agent:
				s.right++
			default:
				s.wrong++
				d.traced.t.Errorf("%s, %s's clone: %q of %s is %s %s", day, d.name, l.Content, file, l.Contributor, l.Agent)
			}
		}
	}
	d.trace("verify")
	return s
}

// disk is what git-trace keeps in the clone and in the home, in bytes.
func (d *desk) disk() (total int64) {
	for _, dir := range []string{filepath.Join(d.Dir, ".git", "traces"), filepath.Join(d.Home, ".local", "state", "git-trace")} {
		_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				if info, err := e.Info(); err == nil {
					total += info.Size()
				}
			}
			return nil
		})
	}
	refs := strings.Fields(d.Git("for-each-ref", "--format=%(refname)", "refs/traces"))
	if len(refs) > 0 {
		n, _ := strconv.ParseInt(d.Git(append([]string{"rev-list", "--objects", "--disk-usage"}, refs...)...), 10, 64)
		total += n
	}
	return total
}
