package events

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// harmless are changes of a repository that keep what its log says, as arguments of git.
func harmless() [][]string {
	steps := [][]string{
		{"gc", "-q"}, {"gc", "-q", "--prune=now"}, {"gc", "-q", "--aggressive"}, {"repack", "-adfq", "--depth=50"}, {"repack", "-adq", "--window=0"}, {"repack", "-dq"},
		{"pack-refs", "--all"}, {"commit-graph", "write", "--reachable"}, {"multi-pack-index", "write"}, {"prune-packed", "-q"}, {"reflog", "expire", "--expire=now", "--all"},
		{"maintenance", "run", "--quiet"}, {"update-server-info"}, {"worktree", "prune"}, {"fsck", "--no-progress"},
		{"config", "core.compression", "0"}, {"config", "core.compression", "9"}, {"config", "--unset", "core.compression"},
		{"commit", "-q", "--allow-empty", "-m", "work"}, {"branch", "-f", "side"}, {"stash", "list"}, {"update-ref", "--create-reflog", "refs/traces/other", "HEAD"}, {"update-ref", "-d", "refs/traces/other"},
	}
	if out, err := exec.Command("git", "refs", "migrate", "-h").CombinedOutput(); err != nil && strings.Contains(string(out), "--ref-format") {
		steps = append(steps, []string{"refs", "migrate", "--ref-format=reftable"}, []string{"refs", "migrate", "--ref-format=files"})
	}
	return steps
}

// copies are ways to bring a repository to another place with its log.
var copies = [][]string{
	{"git", "clone", "-q", "--mirror", "FROM", "TO"}, {"git", "clone", "-q", "--mirror", "--no-local", "FROM", "TO"}, {"git", "clone", "-q", "--mirror", "--shared", "FROM", "TO"},
	{"cp", "-a", "FROM", "TO"}, {"sh", "-c", `git -C "$0" bundle create -q "$1.bundle" --all && git clone -q --mirror "$1.bundle" "$1"`, "FROM", "TO"},
	{"sh", "-c", `git init -q --bare "$1" && git -C "$1" fetch -q "$0" "+refs/*:refs/*"`, "FROM", "TO"},
}

func TestReliabilityC2HarmlessChangesAreNoFaults(t *testing.T) {
	t.Parallel()
	log, f := sampleLog(t, 0, 12)
	repo := log.repo
	runGit(t, repo.WorkTree, "commit", "-q", "--allow-empty", "-m", "root")
	steps := harmless()
	changes := testenv.Pick(10, 2*len(steps), 1000)
	for i := range changes {
		step := steps[i%len(steps)]
		if i >= len(steps) {
			step = steps[rand.N(len(steps))]
		}
		cmd := exec.Command("git", step...)
		cmd.Dir = repo.WorkTree
		if out, err := cmd.CombinedOutput(); err != nil && step[0] != "config" {
			t.Fatalf("git %v: %v %s", step, err, out)
		}
		if step[0] == "refs" {
			log = OpenLog(openRepo(t, repo.WorkTree)) // the storage of its refs is another one now
		}
		if r := verifyRef(t, log, "", FetchedCopies{}); r.State != Consistent || len(r.Notes) > 0 || r.Events != f.events() {
			t.Fatalf("after %v: %s %v %v", step, r.Summary(), r.Notes, r.Faults)
		}
		if i%8 != 0 {
			continue
		}
		to := filepath.Join(t.TempDir(), "copy")
		words := append([]string{}, copies[i/8%len(copies)]...)
		for k, w := range words {
			words[k] = strings.NewReplacer("FROM", repo.WorkTree, "TO", to).Replace(w)
		}
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v %s", words, err, out)
		}
		if r := verifyRef(t, OpenLog(openRepo(t, to)), ""); r.State != Consistent || r.Events != f.events() {
			t.Errorf("copied by %v: %s %v", words, r.Summary(), r.Faults)
		}
		check(t, os.RemoveAll(to))
	}
}
