package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// What is told is the mark that a process carries, not where its program lies, nor which file it is.
func TestProgramsOfGitTraceAreNoCalls(t *testing.T) {
	t.Parallel()
	at := func(t *testing.T, name string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.Link(os.Args[0], path); err != nil && os.Symlink(os.Args[0], path) != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, tt := range map[string]struct {
		program string
		env     string
		ours    bool
	}{
		"git-trace at another place":              {"git-trace", sleepsEnv + "=1", true},
		"git-trace-hook":                          {"git-trace-hook", sleepsEnv + "=1", true},
		"git-trace-serve":                         {"git-trace-serve", sleepsEnv + "=1", true},
		"a hook program with another name":        {".git-trace-hook-wrapped", sleepsEnv + "=renamed", true},
		"what a hook started":                     {"git", ownMark + "77", true},
		"a program that begins with our name":     {"git-trace-all", sleepsEnv + "=1", false},
		"a program with our mark in another text": {"tool", "X" + ownMark + "77", false},
		"any other":                               {"tool", sleepsEnv + "=1", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mark, since := mark(t), Self()
			cmd := exec.CommandContext(t.Context(), at(t, tt.program))
			cmd.Env = append(os.Environ(), sleepsEnv+"=1", mark, tt.env)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait() // it was killed
			})
			pid := cmd.Process.Pid
			eventually(t, "its environment is there", func() bool { return Within(environOf(pid), "", mark) })
			found := func() bool {
				list, known := Search{Agent: Of(os.Getpid()), Since: since, Mark: mark}.Left()
				if !known {
					t.Fatal("the system does not tell")
				}
				return slices.ContainsFunc(list, func(p Process) bool { return p.PID == pid })
			}
			if tt.ours {
				eventually(t, "it is told apart", func() bool { return !found() })
			} else if !found() {
				t.Error("it is not found")
			}
		})
	}
}

// An agent runs hooks of others beside ours. None of them is the call's that ends.
func TestHooksOfOthersAreNoCalls(t *testing.T) {
	t.Parallel()
	mark := mark(t)
	since := Self()
	shell := start(t, []string{mark, "CALL=1"}, "sleep 30") // what the agent goes on with for the call
	left := start(t, []string{mark, "CALL=1"}, "(sleep 29 &) ; exit 0")
	_ = left.Wait()
	const ofHook = "AGENT_PROJECT_DIR=/"
	earlier := start(t, []string{mark, ofHook}, "(sleep 31 &) ; exit 0") // a hook that began long before ours
	_ = earlier.Wait()
	time.Sleep((together + 3) * time.Second / ticks)
	other := start(t, []string{mark, ofHook}, "sleep 28")
	our := start(t, []string{mark, ofHook}, "sleep 27")
	later := start(t, []string{mark, ofHook}, "(sleep 26 &) ; sleep 25")
	names := func(over bool) (out []string) {
		q := Search{Agent: Of(os.Getpid()), Since: since, Mark: mark, Hook: true, Over: over}
		found, known := q.leftBeside([]int{our.Process.Pid, os.Getpid()})
		if !known {
			t.Fatal("the system does not tell")
		}
		for _, p := range found {
			if args := argumentsOf(p.PID); args[0] == "sleep" {
				out = append(out, args[1])
			}
		}
		slices.Sort(out)
		return out
	}
	eventually(t, "all are there", func() bool {
		all, _ := Search{Agent: Of(os.Getpid()), Since: since, Mark: mark}.Left()
		return len(all) >= 7
	})
	for _, over := range []bool{true, false} {
		if got := strings.Join(names(over), " "); got != "29 30" {
			t.Errorf("over %v: found sleep %s, of %d %d %d %d", over, got, shell.Process.Pid, other.Process.Pid,
				our.Process.Pid, later.Process.Pid)
		}
	}
}
