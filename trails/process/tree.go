package process

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"time"
)

// maxFound bounds how many processes one answer has.
const maxFound = 256

// Within reports whether an environment, entries with a NUL after each, belongs to a process of a conversation: an
// entry is the mark, or has the session's id for a value. Agents pass both to their processes.
func Within(environ []byte, session, mark string) bool {
	has := func(end string, whole bool) bool {
		for rest := environ; len(rest) > 0; {
			at := bytes.Index(rest, []byte(end+"\x00"))
			if at < 0 {
				return false
			}
			if !whole || at == 0 || rest[at-1] == 0 {
				return true
			}
			rest = rest[at+len(end)+1:]
		}
		return false
	}
	return len(session) >= minSession && has("="+session, false) || mark != "" && has(mark, true)
}

// minSession is the least length of a session's id that an environment has for no other reason.
const minSession = 8

// Self returns a moment at which this process was running, to compare with the start of others; 0 if unknown.
func Self() int64 {
	if canSearch {
		return now() // a bound for later processes; reading the start itself takes much longer
	}
	info, _ := infoOf(selfPID())
	return info.start
}

// Search describes the processes of a tool call.
type Search struct {
	Agent   ID
	Since   int64  // when the call began, by Self of its first hook
	After   int    // the number of that hook's process
	Session string // see Within
	Mark    string
	// Hook is true if this process is a hook of the agent, and Over if the call has ended with all processes that the
	// agent itself started for it.
	Hook, Over bool
}

// Left lists the living processes of a call: the agent's descendants, and processes that lost their parent on the way,
// each after its parent. known is false if the system does not show them.
func (q Search) Left() (left []Process, known bool) {
	if q.Since == 0 || !canSearch {
		return nil, false
	}
	return q.leftBeside(ancestors(selfPID()))
}

// leftBeside is Left for a process, given with its ancestors.
func (q Search) leftBeside(own []int) (left []Process, known bool) {
	t := taken{query: q, own: own}
	if q.Agent.State() != Alive {
		for _, pid := range all() {
			t.add(pid, true)
		}
		return t.found, true
	}
	above := t.own
	hook := hook{}
	if at := slices.Index(above, q.Agent.PID); at >= 0 {
		if q.Hook && at > 0 {
			hook = hookOf(above[at-1], q.Agent.PID)
		}
		above = above[at+1:]
	} else {
		above = ancestors(q.Agent.PID)
	}
	young := q.young()
	for _, pid := range childrenOf(q.Agent.PID) {
		if young(pid) && !hook.besides(pid, q.Over) {
			t.add(pid, true)
		}
	}
	for _, parent := range append(slices.Clone(above), 1) {
		for _, pid := range orphansOf(parent) {
			if young(pid) && !hook.before(pid) && !hook.alike(pid) {
				t.add(pid, true)
			}
		}
	}
	return t.found, true
}

// hook is the process that an agent started as a hook of git-trace: the hook itself, or the shell around it. The zero
// hook means that there is none.
type hook struct {
	pid     int
	start   int64
	environ []byte // nil where the agent may give its commands the same
}

func hookOf(pid, agent int) hook {
	info, found := infoOf(pid)
	if !found {
		return hook{}
	}
	h := hook{pid: pid, start: info.start}
	if environ := environOf(pid); bytes.Contains(environ, ofHooks) && !bytes.Contains(environOf(agent), ofHooks) {
		h.environ = environ
	}
	return h
}

// ofHooks ends the names of variables that agents give to hooks and not to commands: CLAUDE_PROJECT_DIR and others.
var ofHooks = []byte("_PROJECT_DIR=")

// alike reports whether a process has the environment that the agent gives to hooks alone. For example: another hook,
// which the agent started before ours, has left a program running.
func (h hook) alike(pid int) bool { return h.environ != nil && sameEnviron(environOf(pid), h.environ) }

// before reports whether the hook started before another process. A process that the agent starts after it is a hook,
// too.
func (h hook) before(pid int) bool {
	if h.pid == 0 {
		return false
	}
	info, found := infoOf(pid)
	if !found || info.start != h.start {
		return found && info.start > h.start
	}
	half := circle() / 2
	return pid != h.pid && (half == 0 || (pid-h.pid+2*half)%(2*half) < half)
}

// together is within how long an agent starts the hooks of one event.
const together = ticks / 10

// besides reports whether a process that the agent started is a hook like ours: it started after ours, or at about the
// same time. A process that started a moment ago and belongs to a call has another environment than hooks have.
func (h hook) besides(pid int, over bool) bool {
	if h.before(pid) || h.alike(pid) {
		return true
	}
	info, found := infoOf(pid)
	return h.pid != 0 && found && info.start >= h.start-together && (over || sameEnviron(environOf(pid), environOf(h.pid)))
}

// ofShells are the entries of an environment that shells set again.
var ofShells = []string{"_=", "PWD=", "OLDPWD=", "SHLVL="}

// sameEnviron reports whether two processes were started with the same environment.
func sameEnviron(a, b []byte) bool {
	list := func(raw []byte) []string {
		out := slices.DeleteFunc(strings.Split(string(raw), "\x00"), func(entry string) bool {
			return slices.ContainsFunc(ofShells, func(name string) bool { return strings.HasPrefix(entry, name) })
		})
		slices.Sort(out)
		return out
	}
	return len(a) > 0 && slices.Equal(list(a), list(b))
}

// fastest is the number of processes that a processor starts in a second at most.
const fastest = 5_000

// margin is the number of ids that the system uses for each process. Most of the others go to threads.
const margin = 4

