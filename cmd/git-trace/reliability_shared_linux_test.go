package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/harm"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// S25: whatever a remote says, whatever its refs and publications are called, and whatever other clones have published
// in every field that a client fills: no command that talks with it, or reads it, sends anything but its own colours to a
// terminal. Where a CI reads along no line of it is a command.
func TestReliabilityS25NothingHostileOfARemoteReachesATerminal(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	w, sessions := recordHostile(t)
	remote := filepath.Join(w.base, "remote.git")
	w.must("git", "push", "-q", "--force", "origin", "main")
	sequences := harm.Sequences()
	said := filepath.Join(w.base, "said")
	hook := filepath.Join(remote, "hooks", "pre-receive")
	refuse := fmt.Sprintf("#!/bin/sh\ncat %q >&2\nexit 1\n", said)
	if err := os.WriteFile(hook, []byte(refuse), 0o755); err != nil {
		t.Fatal(err)
	}
	step, refused := testenv.Pick(100, 40, 1), 0
	for i := 0; i < len(sequences); i += step {
		text := sequences[i] + "\n::error::" + sequences[i] + "\n##[command]" + sequences[i]
		if err := os.WriteFile(said, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if shown := w.safely("push", "--to", "log", "origin"); strings.Contains(shown, "refused") {
			refused++
		}
	}
	if refused == 0 {
		t.Error("the remote refused nothing")
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"push", "--dry-run", "origin"}, {"push", "--review", "origin"}, {"push", "--to", "log", "origin"}, {"push"}, {"status"},
	} {
		w.safely(args...)
	}

	// Refs of every name that git takes, and publications whose members are hostile.
	tip := w.must("git", "-C", remote, "for-each-ref", "--count=1", "--format=%(objectname)", "refs/traces/writers/*/digest")
	for i := 0; i < len(sequences); i += step {
		name := "refs/traces/writers/x" + sequences[i] + "/digest"
		if exec.Command("git", "check-ref-format", name).Run() == nil {
			w.must("git", "-C", remote, "update-ref", name, strings.TrimSpace(tip))
		}
		w.hostilePublication(remote, i, sequences[i])
	}
	reader := *w
	reader.dir = filepath.Join(w.base, "##reader")
	w.must("git", "clone", "-q", "-o", "##command", remote, reader.dir)
	forms := [][]string{
		{"pull", "--records", "--log"}, {"pull"}, {"pull", "--json"}, {"verify", "--fetched"}, {"status"}, {"log"}, {"stats"}, {"doctor"},
		{"push", "##[command]"}, {"push", "##command"}, {"pull", "::set-output name=x::y/z"}, {"pull", "--accept", "\x1b[31m"},
	}
	for _, id := range sessions[:min(testenv.Pick(1, 3, len(sessions)), len(sessions))] {
		forms = append(forms, []string{"show", id}, []string{"search", id})
	}
	for _, args := range forms {
		reader.safely(args...)
	}
	if shown := reader.safely("verify", "--fetched"); !strings.Contains(shown, ": consistent, ") {
		t.Errorf("nothing was read: %s", shown)
	}
}

// safely runs a command on a terminal and in a CI, and looks at all that it shows.
func (w *twin) safely(args ...string) string {
	w.t.Helper()
	shown := w.shownOnTerminal(args...)
	if bad := hostileRune(shown); bad != "" {
		w.t.Errorf("%q sends %s", args, bad)
	}
	cmd := exec.Command(filepath.Join(w.base, "bin", "git-trace"), args...)
	cmd.Dir, cmd.Env = w.dir, w.with("CI=true", "GITHUB_ACTIONS=true")
	out, _ := cmd.CombinedOutput() // a finding is no failure here
	if bad := hostileRune(string(out)); bad != "" {
		w.t.Errorf("%q sends %s to a CI", args, bad)
	}
	if slices.ContainsFunc(strings.Split(string(out), "\n"), func(line string) bool {
		line = strings.TrimLeft(line, " \t")
		return strings.HasPrefix(line, "::") || strings.HasPrefix(line, "##[")
	}) {
		w.t.Errorf("%q has a line that is a command to a CI: %s", args, out)
	}
	return shown + string(out)
}

// hostilePublication puts a publication on a remote whose file names, head and message hold a text.
func (w *twin) hostilePublication(remote string, n int, text string) {
	w.t.Helper()
	git := func(input string, args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", remote, "-c", "user.name=x", "-c", "user.email=x@y"}, args...)...)
		cmd.Stdin = strings.NewReader(input)
		out, err := cmd.Output()
		if err != nil {
			w.t.Fatalf("git %q: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	blob := git("{\"format\":1,\"level\":\""+text+"\",\"writer\":\""+text+"\"}\n", "hash-object", "-w", "--stdin")
	name := strings.NewReplacer("/", "_", "\x00", "_").Replace(text) + ".jsonl"
	log := git("100644 blob "+blob+"\t"+name+"\x00", "mktree", "-z")
	tree := git("100644 blob "+blob+"\tdigest.json\x00040000 tree "+log+"\tlog\x00", "mktree", "-z")
	commit := git(strings.ReplaceAll(text, "\x00", "")+"\n\n::x\n", "commit-tree", tree)
	git("", "update-ref", fmt.Sprintf("refs/traces/writers/%016x/digest", n), commit)
}
