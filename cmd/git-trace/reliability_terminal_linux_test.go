package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/git-trace/git-trace/internal/testing/harm"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// own is what our drawing may send to a terminal: colours, the end of a coloured line, and how far something has come.
var own = regexp.MustCompile(`\x1b\[[0-9;]*m|\r?\x1b\[K|\r[a-z ]+: +\d+%`)

// hostileRune finds what acts on a terminal; empty if nothing does.
func hostileRune(shown string) string {
	text := own.ReplaceAllString(shown, "")
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		if r == '\u200c' || r == '\u200d' {
			continue // joiners, without which some scripts and emoji cannot be written
		}
		bad := r == utf8.RuneError && size == 1 || unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
		if bad {
			return fmt.Sprintf("%U in %q", r, text[max(0, i-40):min(len(text), i+40)])
		}
	}
	return ""
}

// shownOnTerminal is what a command sends to a terminal, on both streams.
func (w *twin) shownOnTerminal(args ...string) string {
	w.t.Helper()
	terminal, shown := openTerminal(w.t, 100)
	cmd := exec.Command(filepath.Join(w.base, "bin", "git-trace"), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = w.dir, terminal, terminal, w.with("TERM=xterm-256color", "GIT_PAGER=cat")
	_ = cmd.Run() // a finding is no failure here
	return shown()
}

// recordHostile lets clients say hostile things in every field that they fill: names, models, tools, prompts, paths.
func recordHostile(t *testing.T) (w *twin, ids []string) {
	t.Helper()
	w = newTwin(t, true)
	w.must("git", "commit", "-qam", "before")
	all := harm.Sequences()
	step := testenv.Pick(40, 8, 1)
	var batch strings.Builder
	for i := 0; i < len(all); i++ {
		if batch.WriteString(all[i] + " "); i%step != 0 && i >= 60 || batch.Len() < 40 {
			continue
		}
		text := batch.String()
		batch.Reset()
		session := fmt.Sprintf("H%d", i)
		base := func(event string, more map[string]any) map[string]any {
			payload := map[string]any{"session_id": session, "cwd": w.dir, "hook_event_name": event, "model": "model " + text, "agent_type": text, "agent_id": "sub" + text}
			for k, v := range more {
				payload[k] = v
			}
			return payload
		}
		delete(base("", nil), "agent_id")
		name := strings.NewReplacer("/", "_", "\x00", "_").Replace(text)
		call := map[string]any{"tool_name": "Tool " + text, "tool_use_id": "id " + text, "tool_input": map[string]any{"command": text}}
		for _, h := range []struct {
			event string
			more  map[string]any
		}{
			{"SessionStart", map[string]any{"source": text}}, {"UserPromptSubmit", map[string]any{"prompt": text}}, {"PreToolUse", call},
		} {
			if c := w.hook("claude-code", h.event, base(h.event, h.more)); c.code != 0 || c.out != "" {
				t.Errorf("%s: %d %q", h.event, c.code, c.out)
			}
		}
		if len(name) > 200 {
			name = name[:200]
		}
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte("line "+strings.ReplaceAll(text, "\n", " ")+"\n"), 0o644); err != nil {
			t.Logf("no file of this name: %v", err)
		}
		w.put("a", fmt.Sprintf("1\n2\n%s\n4\n5\n", strings.ReplaceAll(text, "\n", " ")))
		call["tool_response"] = map[string]any{"stdout": text}
		w.hook("claude-code", "PostToolUse", base("PostToolUse", call))
		w.hook("generic", "prompt", map[string]any{"agent": text, "session": session, "cwd": w.dir, "prompt": text})
		ids = append(ids, session)
	}
	w.must("git", "add", "-A")
	w.must("git", "-c", "user.name=A \x1b]0;x\x07 \u202e", "-c", "core.quotePath=false", "commit", "-q", "--cleanup=verbatim", "-m", "subject "+strings.ReplaceAll(strings.Join(all[:40], " "), "\x00", ""))
	w.must("git", "branch", "evil\u202ebranch\u009b31m")
	return w, ids
}

// Whatever names, prompts, tools, models, files, authors and commits are called: no command sends anything but its own
// colours to a terminal, and no JSON holds what a terminal would act on.
func TestReliabilityI1NothingHostileReachesATerminal(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	w, sessions := recordHostile(t)
	shown := sessions
	if !testenv.Long() {
		shown = sessions[:min(3, len(sessions))]
	}
	for _, forms := range readings(shown...) {
		for _, args := range forms {
			if args[0] == "blame" && (strings.HasSuffix(args[1], "porcelain") || args[1] == "--incremental") {
				continue // git's own formats, byte for byte, for programs
			}
			if bad := hostileRune(w.shownOnTerminal(args...)); bad != "" {
				t.Errorf("%v sends %s", args, bad)
			}
		}
	}
	// The same for every file by its name, and for what fails.
	names := strings.Split(strings.TrimSuffix(w.must("git", "ls-files", "-z"), "\x00"), "\x00")
	for i := 0; i < len(names); i += testenv.Pick(0, 7, 1) {
		for _, args := range [][]string{{"blame", "--", names[i]}, {"track", names[i] + ":1"}, {"show", names[i]}, {"blame", names[i] + "\x1b]0;x\x07"}} {
			if bad := hostileRune(w.shownOnTerminal(args...)); bad != "" {
				t.Errorf("%q sends %s", args, bad)
			}
		}
	}
	for _, args := range [][]string{{"\x1b]0;x\x07"}, {"log", "--\x1b]0;x\x07"}, {"log", "--agent", "\u202e"}, {"-C", "\x1b[31m", "log"}, {"show", "\u009b31m"}} {
		if bad := hostileRune(w.shownOnTerminal(args...)); bad != "" {
			t.Errorf("%q sends %s", args, bad)
		}
	}
}
