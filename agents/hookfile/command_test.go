package hookfile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/hookfile"
)

func TestACommandIsReadBackWhateverThePath(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"/usr/bin/git-trace", "/with space/git-trace", "/it's/git-trace", `/a"b/git-trace`, `/a\b/git-trace`, "/$HOME/`x`/git-trace",
		"/ü/git-trace", `C:\Program Files\git-trace.exe`, "/new\nline/git-trace", "''", "/;|&<>()/git-trace",
	} {
		command := hookfile.Command(path, "claude-code", "Stop")
		binary, agent, event, ok := hookfile.ParseCommand(command)
		if !ok || binary != path || agent != "claude-code" || event != "Stop" {
			t.Errorf("%s is read as %q %q %q %v", command, binary, agent, event, ok)
		}
		if out, err := exec.Command("sh", "-c", "printf %s, "+command).Output(); err == nil {
			if want := path + ",hook,claude-code,Stop,"; string(out) != want {
				t.Errorf("the shell reads %q, want %q", out, want)
			}
		}
	}
}

// A command that is committed for a team is silent and succeeds where the program is not there, in every shell, and
// starts it with its input where it is.
func TestACommandForATeamLooksForTheProgram(t *testing.T) {
	t.Parallel()
	command := hookfile.Command(hookfile.LookedFor, "claude-code", "Stop")
	binary, agent, event, ok := hookfile.ParseCommand(command)
	if !ok || binary != hookfile.LookedFor || agent != "claude-code" || event != "Stop" || strings.Contains(command, "/git-trace") {
		t.Errorf("%s is read as %q %q %q %v", command, binary, agent, event, ok)
	}
	dir := t.TempDir()
	const program = "#!/bin/sh\nread line; echo $line $*; exit 3\n"
	if err := os.WriteFile(filepath.Join(dir, hookfile.LookedFor), []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, shell := range []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "fish"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue // sh is there
		}
		for where, want := range map[string]string{"/usr/bin:/bin": "", dir + ":/usr/bin:/bin": "{} hook claude-code Stop\n"} {
			cmd := exec.Command(path, "-c", command)
			cmd.Env = []string{"PATH=" + where, "HOME=" + dir}
			cmd.Stdin = strings.NewReader("{}\n")
			if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
				t.Errorf("%s with PATH %s: %q, %v, want %q", shell, where, out, err, want)
			}
		}
	}
}

func TestCommandsThatAreNotOurs(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"", "git-trace", "git-trace hook claude-code", "git-trace status",
		"git-trace hook claude-code Stop; rm x", "git-trace hook claude-code Stop | tee",
		"git-trace hook claude-code $X", "'git-trace hook claude-code Stop", `"git-trace`, `git-trace\`, "git-trace hook claude-code Stop extra",
		"other hooks claude-code stop", `"$(x)" hook claude-code Stop`,
	} {
		if binary, agent, event, ok := hookfile.ParseCommand(command); ok {
			t.Errorf("%q is read as %q %q %q", command, binary, agent, event)
		}
	}
}

func TestCommandsWrittenByHandAreRead(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"git trace hook claude-code Stop":                    "git",
		`  "/a b/git-trace"   hook  claude-code 'Stop' `:     "/a b/git-trace",
		`/a\ b/git-trace hook claude-code Stop`:              "/a b/git-trace",
		`"/a\"b\\c\d/git-trace" hook claude-code "Stop"`:     `/a"b\c\d/git-trace`,
		`'/a'"b"c/git-trace hook claude-code Stop`:           "/abc/git-trace",
		"git-trace\thook\nclaude-code Stop":                  "git-trace",
		`'' hook claude-code Stop`:                           "",
		strings.Repeat("x", 3000) + " hook claude-code Stop": strings.Repeat("x", 3000),
	}
	for command, want := range tests {
		binary, _, event, ok := hookfile.ParseCommand(command)
		if !ok || binary != want || event != "Stop" {
			t.Errorf("%q is read as %q %q %v", command, binary, event, ok)
		}
	}
}

func FuzzParseCommand(f *testing.F) {
	f.Add("'/a'\\''b/git-trace' hook claude-code Stop")
	f.Add(`"a\"b" hook c d`)
	f.Fuzz(func(t *testing.T, command string) {
		binary, agent, event, ok := hookfile.ParseCommand(command)
		if !ok {
			return
		}
		again, _, _, ok := hookfile.ParseCommand(hookfile.Command(binary, "a", "b"))
		if !ok || again != binary {
			t.Errorf("%q (%q %q) does not survive quoting: %q", binary, agent, event, again)
		}
	})
}
