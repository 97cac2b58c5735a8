package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// stranger makes a repository whose configuration and hooks name programs, each of which leaves a file when it is
// started, and gives the directory of those files.
func stranger(t *testing.T, program, dir string) (left string) {
	t.Helper()
	left = testenv.TempDir(t)
	names := []string{"fsmonitor", "clean", "smudge", "process", "textconv", "external", "command", "hook", "gpg", "ssh"}
	for _, name := range names {
		text := "#!/bin/sh\n: >'" + filepath.Join(left, "started-"+name) + "'\ncat \"$1\" 2>/dev/null || cat\n"
		if err := os.WriteFile(filepath.Join(left, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	runIn(t, dir, `test -d .git || git init -q; printf 'one\n' >README; printf '* filter=x diff=x\n' >.gitattributes
		git add -A; git -c user.name=A -c user.email=a@example.com commit -qm one; printf 'one\ntwo\n' >README
		git config core.fsmonitor "$1/fsmonitor"; git config filter.x.clean "$1/clean"; git config filter.x.smudge "$1/smudge"
		git config filter.x.process "$1/process"; git config filter.x.required true
		git config diff.x.textconv "$1/textconv"; git config diff.x.command "$1/command"; git config diff.external "$1/external"
		git config log.showSignature true; git config gpg.program "$1/gpg"; git config core.sshCommand "$1/ssh"
		git config alias.blame "!$1/command"; git config gpg.ssh.program "$1/gpg"
		mkdir -p .git/hooks; cp "$1/hook" .git/hooks/post-index-change`, left)
	return left
}

func runIn(t *testing.T, dir, script string, args ...string) {
	t.Helper()
	cmd := exec.Command("sh", append([]string{"-ec", script, "sh"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// nothingStarted fails for each program that was started, and tells what was doing.
func nothingStarted(t *testing.T, left, what string) {
	t.Helper()
	started, _ := filepath.Glob(filepath.Join(left, "started-*"))
	for _, name := range started {
		t.Errorf("%s: %s", what, filepath.Base(name))
		_ = os.Remove(name)
	}
}

// Attack F7: what nobody typed a command for starts no program that a repository names, be it a stranger's, one with
// traces that came with it, or the user's own.
func TestNothingOfAStrangersRepositoryRunsUnasked(t *testing.T) {
	for name, begin := range map[string]func(t *testing.T) (program, dir string, answers bool){
		"an unpacked archive": func(t *testing.T) (string, string, bool) {
			program, _ := built(t)
			return program, testenv.TempDir(t), false
		},
		"an archive with traces": func(t *testing.T) (string, string, bool) {
			program, dir := demo(t)
			for _, state := range []string{os.Getenv("XDG_STATE_HOME"), filepath.Join(os.Getenv("HOME"), ".local/state")} {
				if err := os.RemoveAll(filepath.Join(state, "git-trace")); err != nil {
					t.Fatal(err)
				}
			}
			return program, dir, true
		},
		"a recorded repository": func(t *testing.T) (string, string, bool) {
			program, _ := built(t)
			dir := testenv.TempDir(t)
			runIn(t, dir, `git init -q; mkdir -p "$HOME/.claude"; "$1" init --agent claude-code >/dev/null`, program)
			return program, dir, true
		},
	} {
		t.Run(name, func(t *testing.T) {
			program, dir, answers := begin(t)
			left := stranger(t, program, dir)
			nothing := func(what string) { t.Helper(); nothingStarted(t, left, what) }
			own, _ := filepath.Glob(filepath.Join(left, "started-*")) // by the commands that made it
			for _, name := range own {
				_ = os.Remove(name)
			}
			e := startEditor(t, program, testenv.TempDir(t), `{"codeLens":true}`)
			uri := e.open(filepath.Join(dir, "README"), "one\ntwo\n")
			for _, method := range []string{"gitTrace/runs", "textDocument/hover", "textDocument/inlayHint", "textDocument/codeLens", "textDocument/codeAction"} {
				got := e.ask(method, strings.Replace(within(uri, 0, 0), `"context"`, `"position":{"line":0,"character":0},"context"`, 1))
				if method == "gitTrace/runs" && answers == (got == "null") {
					t.Errorf("%s: %s", method, got)
				}
				nothing(method)
			}
			for _, verb := range []string{"gitTrace.why", "gitTrace.show", "gitTrace.track"} {
				e.ask("workspace/executeCommand", fmt.Sprintf(`{"command":%q,"arguments":[%q,"1"]}`, verb, uri))
				nothing(verb)
			}
			e.change(uri, "one\ntwo\nthree\n")
			e.ask("textDocument/hover", at(uri, 2))
			nothing("a changed buffer")
			e.end()

			cmd := exec.Command(program, "mcp")
			cmd.Dir = dir
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for tool, args := range map[string]map[string]any{
				"blame": {"path": "README"}, "why": {"line": "README:1"}, "show": {"id": "HEAD"}, "search": {"query": "one"},
				"handoff": {}, "lessons": {},
			} {
				_, _ = session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
				nothing("mcp " + tool)
			}
			_ = session.Close()

			for _, words := range [][]string{{"why", "R"}, {"blame", "--"}, {"diff", "--"}, {"show", ""}, {"restore", ""}, {"trail", ""}} {
				cmd := exec.Command(program, append([]string{"__complete"}, words...)...)
				cmd.Dir = dir
				_ = cmd.Run()
				nothing("completion of " + words[0])
			}
			if name == "a recorded repository" {
				return // whoever types git trace serve in it has it as git does
			}
			s := serveSite(t, program, dir)
			for _, page := range []string{"/", "/graph", "/commit/HEAD", "/blame/worktree/README", "/blame/HEAD/README", "/tree/HEAD/", "/diff/HEAD..", "/stats"} {
				_, _ = s.get(page)
				nothing("page " + page)
			}
		})
	}
}

// Attack F11: what is no regular file, or a very large one, has no answer; the others have theirs.
func TestEditorsAskOfFilesWithoutEnd(t *testing.T) {
	program, dir := demo(t)
	runIn(t, dir, `ln -s /dev/zero zero; mkfifo pipe; ln -s server.go link; truncate -s 3G large; ln -s . here; ln -s /dev/zero server_link.go
		git add zero server_link.go; git -c user.name=A -c user.email=a@example.com commit -qm links`)
	e := startEditor(t, program, dir, `null`)
	began := time.Now()
	for _, name := range []string{"zero", "pipe", "link", "large", "here", "server_link.go"} {
		uri := e.open(filepath.Join(dir, name), "x\n")
		for _, method := range []string{"gitTrace/runs", "textDocument/hover", "textDocument/codeAction"} {
			got := e.ask(method, strings.Replace(within(uri, 0, 0), `"context"`, `"position":{"line":0,"character":0},"context"`, 1))
			if got != "null" && got != "[]" {
				t.Errorf("%s of %s: %s", method, name, got)
			}
		}
	}
	uri := e.open(filepath.Join(dir, "server.go"), read(t, filepath.Join(dir, "server.go")))
	if got := e.ask("textDocument/hover", at(uri, 10)); !strings.Contains(got, "claude-code") {
		t.Errorf("the file beside them: %s", got)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s", took)
	}
	e.end()
}
