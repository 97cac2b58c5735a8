package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// mark is an entry that only processes of this test have.
func mark(t *testing.T) string {
	return fmt.Sprintf("GITTRACE_TEST_MARK=%s-%d", t.Name(), os.Getpid())
}

func start(t *testing.T, env []string, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // of a test that did not
	})
	return cmd
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: it never was", what)
		}
	}
}

// sleepsEnv has the test's own program do nothing for a while, as a hook leaves it behind; "renamed" has it mark itself
// before.
const sleepsEnv = "GITTRACE_TEST_SLEEPS"

func TestMain(m *testing.M) {
	switch os.Getenv(sleepsEnv) {
	case "":
		os.Exit(m.Run())
	case "renamed":
		MarkOwn()
	}
	time.Sleep(30 * time.Second)
}

func TestWhatACallLeftRunningIsFound(t *testing.T) {
	t.Parallel()
	for name, left := range map[string]string{
		"a child that its shell left behind": "sleep 1000 &",
		"one in a session of its own":        "setsid sleep 1000 >/dev/null 2>&1 &",
		"one that hangs up never":            "nohup sh -c 'sleep 1000; true' >/dev/null 2>&1 &",
		"the shell itself":                   "sleep 1000; true",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := Search{Agent: Of(os.Getpid()), Since: Self(), After: os.Getpid(), Mark: mark(t)}
			cmd := start(t, []string{q.Mark}, left)
			defer killMarked(q)
			var found []Process
			eventually(t, "a process is found", func() bool {
				found, _ = q.Left()
				return slices.ContainsFunc(found, func(p Process) bool { info, _ := infoOf(p.PID); return info.name == "sleep" })
			})
			if name != "the shell itself" {
				_ = cmd.Wait()
				if found, _ = q.Left(); len(found) == 0 {
					t.Error("it is lost with the end of its shell")
				}
			}
			gone := q
			gone.Agent = Ended(1 << 30)
			if found, known := gone.Left(); !known || len(found) == 0 {
				t.Error("it is not found after the agent's death")
			}
			late := q
			if late.Since = Self() + 1<<40; len(first(late.Left())) != 0 {
				t.Error("what is older than the call is found")
			}
			other := q
			if other.Mark = "GITTRACE_TEST_MARK=other"; len(first(other.Left())) != 0 {
				t.Error("what another agent started is found")
			}
			if grown := Grown(found); len(grown) == 0 {
				t.Error("it is not found again")
			}
		})
	}
}

func TestGitsHousekeepingIsNoAgents(t *testing.T) {
	t.Parallel()
	for line, left := range map[string]bool{
		"gc --auto": false, "-c gc.auto=1 -C . maintenance run --auto --detach": false, "status": true, "-C . commit --message gc": true,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			mark, since, pipe := mark(t), Self(), filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			// git waits for a reader before it does anything.
			cmd := exec.CommandContext(t.Context(), "git", strings.Fields(line)...)
			cmd.Env = append(os.Environ(), mark, "GIT_TRACE2="+pipe)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait() // it was killed
			})
			pid := cmd.Process.Pid
			eventually(t, "its environment is there", func() bool { return Within(environOf(pid), "", mark) })
			eventually(t, "git runs", func() bool { info, _ := infoOf(pid); return info.name == "git" })
			found, known := Search{Agent: Of(os.Getpid()), Since: since, Mark: mark}.Left()
			if has := slices.ContainsFunc(found, func(p Process) bool { return p.PID == pid }); has != left || !known {
				t.Errorf("found %v, known %v", found, known)
			}
		})
	}
}

func first(found []Process, _ bool) []Process { return found }

func killMarked(q Search) {
	found, _ := q.Left()
	for _, id := range found {
		if p, err := os.FindProcess(id.PID); err == nil {
			_ = p.Kill()
		}
	}
}

func TestBytesOfEndedChildrenCountAndOutputDoesNot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	go1, go2, done := filepath.Join(dir, "go"), filepath.Join(dir, "go2"), filepath.Join(dir, "done")
	wait := func(name string) string { return "while ! [ -e " + name + " ]; do sleep 0.01; done; " }
	cmd := exec.CommandContext(t.Context(), "sh", "-c", wait(go1)+"head -c 100000 /dev/zero > "+filepath.Join(dir, "f")+"; head -c 5000 /dev/zero; : > "+done+"; "+wait(go2))
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	shell := []Process{{ID: Of(cmd.Process.Pid)}}
	was, wasPrinted, known := Measure(shell, dir)
	if !known {
		t.Skip("the system does not tell what processes write")
	}
	touch := func(name string) {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Error(err)
		}
	}
	touch(go1)
	defer touch(go2)
	eventually(t, "the work", func() bool { _, err := os.Stat(done); return err == nil })
	is, isPrinted, _ := Measure(shell, dir)
	if n, known := Since(was, is, wasPrinted, isPrinted); !known || n != 100000 {
		t.Errorf("%d bytes (%v), want 100000", n, known)
	}
}

