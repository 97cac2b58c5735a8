package process

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"time"
)

// maxFound limits the number of processes in one result.
const maxFound = 256

// `Within` reports whether an environment belongs to a process of a conversation. The entries each end in NUL. One of
// them must be the mark, or have the session's id as its value. Agents pass both to their processes.
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

// minSession is the length from which the id of a session is unlikely to be the value of an unrelated variable.
const minSession = 8

// Self returns a time at which this process was running, to compare with the start times of others; 0 if unknown.
func Self() int64 {
	if canSearch {
		return now() // later than the start; reading the start time itself takes much longer
	}
	info, _ := infoOf(selfPID())
	return info.start
}

// Search describes the processes of a tool call.
type Search struct {
	Agent   ID
	Since   int64  // start of the call: Self of its first hook
	After   int    // process id of that hook
	Session string // see Within
	Mark    string
	// Hook says that this process is a hook of the agent. Over says that the call has ended, with all processes that the
	// agent itself started for it.
	Hook, Over bool
}

// `Left` lists the running processes of a call: descendants of the agent, and processes that lost their parent. Each
// comes after its parent. The result `known` is false if the system does not show them.
func (q Search) Left() (left []Process, known bool) {
	if q.Since == 0 || !canSearch {
		return nil, false
	}
	return q.leftBeside(ancestors(selfPID()))
}

// leftBeside does the same as Left, for a given process instead of this one. The parameter `own` lists that process and
// its ancestors.
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

// hook is the process that an agent started as a hook of git-trace: the hook itself, or the shell that runs it. The
// zero value means that there is none.
type hook struct {
	pid     int
	start   int64
	environ []byte // nil if the agent may give its commands the same environment
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

// ofHooks is the suffix of the names of variables that agents set for hooks and not for commands: CLAUDE_PROJECT_DIR
// and others.
var ofHooks = []byte("_PROJECT_DIR=")

// `alike` reports whether a process has the environment that the agent sets only for hooks. For example: another hook,
// which the agent started before ours, has left a program running.
func (h hook) alike(pid int) bool { return h.environ != nil && sameEnviron(environOf(pid), h.environ) }

// `before` reports whether the hook started before another process. A process that the agent starts after the hook is a
// hook too.
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

// `together` is the time within which an agent starts all hooks of one event.
const together = ticks / 10

// `besides` reports whether a process that the agent started is another hook: it started after ours, or at about the
// same time. A process of a call that started just before our hook does not count: its environment is different from a
// hook's.
func (h hook) besides(pid int, over bool) bool {
	if h.before(pid) || h.alike(pid) {
		return true
	}
	info, found := infoOf(pid)
	return h.pid != 0 && found && info.start >= h.start-together && (over || sameEnviron(environOf(pid), environOf(h.pid)))
}

// ofShells lists the variables that shells change.
var ofShells = []string{"_=", "PWD=", "OLDPWD=", "SHLVL="}

// sameEnviron reports whether two processes were started with the same environment, apart from the variables in
// ofShells.
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

// fastest is the largest number of processes that one processor starts in a second.
const fastest = 5_000

// margin is the assumed number of process ids that the system uses for each started process. Most of the others are for
// threads.
const margin = 4

// `young` returns a function that reports, from a process's id, whether it may have been started since the call began.
// Process ids are given in order and start again at the end (proc(5), pid_max), and the elapsed time limits their
// number.
func (q Search) young() func(pid int) bool {
	half := circle() / 2
	long := int64(half) * ticks / int64(fastest*runtime.NumCPU())
	if q.After <= 0 || half == 0 || now()-q.Since >= long {
		return func(int) bool { return true }
	}
	given := min(int(now()-q.Since+2)*margin*fastest*runtime.NumCPU()/ticks, half)
	return func(pid int) bool { return (pid-q.After+2*half)%(2*half) < given }
}

// Grown lists the given processes that are still running, and all their descendants. Each comes after its parent.
func Grown(list []Process) []Process {
	t := taken{}
	for _, p := range list {
		if p.State() == Alive {
			t.add(p.PID, false)
		}
	}
	return t.found
}

// taken collects processes.
type taken struct {
	query Search
	own   []int // this process and its ancestors, which do not belong to the call
	found []Process
	seen  []int
}

// add adds a process and its descendants. If `marked` is set, it leaves out processes without the mark, with their
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

// keepsHouse reports whether a process is git's maintenance, which git leaves running after other commands (git-gc(1),
// --auto; git-maintenance(1), --detach), or git's file-system monitor. Neither writes to the work tree.
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

// ancestors returns a process and its ancestors, except for the first process of the system.
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

// Process is a process of a call, with its parent and the number of bytes that it has written since its start.
type Process struct {
	ID
	Parent int
	Wrote  int64 // bytes; 0 if unknown
}

// Age returns how long the process has been running, or 0 if unknown.
func (p *Process) Age() time.Duration {
	if !canSearch {
		return 0
	}
	return time.Duration(now()-p.Start) * time.Second / ticks
}

// Output is a file outside of the work tree to which processes print, and its size.
type Output struct {
	Name string
	Size int64
}

// `steady` limits how often a measurement is repeated because something was printed during it.
const steady = 8

// Measure reads how many bytes each process of a list has written. The list comes from Left or Grown. The result
// `known` is false if the system does not show the number for one of the processes.
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

// measure reads each process before its parent. It leaves out a child that has ended since the list was made: the
// parent has waited for the child, and the parent's number includes the child's bytes. For example: a script runs one
// "sleep 0.02" after another, and at every second measurement one of them ends.
func measure(list []Process) (found []Process, known bool) {
	known = true
	for _, p := range slices.Backward(list) {
		wrote, told := writtenBy(p.PID)
		info, there := infoOf(p.PID) // read after the bytes: a process that exists now existed then
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

// outputs returns the files outside of the work tree to which processes print.
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

// `Since` returns the number of bytes that processes wrote between two measurements, without printed bytes: at most so
// many bytes can be in the work tree. The result `known` is false if a process has ended and its last number is lost;
// then the result counts only the others.
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
