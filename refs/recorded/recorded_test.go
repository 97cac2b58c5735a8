package recorded_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

func TestARepositoryIsOpenedOnlyWhileItIsOnTheList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run("", "git", "init", "-q", "r")
	w.wantOpen("r", "")
	w.wantState("r", recorded.Unlisted)
	repo := w.add("r")
	w.wantOpen("r", "r")
	w.wantOpen("r/not/there/yet", "r")
	w.wantState("r", recorded.Listed)
	if err := recorded.Add(repo); err != nil { // again
		t.Fatal(err)
	}
	w.wantOpen("r", "r")
	w.wantOpen("r/.git", "")
	w.wantOpen("r/.git/hooks/pre-commit", "")
	if err := recorded.Remove(repo); err != nil {
		t.Fatal(err)
	}
	w.wantOpen("r", "")
	w.wantState("r", recorded.Unlisted)
	if err := recorded.Remove(repo); err != nil {
		t.Errorf("removed twice: %v", err)
	}
}

func TestLinkedWorkTreesShareTheEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.repo("r")
	w.run("r", "git", "worktree", "add", "-q", w.at("linked"))
	w.wantOpen("linked/x", "linked")
	w.run("r", "git", "-c", "worktree.useRelativePaths=true", "worktree", "add", "-q", w.at("relative"))
	w.wantOpen("relative", "relative")

	w.run("", "mv", "linked", "moved")
	w.wantOpen("moved", "") // nothing tells it from a work tree of somebody else's making
	w.wantState("moved", recorded.Astray)
	w.run("moved", "git", "worktree", "repair")
	w.wantOpen("moved", "moved")
	w.wantState("moved", recorded.Listed)
}

func TestAWorkTreeWithItsGitDirectoryElsewhereIsKnownByWhatTheUserSaw(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run("", "git", "init", "-q", "--separate-git-dir", w.at("elsewhere.git"), "separate")
	w.add("separate")
	w.wantOpen("separate", "separate")

	w.repo("real")
	w.run("", "mkdir", "by-link")
	w.link("../real/.git", "by-link/.git")
	w.wantOpen("by-link", "")
	w.add("by-link")
	w.wantOpen("by-link", "by-link")
	w.wantOpen("real", "real")

	w.repo("lib")
	w.repo("super")
	w.run("super", "git", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", w.at("lib"), "sub")
	w.wantOpen("super/sub/x", "")
	w.add("super/sub")
	w.wantOpen("super/sub/x", "super/sub")
}

func TestACopiedOrReplacedRepositoryIsAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.repo("moved-from")
	w.run("", "mv", "moved-from", "moved")
	w.wantOpen("moved", "moved")
	w.wantState("moved", recorded.Listed)

	w.repo("original")
	w.run("", "cp", "-a", "original", "copy")
	w.wantOpen("copy", "")
	w.wantState("copy", recorded.Moved)
	w.wantOpen("original", "original")

	// Put in its place, as it is, by somebody who has seen all of it.
	w.run("", "mv", "original", "away")
	w.run("", "mv", "copy", "original")
	w.wantOpen("original", "")
	w.wantState("original", recorded.Replaced)
	w.wantOpen("away", "away")
	w.wantOpen("original", "")
	w.add("original")
	w.wantOpen("original", "original")

	// Made anew in its place: the file system may give the directory the same number.
	for range 20 {
		w.repo("again")
		w.run("", "rm", "-rf", "again")
		w.run("", "git", "init", "-q", "again")
		w.write("again/.git/traces/recording", "git-trace records here\n")
		w.wantOpen("again", "")
		w.run("", "rm", "-rf", "again")
	}
}

// What was written before there was a list, and anything else that a stranger may put there, does not count.
func TestNothingInTheRepositoryPutsItOnTheList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, text := range []string{"git-trace records here\n", "x", "", strings.Repeat("0", 32) + "\n"} {
		name := "r" + string(rune('0'+i))
		w.run("", "git", "init", "-q", name)
		w.write(name+"/.git/traces/recording", text)
		w.wantOpen(name, "")
	}
	w.wantState("r0", recorded.Unlisted)
	w.wantState("r3", recorded.Moved)
}

// Hostile directories that name the git directory of a repository that is on the list, or a part of it.
func TestTheWayToARepositoryHasToBeItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.repo("r")
	w.run("r", "git", "worktree", "add", "-q", w.at("linked"))
	git := w.at("r/.git")

	w.write("pointer/.git", "gitdir: "+git+"\n")
	w.wantOpen("pointer", "")
	w.write("pointer-linked/.git", "gitdir: "+git+"/worktrees/linked\n")
	w.wantOpen("pointer-linked", "")
	w.run("", "mkdir", "symlink")
	w.link("../r/.git", "symlink/.git")
	w.wantOpen("symlink", "")

	// A git directory of its own, with its own configuration of the work tree, which claims to be one of the repository's.
	w.run("r", "git", "config", "extensions.worktreeConfig", "true")
	w.write("claims/.git/HEAD", "ref: refs/heads/main\n")
	w.write("claims/.git/commondir", git+"\n")
	w.write("claims/.git/config.worktree", "[core]\n\tfsmonitor = touch pwned\n")
	w.write("claims/.git/gitdir", w.at("claims/.git")+"\n")
	w.wantOpen("claims", "")
	w.write("claims-named/.git/worktrees/x/HEAD", "ref: refs/heads/main\n")
	w.write("claims-named/.git/worktrees/x/commondir", git+"\n")
	w.write("claims-named/.git/worktrees/x/gitdir", w.at("claims-named/w/.git")+"\n")
	w.write("claims-named/w/.git", "gitdir: ../.git/worktrees/x\n")
	w.wantOpen("claims-named/w", "")

	w.wantOpen("linked", "linked")
	w.wantOpen("r", "r")
}

