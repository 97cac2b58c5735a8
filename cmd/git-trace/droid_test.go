package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

func TestDroidEditsAreItsOwn(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "droid", "--agent", "droid", "--global")
	res := r.run("droid", driver.Options{})
	r.want("a.txt", "unknown | line 1", "main_t1_0 | line 2 by edit", "main_t3_0 | line 3 by sed", "unknown | line 4", "human | line 5 by human")
	r.want("docs/guide.md", "main_t2_0 | # Guide", "main_t2_0 | ", "main_t2_0 | Call greet.")
	r.want("slow.txt", "main_t4_1 | slow")
	r.want("par.txt", "main_t4_2 | beside a shell")
	// no hook runs after a call that failed: the session file tells its end. Where that is written too late for the next
	// hook, the line is nobody's, and never a person's.
	for i, call := range []string{"main_t5_0", "main_t11_0"} {
		if l := r.blame("log.txt")[i]; l.owner() != call && (i > 0 || l.Contributor != "unknown") {
			t.Errorf("log.txt: line %d is %+v", i+1, l)
		}
	}
	if l := r.blame("again.txt")[0]; l.owner() != "main_t6_0" && l.Contributor != "unknown" {
		t.Errorf("again.txt is %+v", l)
	}
	r.want("b.py", "unknown | def f():", "unknown |     return 1", "human | # by human")
	r.Write("a.txt", strings.Replace(r.Read("a.txt"), "line 2 by edit", "line 2 between the turns", 1))
	second := r.run("droid", driver.Options{Prompt: "[[script:second]] go on"})
	r.commitAll()
	if l := r.blame("a.txt")[1]; l.Contributor != "human" {
		t.Errorf("the person's line is %+v", l)
	}
	if l := r.blame("docs/guide.md")[2]; l.owner() != "second_t1_0" || l.Session != second.Session || l.Agent != "droid" {
		t.Errorf("the second conversation's line is %+v", l)
	}
	r.trace("verify")
	if out := r.trace("convert", "--format", "opentraces", res.Transcripts[0]); strings.Count(out, `"tool_name":"Execute"`) != 7 {
		t.Errorf("the session file is read as\n%s", out)
	}
}

// Where an older file of hooks is beside the settings Droid runs what stands there alone, and doctor says so.
func TestDroidReadsAnOlderFileInThePlaceOfItsSettings(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "droid", "--agent", "droid", "--global")
	older := filepath.Join(r.Home, ".factory", "hooks", "hooks.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(older), 0o755), os.WriteFile(older, []byte(
		`{"PostToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"touch $HOME/ran"}]}]}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), r.binary, "doctor")
	cmd.Dir, cmd.Env = r.Dir, r.Env(filepath.Dir(r.binary))
	out, _ := cmd.CombinedOutput() // it ends with what it found
	if !strings.Contains(strings.Join(strings.Fields(string(out)), " "), "in the place of the hooks in settings.json") {
		t.Errorf("doctor says\n%s", out)
	}
	r.run("droid", driver.Options{})
	if _, err := os.Stat(filepath.Join(r.Home, "ran")); err != nil {
		t.Error(err)
	}
}
