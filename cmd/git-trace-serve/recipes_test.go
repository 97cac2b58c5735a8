package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/template"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// recipes are the blocks of a language in the document on editors.
func recipes(t *testing.T, language string) []string {
	t.Helper()
	var out []string
	for _, m := range fence.FindAllStringSubmatch(read(t, filepath.Join(moduleRoot, "docs", "editors.md")), -1) {
		if m[1] == language {
			out = append(out, m[2])
		}
	}
	if len(out) == 0 {
		t.Fatalf("the document has no block of %s", language)
	}
	return out
}

// inPath is the repository of the demo, with git-trace in PATH.
func inPath(t *testing.T) (dir string) {
	t.Helper()
	program, dir := demo(t)
	t.Setenv("PATH", filepath.Dir(program)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return dir
}

const askedInDemo = "close must be safe to call twice"

// The lines for Emacs in a real one: Eglot starts the server, which tells of a line, and so does the command.
func TestEmacsTellsWhyALineIsThere(t *testing.T) {
	testenv.Needs(t, "emacs")
	dir := inPath(t)
	script := filepath.Join(testenv.TempDir(t), "test.el")
	play := fmt.Sprintf(`(package-initialize)
(require 'eglot)
%s
(setq eglot-sync-connect 30)
(find-file "server.go")
(text-mode)
(apply #'eglot (eglot--guess-contact))
(goto-char (point-min))
(forward-line 10)
(princ (plist-get (plist-get (jsonrpc-request (eglot-current-server) :textDocument/hover
  (list :textDocument (list :uri (concat "file://" buffer-file-name)) :position (list :line 10 :character 0))
  :timeout 60) :contents) :value))
(princ "\nthe command\n")
(git-trace-why)
(princ (with-current-buffer "*Shell Command Output*" (buffer-string)))
(eglot-shutdown (eglot-current-server))
`, strings.Join(recipes(t, "elisp"), ""))
	if err := os.WriteFile(script, []byte(play), 0o644); err != nil {
		t.Fatal(err)
	}
	emacs := exec.Command("emacs", "--batch", "-q", "-l", script)
	emacs.Dir = dir
	out, err := emacs.CombinedOutput()
	hover, command, _ := strings.Cut(string(out), "the command")
	if err != nil || !strings.Contains(hover, askedInDemo) || !strings.Contains(command, askedInDemo) {
		t.Errorf("%v\n%s", err, out)
	}
}

// terminal is a program at a terminal that the program script makes.
type terminal struct {
	mu    sync.Mutex
	shown bytes.Buffer
}

func (s *terminal) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.Write(text)
}

// waits until the screen was sent a text, and forgets it.
func (s *terminal) waits(t *testing.T, text string) {
	t.Helper()
	for range 1200 {
		s.mu.Lock()
		_, rest, found := bytes.Cut(s.shown.Bytes(), []byte(text))
		if found {
			s.shown = *bytes.NewBuffer(bytes.Clone(rest))
		}
		s.mu.Unlock()
		if found {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("no %q on the screen:\n%q", text, s.shown.Bytes())
}

// settles waits until something was drawn, and then nothing for a while: of a line that changes only the change is sent.
func (s *terminal) settles(t *testing.T) {
	t.Helper()
	const quiet = 6
	drawn, still := 0, 0
	for range 1200 {
		time.Sleep(50 * time.Millisecond)
		s.mu.Lock()
		now := s.shown.Len()
		s.mu.Unlock()
		if still++; now != drawn {
			drawn, still = now, 0
		}
		if drawn > 0 && still >= quiet {
			return
		}
	}
	t.Fatal("the screen never comes to rest")
}

// The line for tig in a real one: W in a blame tells of the line under the cursor, also where an older commit wrote it.
func TestTigTellsWhyALineIsThere(t *testing.T) {
	testenv.Needs(t, "tig", "script")
	dir := inPath(t)
	config := filepath.Join(testenv.TempDir(t), "tigrc")
	if err := os.WriteFile(config, []byte(recipes(t, "conf")[0]), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TIGRC_USER", config)
	t.Setenv("TERM", "xterm")
	screen := &terminal{}
	tig := exec.Command("script", "-qec", "stty rows 40 cols 120; tig blame server.go", os.DevNull)
	tig.Dir, tig.Stdout = dir, screen
	keys, err := tig.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tig.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tig.Process.Kill() })
	screen.settles(t)
	for line, wants := range map[int][]string{11: {"server.go:11", askedInDemo, "claude-code"}, 13: {"server.go:13", "server: first version"}} {
		screen.shown.Reset() // nothing is drawn while nobody presses a key
		fmt.Fprintf(keys, ":%d\r", line)
		screen.settles(t)
		fmt.Fprint(keys, "W")
		for _, want := range wants {
			screen.waits(t, want)
		}
		screen.waits(t, "Press Enter")
		fmt.Fprint(keys, "\r")
		screen.settles(t)
	}
	fmt.Fprint(keys, "q")
	if err := tig.Wait(); err != nil {
		t.Error(err)
	}
}

// What Helix, Zed, lazygit and delta would start is started, as these programs would.
func TestRecipesOfOtherProgramsStartWhatTheySay(t *testing.T) {
	dir := inPath(t)
	sh := func(command string) string {
		t.Helper()
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
		return string(out)
	}
	var helix struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `toml:"language-server"`
		Language []struct {
			Name    string
			Servers []string `toml:"language-servers"`
		}
	}
	if err := toml.Unmarshal([]byte(recipes(t, "toml")[0]), &helix); err != nil {
		t.Fatal(err)
	}
	server := helix.Servers["git-trace"]
	if len(helix.Language) != 1 || !strings.Contains(strings.Join(helix.Language[0].Servers, " "), "git-trace") ||
		strings.Join(server.Args, " ") != "lsp" {
		t.Fatalf("%+v", helix)
	}
	if code := startEditor(t, server.Command, dir, `{}`).end(); code != 0 {
		t.Errorf("%s ends with %d", server.Command, code)
	}
	var zed []struct{ Label, Command string }
	if err := json.Unmarshal([]byte(recipes(t, "json")[0]), &zed); err != nil || len(zed) != 1 {
		t.Fatalf("%v %v", zed, err)
	}
	t.Setenv("ZED_FILE", filepath.Join(dir, "server.go"))
	t.Setenv("ZED_ROW", "11")
	if got := sh(zed[0].Command); !strings.Contains(got, askedInDemo) {
		t.Errorf("%s tells %s", zed[0].Command, got)
	}
	quote := template.FuncMap{"quote": strconv.Quote}
	commands := regexp.MustCompile(`(?m)^ *command: (".*")$`).FindAllStringSubmatch(recipes(t, "yaml")[0], -1)
	if len(commands) != 2 {
		t.Fatalf("%q", commands)
	}
	for _, m := range commands {
		text, err := strconv.Unquote(m[1])
		if err != nil {
			t.Fatal(err)
		}
		var command bytes.Buffer
		chosen := map[string]map[string]string{"SelectedLocalCommit": {"Hash": "HEAD"}, "SelectedFile": {"Name": "server.go"}}
		called := template.Must(template.New("").Option("missingkey=error").Funcs(quote).Parse(text))
		if err := called.Execute(&command, chosen); err != nil {
			t.Fatal(err)
		}
		if got := sh(command.String()); !strings.Contains(got, "claude-code") {
			t.Errorf("%s tells %s", &command, got)
		}
	}
	if got, want := sh("git trace diff --no-trace HEAD~1"), sh("git diff HEAD~1"); got != want || got == "" {
		t.Errorf("delta would get %q, not %q", got, want)
	}
}