// A script that starts one program after the other is asked in the midst of it: most have ended by the time they are
// asked. What they wrote is told nevertheless, once each or twice at most where one ends between two questions.
func TestChildrenThatEndWhileTheyAreAskedAreToldByTheirParent(t *testing.T) {
	t.Parallel()
	if _, told := writtenBy(os.Getpid()); !told {
		t.Skip("the system does not tell what processes write")
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "while :; do /bin/true; done")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	}()
	shell := []Process{{ID: Of(cmd.Process.Pid)}}
	ended := 0
	for range 2000 {
		list := Grown(shell)
		time.Sleep(100 * time.Microsecond)
		found, _, known := Measure(list, "")
		if !known {
			t.Fatalf("of %v is told %v", list, found)
		}
		if len(found) < len(list) {
			ended++
		}
	}
	if ended == 0 {
		t.Error("no child ended in the midst of a look")
	}

	// of one that nothing has waited for its bytes are lost
	child := exec.CommandContext(t.Context(), "sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lost := []Process{{ID: Of(child.Process.Pid), Parent: 1}}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	if _, _, known := Measure(lost, ""); known {
		t.Error("what an orphan wrote is known")
	}
}

func TestWhatWasWrittenBetweenTwoLooks(t *testing.T) {
	t.Parallel()
	p := func(pid, parent int, wrote int64) Process { return Process{ID{PID: pid}, parent, wrote} }
	o := func(size int64) []Output { return []Output{{"/log", size}} }
	for name, tt := range map[string]struct {
		was, is         []Process
		printed, prints []Output
		want            int64
		known           bool
	}{
		"nothing":                           {[]Process{p(5, 1, 70)}, []Process{p(5, 1, 70)}, nil, nil, 0, true},
		"some":                              {[]Process{p(5, 1, 70)}, []Process{p(5, 1, 90)}, nil, nil, 20, true},
		"a new one counts from its start":   {[]Process{p(5, 1, 70)}, []Process{p(5, 1, 70), p(6, 5, 8)}, nil, nil, 8, true},
		"a child's bytes go to its parent":  {[]Process{p(5, 1, 70), p(6, 5, 8)}, []Process{p(5, 1, 80)}, nil, nil, 2, true},
		"a lost child's bytes are lost":     {[]Process{p(5, 1, 70), p(6, 1, 8)}, []Process{p(5, 1, 70)}, nil, nil, 0, false},
		"all have ended":                    {[]Process{p(5, 1, 70)}, nil, nil, nil, 0, false},
		"what is printed does not count":    {[]Process{p(5, 1, 70)}, []Process{p(5, 1, 90)}, o(100), o(115), 5, true},
		"a log that was cut off hides none": {[]Process{p(5, 1, 70)}, []Process{p(5, 1, 90)}, o(100), o(0), 20, true},
	} {
		if n, known := Since(tt.was, tt.is, tt.printed, tt.prints); n != tt.want || known != tt.known {
			t.Errorf("%s: %d, %v; want %d, %v", name, n, known, tt.want, tt.known)
		}
	}
}