// young returns a test by a process's number: may it have been started since the call began? Numbers are given in a
// circle (proc(5), pid_max), and the time limits how many.
func (q Search) young() func(pid int) bool {
	half := circle() / 2
	long := int64(half) * ticks / int64(fastest*runtime.NumCPU())
	if q.After <= 0 || half == 0 || now()-q.Since >= long {
		return func(int) bool { return true }
	}
	given := min(int(now()-q.Since+2)*margin*fastest*runtime.NumCPU()/ticks, half)
	return func(pid int) bool { return (pid-q.After+2*half)%(2*half) < given }
}

// Grown lists the living ones of some processes, and all their descendants, each after its parent.
func Grown(list []Process) []Process {
	t := taken{}
	for _, p := range list {
		if p.State() == Alive {
			t.add(p.PID, false)
		}
	}
	return t.found
}

// taken gathers processes.
type taken struct {
	query Search
	own   []int // the way to this process; it does not belong to the call
	found []Process
	seen  []int
}

// add takes a process with its descendants. If marked is set, a process without the mark is left out with its
// descendants.
func (t *taken) add(pid int, marked bool) {
	if len(t.found) >= maxFound || slices.Contains(t.seen, pid) || slices.Contains(t.own, pid) {
		return
	}
	t.seen = append(t.seen, pid)
	info, found := infoOf(pid)
	if !found || info.ended || info.start < t.query.Since || own[info.name] || keepsHouse(pid, info) {
		return
	}
	environ := environOf(pid)
	if behind(environ) || marked && !Within(environ, t.query.Session, t.query.Mark) {
		return
	}
	id := here()
	id.PID, id.Start = pid, info.start
	t.found = append(t.found, Process{ID: id, Parent: info.parent})
	for _, child := range childrenOf(pid) {
		t.add(child, false)
	}
}

// keepsHouse reports whether a process is git's housekeeping, which git leaves running after other commands (git-gc(1),
// --auto; git-maintenance(1), --detach), or git's watcher of files. They do not write the work tree.
func keepsHouse(pid int, info info) bool {
	if info.name != "git" {
		return false
	}
	args := argumentsOf(pid)
	for i := 1; i < len(args); i++ {
		switch {
		case args[i] == "-c" || args[i] == "-C":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return slices.Contains([]string{"gc", "maintenance", "fsmonitor--daemon"}, args[i])
		}
	}
	return false
}

// ancestors returns a process and its ancestors, without the first process of the system.
func ancestors(pid int) []int {
	var out []int
	for pid > 1 && len(out) < maxDepth {
		info, found := infoOf(pid)
		if !found {
			break
		}
		out = append(out, pid)
		pid = info.parent
	}
	return out
}

// Process is a process of a call, with its parent and the bytes that it has written since its start.
type Process struct {
	ID
	Parent int
	Wrote  int64 // in bytes; 0 where that is not known
}

// Age returns the time that the process has run; 0 if unknown.
func (p *Process) Age() time.Duration {
	if !canSearch {
		return 0
	}
	return time.Duration(now()-p.Start) * time.Second / ticks
}

// Output is a file that processes print to, outside of the work tree, and its size.
type Output struct {
	Name string
	Size int64
}

// steady bounds how often a measurement is made again because something was printed meanwhile.
const steady = 8

// Measure reads the written bytes of a list from Left or Grown. known is false if the system does not show them for
// one process.
func Measure(list []Process, workTree string) (found []Process, printed []Output, known bool) {
	printed = outputs(list, workTree)
	for range steady {
		found, known = measure(list)
		again := outputs(list, workTree)
		if slices.Equal(printed, again) {
			break
		}
		printed = again
	}
	return found, printed, known
}

// measure reads each process before its parent. A child that has ended since the list was made is left out: its parent
// has waited for it and has its bytes. For example: a script runs one "sleep 0.02" after the other, and one ends in
// every other look.
func measure(list []Process) (found []Process, known bool) {
	known = true
	for _, p := range slices.Backward(list) {
		wrote, told := writtenBy(p.PID)
		info, there := infoOf(p.PID) // after that: a process that is there now was there then
		there = there && info.start == p.Start
		if !there && slices.ContainsFunc(list, func(o Process) bool { return o.PID == p.Parent }) {
			continue
		}
		known = known && there && told
		found = append(found, Process{ID: p.ID, Parent: info.parent, Wrote: wrote})
	}
	slices.Reverse(found)
	return found, known
}

// outputs returns the files outside of the work tree that processes print to.
func outputs(list []Process, workTree string) (found []Output) {
	for _, p := range list {
		for _, o := range outputsOf(p.PID) {
			within := o.Name == workTree || strings.HasPrefix(o.Name, workTree+"/")
			if !within && !slices.ContainsFunc(found, func(f Output) bool { return f.Name == o.Name }) {
				found = append(found, o)
			}
		}
	}
	return found
}

// Since counts the bytes that processes wrote between two measurements, without printed ones: at most these can be in
// the work tree. known is false if a process has ended and its last count is lost; then only the others are counted.
func Since(was, is []Process, wasPrinted, isPrinted []Output) (n int64, known bool) {
	known = true
	for _, now := range is {
		n += now.Wrote
	}
	for _, then := range was {
		lives := func(pid int) bool {
			return slices.ContainsFunc(is, func(p Process) bool { return p.PID == pid })
		}
		if !lives(then.PID) && !lives(then.Parent) {
			known = false
			continue
		}
		n -= then.Wrote
	}
	for _, now := range isPrinted {
		grown := now.Size
		for _, then := range wasPrinted {
			if then.Name == now.Name {
				grown -= then.Size
			}
		}
		n -= max(grown, 0)
	}
	return max(n, 0), known
}