// A bare layout is files of the work tree around it.
func TestABareLayoutIsPassedBy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.repo("r")
	w.write("r/docs/sample/HEAD", "ref: refs/heads/main\n")
	w.write("r/docs/sample/config", "[core]\n\tbare = false\n\tworktree = wt\n")
	w.write("r/docs/sample/refs/heads/.keep", "")
	w.write("r/docs/sample/objects/.keep", "")
	w.write("r/docs/sample/traces/recording", "x\n")
	w.write("r/docs/sample/wt/f", "x\n")
	for _, path := range []string{"r/docs/sample", "r/docs/sample/wt/f", "r/docs/sample/refs/heads"} {
		w.wantOpen(path, "r")
	}
	w.run("", "git", "init", "-q", "--bare", "bare.git")
	w.wantOpen("bare.git", "")
}

func TestAnswersThatNeverComeAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	testenv.Needs(t, "mkfifo")
	w := newWorld(t)
	for name, file := range map[string]string{"a": ".git", "b": ".git/HEAD", "c": ".git/commondir", "d": ".git/traces/recording"} {
		if file != ".git" {
			w.repo(name)
			w.run(name, "rm", "-f", file)
		} else {
			w.run("", "mkdir", name)
		}
		w.run(name, "mkfifo", file)
		w.wantOpen(name, "")
	}
}

func TestWhereThereIsNoListNothingIsOpened(t *testing.T) {
	w := newWorld(t)
	repo := w.repo("r")
	home := os.Getenv("HOME")
	t.Setenv("HOME", "")
	t.Setenv("XDG_STATE_HOME", "relative/does/not/count")
	w.wantOpen("r", "")
	w.wantState("r", recorded.NoPlace)
	if err := recorded.Add(repo); !errors.Is(err, recorded.ErrNoPlace) {
		t.Errorf("put on no list: %v", err)
	}
	if err := recorded.CheckPlace(); !errors.Is(err, recorded.ErrNoPlace) {
		t.Errorf("there is a place: %v", err)
	}
	t.Setenv("HOME", home)
	w.wantOpen("r", "r")
	t.Setenv("XDG_STATE_HOME", w.at("state"))
	w.wantOpen("r", "r") // as the list in the usual place says
	w.repo("s")
	t.Setenv("XDG_STATE_HOME", "")
	w.wantOpen("s", "s")
	t.Setenv("XDG_STATE_HOME", w.at("state"))
	t.Setenv("HOME", w.at("elsewhere"))
	w.wantOpen("r", "")
	w.wantOpen("s", "s")
	w.run("", "rm", "-r", "state")
	w.write("state", "in the way")
	w.wantOpen("s", "")
	if recorded.CheckPlace() == nil || recorded.Add(repo) == nil {
		t.Error("a list was written where none can be")
	}
}

