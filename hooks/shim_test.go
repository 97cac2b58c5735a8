package hooks

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A broken git-trace equals none: same exit statuses, same refs, nothing printed.
func TestReliabilityE1ABrokenProgramChangesNothingForTheUser(t *testing.T) {
	t.Parallel()
	faults := map[string]string{
		"missing": "", "fails": "#!/bin/sh\nexit 1\n", "killed": "#!/bin/sh\nkill -9 $$\n", "crashes": "#!/bin/sh\nkill -SEGV $$\n",
		"talks": "#!/bin/sh\necho out; echo err >&2; exit 7\n", "no interpreter": "#!/nonexistent\n", "not executable": "x",
	}
	for name, text := range faults {
		for _, theirs := range []string{"", "#!/bin/sh -eu\n" + foreignBody, "#!/bin/bash\nset -e\n" + foreignBody, "#!/usr/bin/env perl\n$x = 1;\n"} {
			t.Run(name+" beside "+shebang([]byte(theirs)), func(t *testing.T) {
				t.Parallel()
				plain, w := newWorld(t), newWorld(t)
				mode := os.FileMode(0o755)
				if text == "x" {
					mode = 0o644
				}
				if w.write(w.binary, text, mode); text == "" {
					_ = os.Remove(w.binary)
				}
				if theirs != "" {
					each(theirs, 0o755)(plain)
					each(theirs, 0o755)(w)
				}
				w.install()
				if want, got := plain.tell(brief), w.tell(brief); got != want {
					t.Errorf("git did\n%s\nand without us\n%s", got, want)
				}
				if want, got := plain.logged(), w.logged(); !slices.Equal(got, want) {
					t.Errorf("theirs logged %q, and without us %q", got, want)
				}
				if out := w.git("commit", "--allow-empty", "-q", "-m", "quiet"); out != "" {
					t.Errorf("git commit printed %q", out)
				}
				if out := w.git("commit", "--allow-empty", "-q", "--amend", "-m", "quiet"); out != "" {
					t.Errorf("git commit --amend printed %q", out)
				}
			})
		}
	}
}

// shellsHere are the shells of this machine; each may be somebody's /bin/sh or stand in a "#!" line.
func shellsHere(t *testing.T) [][]string {
	t.Helper()
	var found [][]string
	for _, argv := range [][]string{{"sh"}, {"dash"}, {"bash"}, {"bash", "--posix"}, {"busybox", "sh"}, {"ksh"}, {"mksh"}, {"yash"}, {"zsh"}} {
		if path, err := exec.LookPath(argv[0]); err == nil {
			found = append(found, append([]string{path}, argv[1:]...))
		}
	}
	if len(found) == 0 {
		t.Skip("no shell on this machine")
	}
	return found
}

// inShell runs a hook in a shell and returns its exit status.
func (w *world) inShell(shell []string, options, hook, stdin string, args ...string) (string, int) {
	w.t.Helper()
	argv := slices.Clone(shell)
	if options != "" {
		argv = append(argv, options)
	}
	argv = append(append(argv, hook), args...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdin = w.dir, strings.NewReader(stdin)
	cmd.Env = append(append(os.Environ(), "HOOK_LOG="+w.log), w.env...)
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

func TestEveryShellRunsBothPartsAndKeepsTheExitStatus(t *testing.T) {
	t.Parallel()
	for _, shell := range shellsHere(t) {
		for _, options := range []string{"", "-e", "-u", "-eu", "-f"} {
			t.Run(strings.Join(append(shell, options), " "), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				each("#!/bin/sh\n"+foreignBody+"exit 5\n", 0o755)(w)
				w.install()
				for _, hook := range Names() {
					for _, args := range [][]string{nil, {"amend", "b c"}} {
						stdin, mine := "theirs\n", ""
						if readsInput(hook) {
							stdin = "old new\nold2 new2\n"
							mine = "old new;old2 new2"
						}
						out, code := w.inShell(shell, options, ".git/hooks/"+hook, stdin, args...)
						if code != 5 || out != "" {
							t.Errorf("%s %v ended with %d, printing %q", hook, args, code, out)
						}
						given := strings.Join(args, " ")
						input := strings.ReplaceAll(strings.TrimSpace(stdin), "\n", ";")
						wantLog(t, w.logged(),
							strings.TrimSpace("ours git-hook "+hook+" "+given)+" <"+mine+"> work clean",
							"foreign "+hook+" "+given+" <"+input+">")
					}
				}
			})
		}
	}
}

// The script re-feeds its input: all of it, however much, also to a reader that does not read.
func TestInputOfAnyLengthReachesBoth(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(strings.Repeat("0", 40)+" "+strings.Repeat("1", 40)+"\n", 3000)
	for _, shell := range shellsHere(t) {
		t.Run(strings.Join(shell, " "), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(w.binary, "#!/bin/sh\nwc -c >>\"$HOOK_LOG\"\n", 0o755)
			for body, want := range map[string][]string{
				"wc -c >>\"$HOOK_LOG\"\n": {"246000", "246000"}, "exit 4\n": {"246000"}, "cat >/dev/null; read -r x || echo end >>\"$HOOK_LOG\"\n": {"246000", "end"},
			} {
				w.write(w.hook("post-rewrite"), "#!/bin/sh\n"+body, 0o755)
				w.install()
				if out, _ := w.inShell(shell, "", ".git/hooks/post-rewrite", long, "rebase"); out != "" {
					t.Errorf("%q printed %q", body, out)
				}
				got := strings.Fields(w.read(w.log))
				_ = os.Remove(w.log)
				if !slices.Equal(got, want) {
					t.Errorf("%q: read %v bytes, want %v", body, got, want)
				}
			}
		})
	}
}

func TestWhereNothingIsTracedNoProcessIsStarted(t *testing.T) {
	t.Parallel()
	for _, shell := range shellsHere(t) {
		w := newWorld(t)
		each("#!/bin/sh\nread -r line; echo \"theirs $line\"\n", 0o755)(w)
		w.install()
		if err := os.RemoveAll(filepath.Join(w.dir, ".git", "traces")); err != nil {
			t.Fatal(err)
		}
		w.env = []string{"PATH=/nonexistent"} // whatever is not built into the shell would be missed loudly
		for _, hook := range Names() {
			if out, code := w.inShell(shell, "-eu", ".git/hooks/"+hook, "input\n"); code != 0 || out != "theirs input\n" {
				t.Errorf("%s in %v ended with %d, printing %q", hook, shell, code, out)
			}
		}
		wantLog(t, w.logged())
	}
}

func TestAProgramThatMovedIsFoundInThePath(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install()
	tools := filepath.Join(w.base, "tools")
	if err := os.MkdirAll(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(w.binary, filepath.Join(tools, "git-trace")); err != nil {
		t.Fatal(err)
	}
	w.env = []string{"PATH=" + tools + ":" + os.Getenv("PATH")}
	wantLog(t, w.commit(w.dir), oursHere)
	if h := w.status().Hooks[0]; h.State != Installed {
		t.Errorf("status is %+v", h)
	}
}
