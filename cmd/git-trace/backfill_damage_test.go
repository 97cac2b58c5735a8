package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// One object that cannot be read takes nothing with it but its own lines: backfill, export and import go on and say what
// is left out. What writes ends with the status for what could not be checked.
func TestADamagedHistoryIsReadAsFarAsItGoes(t *testing.T) {
	t.Parallel()
	w := newPastWorld(t, 1)
	s := w.at(w.dir)
	s.write("total.go", text(shopCode), nil, true)
	w.commit("total")
	s.write("script.py", text(scriptCode), nil, true)
	s.end()
	w.commit("script")
	damaged := strings.TrimSpace(w.git("rev-parse", "HEAD~1:total.go"))
	object := filepath.Join(w.dir, ".git", "objects", damaged[:2], damaged[2:])
	content, err := os.ReadFile(object)
	w.must(err)
	hide := func() {
		w.must(os.Remove(object))
		w.must(os.Remove(filepath.Join(w.dir, "total.go"))) // git reads it in place of the blob
	}
	hide()
	told := func(status int, words string, args ...string) string {
		t.Helper()
		cmd := w.command("git-trace", args...)
		var out, complaint bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &complaint
		_ = cmd.Run()
		if ended := cmd.ProcessState.ExitCode(); ended != status {
			t.Errorf("%v: status %d: %s", args, ended, complaint.String())
		}
		if !strings.Contains(complaint.String(), words) {
			t.Errorf("%v does not tell what is damaged: %s", args, complaint.String())
		}
		return out.String()
	}
	run := func(args ...string) string {
		t.Helper()
		return told(exit.Unchecked, damaged, args...)
	}
	if out := run("backfill", "--transcripts", w.folder); !strings.Contains(out, " 1 commit from 1 conversation written") {
		t.Errorf("backfill found %s", out)
	}
	if exported := told(0, "left out what could not be read of 1 commit", "export", "--format", "agent-trace"); !strings.Contains(exported, "script.py") {
		t.Errorf("export told %s", exported)
	}
	// What was told of the commit while it was whole is taken in as far as it goes.
	w.must(os.WriteFile(object, content, 0o444))
	w.backfill()
	cmd := w.command("git-trace", "export", "--format", "agent-trace")
	whole, err := cmd.Output()
	w.must(err)
	file := filepath.Join(testenv.TempDir(t), "traces.jsonl")
	w.must(os.WriteFile(file, whole, 0o644))
	w.must(os.RemoveAll(filepath.Join(w.dir, ".git", "traces")))
	testenv.LoseLog(t, w.dir)
	w.must(os.Remove(object))
	if out := run("import", "--from", "agent-trace", file); !strings.Contains(out, " 1 commit imported") {
		t.Errorf("import took %s", out)
	}
}
