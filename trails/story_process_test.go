package trails

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/spool"
)

// program is a process of a story: a shell that carries out what it is told, an agent or what a call of it left running.
type program struct {
	story *story
	name  string
	pid   int
	told  *os.File
	wait  func() // for its end, where this process started it
}

// reads carries out the lines of a pipe one after the other, and says of each that it is done.
const reads = `while read -r line; do eval "$line"; : > "$1.done"; done < "$1"` + "\n"

func needsProcesses(t *testing.T) {
	t.Helper()
	if _, known := (process.Search{Since: 1, Mark: "of nobody"}).Left(); !known {
		t.Skip("this system does not tell of processes")
	}
	testenv.Needs(t, "sh", "mkfifo")
}

func (y *story) pipe(name string) string { return filepath.Join(y.tools, name) }

// program makes the pipe of a process that begin starts.
func (y *story) program(name string, begin func(pipe string) (pid int, wait func())) {
	y.t.Helper()
	y.check(os.WriteFile(y.pipe("reads.sh"), []byte(reads), 0o600))
	y.check(exec.Command("mkfifo", y.pipe(name)).Run())
	told, err := os.OpenFile(y.pipe(name), os.O_RDWR, 0)
	y.check(err)
	p := &program{story: y, name: name, told: told}
	y.programs[name] = p
	p.pid, p.wait = begin(y.pipe(name))
	y.t.Cleanup(func() {
		_ = told.Close() // it has ended already, or does now
		p.wait()
	})
	p.do(":")
}

// agent starts an agent, for boundaries that say by=NAME.
func (y *story) agent(name string) {
	y.t.Helper()
	y.program(name, func(pipe string) (int, func()) {
		cmd := exec.Command("sh", y.pipe("reads.sh"), pipe)
		cmd.Dir = y.repo.WorkTree
		cmd.Env = append(os.Environ(), "T="+y.tools, y.mark(name))
		y.check(cmd.Start())
		return cmd.Process.Pid, sync.OnceFunc(func() { _ = cmd.Wait() })
	})
}

func (y *story) mark(agent string) string { return "GITTRACE_STORY=" + y.pipe(agent) }

func (p *program) mark() string { return p.story.mark(p.name) }

// hooked does what the hook of an agent does, in the name of a process that is as young as a hook's.
func (y *story) hooked(by string, does func()) {
	y.t.Helper()
	before, err := loadState(y.repo)
	y.check(err)
	does()
	if y.programs[by] == nil {
		return
	}
	young := exec.Command("true")
	y.check(young.Run())
	own, hook := fmt.Sprintf("-%d.", os.Getpid()), fmt.Sprintf("-%d.", young.Process.Pid)
	late, err := filepath.Glob(filepath.Join(globSafe(spool.Dir(y.repo)), "*"+own+"*"))
	y.check(err)
	for _, name := range late {
		y.check(os.Rename(name, strings.Replace(name, own, hook, 1)))
	}
	now, err := loadState(y.repo)
	y.check(err)
	if len(now.Windows) > len(before.Windows) {
		now.Windows[len(now.Windows)-1].Run.Opener = young.Process.Pid
		y.check(now.save(y.repo))
	}
}

// leave has a program start another one that goes on beside it.
func (p *program) leave(name string) {
	y := p.story
	y.program(name, func(pipe string) (int, func()) {
		p.do(fmt.Sprintf(`sh "%s" "%s" & echo $! > "%s.pid"`, y.pipe("reads.sh"), pipe, pipe))
		raw, err := os.ReadFile(pipe + ".pid")
		y.check(err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
		y.check(err)
		return pid, func() {}
	})
}

// do has the program carry out a line of shell, and waits until it has.
func (p *program) do(line string) {
	y := p.story
	y.t.Helper()
	done := y.pipe(p.name) + ".done"
	_, err := p.told.WriteString(line + "\n")
	y.check(err)
	y.eventually(p.name+" does "+line, func() bool { return os.Remove(done) == nil })
}

// end lets the program end.
func (p *program) end() {
	p.story.t.Helper()
	id := process.Of(p.pid)
	p.story.check(p.told.Close())
	p.wait()
	p.story.eventually(p.name+" ends", func() bool { return id.State() != process.Alive })
}

func (y *story) eventually(what string, done func() bool) {
	y.t.Helper()
	for end := time.Now().Add(30 * time.Second); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			y.t.Fatalf("%s: it never was", what)
		}
	}
}