func TestAnEnvironmentTellsItsConversation(t *testing.T) {
	t.Parallel()
	const session = "01a2066c-9edc-75b3"
	for name, tt := range map[string]struct {
		environ, session, mark string
		want                   bool
	}{
		"the session stands in it":       {"A=1\x00X_ID=" + session + "\x00B=2\x00", session, "", true},
		"a part of it does not count":    {"A=1\x00X_ID=" + session + "7\x00", session, "", false},
		"a longer word does not either":  {"X_ID=7" + session + "\x00", session, "", false},
		"a short id tells nothing":       {"A=1\x00", "1", "", false},
		"the mark stands in it":          {"A=1\x00GEMINI_CLI=1\x00", "", "GEMINI_CLI=1", true},
		"the mark is first":              {"GEMINI_CLI=1\x00", "", "GEMINI_CLI=1", true},
		"another entry ends like a mark": {"NO_GEMINI_CLI=1\x00", "", "GEMINI_CLI=1", false},
		"it stands there after another":  {"NO_M=1\x00M=1\x00", "", "M=1", true},
		"nothing":                        {"", session, "M=1", false},
	} {
		if got := Within([]byte(tt.environ), tt.session, tt.mark); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTheTimesOfAProcess(t *testing.T) {
	t.Parallel()
	p := Process{ID: Of(os.Getpid())}
	age, awake, since := p.Age(), Awake(), time.Now()
	time.Sleep(100 * time.Millisecond)
	for what, grown := range map[string]time.Duration{"its age": p.Age() - age, "the system's": time.Duration(Awake() - awake)} {
		if passed := time.Since(since); grown < 80*time.Millisecond || grown > passed+50*time.Millisecond {
			t.Errorf("%s grew by %v, and %v passed", what, grown, passed)
		}
	}
	info, _ := infoOf(os.Getpid())
	if at := Self(); at < info.start || p.Age() != time.Duration(now()-info.start)*time.Second/ticks && p.Age() <= age {
		t.Errorf("now is %d, and this process started at %d", at, info.start)
	}
}

// Kernels that do not keep the children of a process have all looked at.
func TestTheChildrenOfAProcessInBothWays(t *testing.T) {
	t.Parallel()
	child := start(t, nil, "sleep 1000; true").Process.Pid
	for name, children := range map[string]func(int) []int{
		"by its threads": childrenOf, "among all": childrenAmongAll,
		"of its first thread, which has what lost its parent": func(pid int) []int { return append(orphansOf(pid), childrenOf(pid)...) },
	} {
		if got := children(os.Getpid()); !slices.Contains(got, child) || slices.Contains(got, os.Getpid()) {
			t.Errorf("%s: %v, want %d among them", name, got, child)
		}
		if got := children(child); slices.Contains(got, child) {
			t.Errorf("%s: a process is its own child", name)
		}
	}
	if got := childrenOf(1 << 30); got != nil {
		t.Errorf("a number that no process has got %v", got)
	}
}

func TestTheStarterIsAnAncestorAndNoShell(t *testing.T) {
	t.Parallel()
	pid := Starter()
	if pid == 0 {
		t.Skip("nothing but shells started this")
	}
	info, found := infoOf(pid)
	if !found || between[info.name] || !Ancestor(pid) {
		t.Errorf("%d is %+v", pid, info)
	}
	for _, nearer := range ancestors(os.Getppid()) {
		if nearer == pid {
			break
		}
		if info, _ := infoOf(nearer); !between[info.name] {
			t.Errorf("%d (%s) is nearer than %d", nearer, info.name, pid)
		}
	}
}

// What a process wrote into files outside of the work tree that it has open is no reason, whichever file that is; and
// what serves others and works elsewhere is none of a call's.
func TestWhatWorksElsewhere(t *testing.T) {
	t.Parallel()
	tree, outside := t.TempDir(), t.TempDir()
	const listening = `import socket,time; s=socket.socket(); s.bind(("127.0.0.1",0)); s.listen(); open("ready","w"); time.sleep(30)`
	const local = `import socket,time; s=socket.socket(socket.AF_UNIX); s.bind("` + "\x00" + `x"); s.listen(); open("ready","w"); time.sleep(30)`
	for name, tt := range map[string]struct {
		dir    string
		script string
		want   bool
	}{
		"started elsewhere":                   {outside, "touch ready; sleep 30", true},
		"started in the work tree":            {tree, "touch ready; sleep 30", false},
		"with a file of the work tree open":   {outside, "exec 7>" + tree + "/f; touch ready; sleep 30", false},
		"that reads a file of the work tree":  {outside, "touch " + tree + "/g; exec 7<" + tree + "/g; touch ready; sleep 30", true},
		"a service started in the work tree":  {tree, "exec python3 -c '" + listening + "'", true},
		"a service of this machine alone":     {tree, "exec python3 -c '" + strings.ReplaceAll(local, "\x00", `\0`+mark(t)) + "'", true},
		"a child in the work tree of one not": {outside, "touch ready; cd " + tree + "; sleep 30", false},
	} {
		dir := filepath.Join(tt.dir, strings.ReplaceAll(name, " ", "-"))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := start(t, []string{mark(t)}, "cd "+dir+" && "+tt.script)
		eventually(t, name, func() bool { _, err := os.Stat(filepath.Join(dir, "ready")); return err == nil })
		eventually(t, name, func() bool {
			return Elsewhere(Grown([]Process{{ID: Of(cmd.Process.Pid)}}), tree) == tt.want
		})
	}
	log, pipe := filepath.Join(outside, "log"), filepath.Join(outside, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	writer := start(t, nil, "exec 5>>"+log+" 6<>"+pipe+"; touch "+outside+"/open; read go <&6; echo 0123456789 >&5; "+
		"echo 01 >"+tree+"/h; touch "+outside+"/done; read go <&6")
	exists := func(name string) func() bool {
		return func() bool { _, err := os.Stat(filepath.Join(outside, name)); return err == nil }
	}
	eventually(t, "its files are open", exists("open"))
	was, wasPrinted, known := Measure(Grown([]Process{{ID: Of(writer.Process.Pid)}}), tree)
	if err := os.WriteFile(pipe, []byte("go\n"), 0); err != nil || !known {
		t.Fatal(err, known)
	}
	eventually(t, "it has written", exists("done"))
	is, isPrinted, _ := Measure(was, tree)
	if n, known := Since(was, is, wasPrinted, isPrinted); n != 3 || !known {
		t.Errorf("it wrote %d bytes elsewhere than in what it has open, %v", n, known)
	}
}