// The list may be reached by a link; paths on it may hold any bytes.
func TestHomesAndPathsMayBeOdd(t *testing.T) {
	w := newWorld(t)
	w.run("", "mkdir", "real")
	w.link("real", "home")
	t.Setenv("HOME", w.at("home"))
	for _, name := range []string{"new\nline", "sp ace", `quo"te\`, "\xff\xfe", "ünï"} {
		if err := os.Mkdir(w.at(name), 0o777); err != nil {
			t.Logf("this file system takes no %q", name)
			continue
		}
		w.run(name, "git", "init", "-q")
		w.add(name)
		w.wantOpen(name, name)
		w.run(name, "git", "init", "-q", "--separate-git-dir", w.at("of-"+name), "apart")
		w.add(name + "/apart")
		w.wantOpen(name+"/apart", name+"/apart")
	}
	if !testenv.Quick() {
		w.wantPrivate("real")
	}
}

// wantPrivate holds that nobody else can read what is on the list.
func (w *world) wantPrivate(home string) {
	w.t.Helper()
	dir, err := recorded.StateDir()
	if err != nil {
		w.t.Fatal(err)
	}
	if real, err := filepath.EvalSymlinks(dir); err != nil || !strings.HasPrefix(real, w.at(home)) {
		w.t.Errorf("the list is in %s: %v", real, err)
	}
	info, err := os.Stat(filepath.Join(dir, "recorded"))
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		w.t.Errorf("others may look at it: %v %v", info.Mode(), err)
	}
}

// A file system that is mounted again has another number, and repositories on it stay recorded.
func TestTheNumberOfTheDeviceDoesNotDecide(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.repo("r")
	file := recorded.Look(repo).File
	for _, change := range []struct {
		line string
		want string
	}{{"device ", "r"}, {"inode ", ""}, {"mark ", ""}} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var out []byte
		for line := range bytes.Lines(text) {
			if bytes.HasPrefix(line, []byte(change.line)) {
				last := &line[len(line)-2]
				*last = '0' + (*last-'0'+1)%8
			}
			out = append(out, line...)
		}
		if err := os.WriteFile(file, out, 0o600); err != nil {
			t.Fatal(err)
		}
		w.wantOpen("r", change.want)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"", "rubbish", "git-trace recorded repository 2\n", "git-trace recorded repository 1\n", strings.Repeat("x", 1<<21)} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		w.wantOpen("r", "")
	}
	w.add("r")
	w.wantOpen("r", "r")
}

// FuzzEntry holds that no file of the list makes a hook fail: it counts or it does not.
func FuzzEntry(f *testing.F) {
	f.Add("git-trace recorded repository 1\ngit-dir \"/r/.git\"\ndevice 1\ninode 2\nmark 00112233445566778899aabbccddeeff\nwork-tree \"/r\"\nsince 2026-11-02T10:00:00Z\n")
	f.Add("git-trace recorded repository 1\ninode -1\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		if err := recorded.CheckEntry(text); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q", err)
		}
	})
}

func TestEntriesOfRepositoriesThatAreGoneAreDroppedByTheNextThatIsAdded(t *testing.T) {
	w := newWorld(t)
	t.Setenv("XDG_STATE_HOME", w.at("state"))
	w.repo("gone")
	w.repo("stays")
	entries := func() int {
		t.Helper()
		state, err := recorded.StateDir()
		if err != nil {
			t.Fatal(err)
		}
		files, err := os.ReadDir(filepath.Join(state, "recorded"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	if err := os.RemoveAll(w.at("gone")); err != nil {
		t.Fatal(err)
	}
	w.repo("young")
	if n := entries(); n != 3 {
		t.Fatalf("%d entries, though none is old", n)
	}
	files, err := filepath.Glob(w.at("state/git-trace/recorded/*"))
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, file := range files { // as if they had been made in another year
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(raw), "since ")
		if err := os.WriteFile(file, []byte(head+"since 2020-01-01T00:00:00Z\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.repo("new")
	if n := entries(); n != 3 {
		t.Errorf("%d entries after, want stays, young and new", n)
	}
	w.wantState("stays", recorded.Listed)
	w.wantState("new", recorded.Listed)
}

// A move keeps what the system says of a directory; a copy, and what is unpacked in its place, does not.
func TestARepositoryThatMovedIsTakenOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.repo("a/one")
	w.repo("two")
	w.repo("three")
	for _, step := range [][]string{
		{"mv", "a", "b"},               // the directory above
		{"cp", "-a", "two", "copy"},    // with its mark
		{"cp", "-a", "three", "saved"}, // a backup, brought back in its place
		{"rm", "-rf", "three"},
		{"mv", "saved", "three"},
	} {
		w.run("", step...)
	}
	w.wantOpen("b/one", "b/one")
	w.wantState("b/one", recorded.Listed)
	w.wantOpen("copy", "")
	w.wantOpen("two", "two")
	w.wantOpen("three", "")
	w.wantState("three", recorded.Replaced)
	w.run("", "mv", "b/one", "c")
	w.wantOpen("c", "c")
	w.run("", "mv", "c", "a-one")
	w.run("", "cp", "-a", "a-one", "c") // where it was before
	w.wantOpen("a-one", "a-one")
	w.wantOpen("c", "")
}

// A hook that cannot record leaves a note, by which later ones know.
func TestWhatHooksMissed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.repo("r")
	w.run("", "cp", "-a", "r", "copy")
	w.run("", "git", "init", "-q", "other")
	for _, name := range []string{"copy", "other", "copy"} {
		found, err := refs.FindHook(w.at(name))
		if err != nil {
			t.Fatal(err)
		}
		recorded.NoteUnlisted(found, true)
	}
	if !recorded.NoteMissed(w.at("copy/.git"), recorded.WhyUnwritten, false) {
		t.Error("there is no place for a note")
	}
	got := recorded.MissedIn(w.at("copy/.git"), time.Time{})
	if got.Calls != 2 || got.Hooks != 3 || strings.Join(got.Why, " ") != "unlisted unwritten" || got.First.IsZero() ||
		got.Last.Before(got.First) {
		t.Errorf("missed %+v", got)
	}
	for _, name := range []string{"r/.git", "other/.git"} {
		if got := recorded.MissedIn(w.at(name), time.Time{}); got.Hooks != 0 {
			t.Errorf("%s missed %+v", name, got)
		}
	}
	if later := recorded.MissedIn(w.at("copy/.git"), got.Last); later.Hooks != 0 {
		t.Errorf("what is known is told again: %+v", later)
	}
	got.Forget()
	if got := recorded.MissedIn(w.at("copy/.git"), time.Time{}); got.Hooks != 0 {
		t.Errorf("it is not forgotten: %+v", got)
	}
}
