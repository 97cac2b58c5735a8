package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// guest is a repository of somebody who knows nothing of git-trace.
type guest struct {
	t        *testing.T
	dir      string
	env      []string
	out, err string // of the last command
}

func newGuest(t *testing.T) *guest {
	t.Helper()
	base := testenv.TempDir(t)
	g := &guest{t: t, dir: filepath.Join(base, "work")}
	g.env = append(testenv.Formats(),
		"HOME="+base, "XDG_CONFIG_HOME="+filepath.Join(base, ".config"), "PATH="+os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "TZ=UTC",
		"LC_ALL=C.UTF-8", "GIT_AUTHOR_NAME=A U Thor", "GIT_AUTHOR_EMAIL=author@example.com", "GIT_COMMITTER_NAME=A U Thor",
		"GIT_COMMITTER_EMAIL=author@example.com", "COLUMNS=80")
	if err := errors.Join(os.Mkdir(g.dir, 0o755), os.WriteFile(filepath.Join(base, ".gitconfig"), []byte(testenv.Config), 0o644)); err != nil {
		t.Fatal(err)
	}
	g.git("init", "-q", "-b", "main")
	return g
}

// run runs a program in the repository and gives its exit status.
func (g *guest) run(program string, args ...string) int {
	g.t.Helper()
	cmd := exec.Command(program, args...)
	var out, complaints strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = g.dir, g.env, &out, &complaints
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		g.t.Fatalf("%s %q: %v", program, args, err)
	}
	g.out, g.err = out.String(), complaints.String()
	return cmd.ProcessState.ExitCode()
}

func (g *guest) git(args ...string) string {
	g.t.Helper()
	if code := g.run("git", args...); code != 0 {
		g.t.Fatalf("git %q: exit status %d: %s", args, code, g.err)
	}
	return strings.TrimSpace(g.out)
}

func (g *guest) write(name, text string) {
	g.t.Helper()
	path := filepath.Join(g.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		g.t.Fatal(err)
	}
}

// all is everything below the repository, with contents.
func (g *guest) all() map[string]string {
	g.t.Helper()
	return contentsBelow(g.t, g.dir)
}

// contentsBelow is everything below a directory: the contents of files, and of what the rest is.
func contentsBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			found[path] = d.Type().String()
			return err
		}
		raw, err := os.ReadFile(path)
		found[path] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Whoever calls git trace blame in the place of git blame looks at the exit status, which is git's in every
// case, and so is the reason. Only a file that is not tracked is blamed where git refuses (untracked.txtar).
func TestBlameEndsAsGitDoes(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	g := newGuest(t)
	g.write("f", "1\n2\n3\n")
	g.write("d/g", "x\n")
	g.write("binary", "a\x00b\n")
	g.git("add", ".")
	g.git("commit", "-qm", "one")
	g.git("tag", "f") // a revision and a file
	g.write("later", "y\n")
	g.git("add", ".")
	g.git("commit", "-qm", "two")
	g.write("untracked", "u\n")
	if err := os.Symlink("f", filepath.Join(g.dir, "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	blob := g.git("rev-parse", "HEAD:f")
	failed := 0
	for _, line := range []string{
		"nosuch", "HEAD nosuch", "nosuch -- f", "nosuch f", "HEAD~1 later", "HEAD:f", "-- nosuch", "^HEAD f", "HEAD..HEAD f",
		"HEAD~9 -- f", "d", "HEAD d", "link", "HEAD untracked", ".git/config", "../outside", "/etc/passwd", "d/f",
		"f", "binary", "d/g", "f later", "-- f later", "HEAD^{tree} -- f", "HEAD^{blob} -- f", blob + " -- f", "HEAD HEAD -- f",
		"0000000000000000000000000000000000000000 -- f",
		"-L9,10 f", "-L5 f", "-L0 f", "-L-1 f", "-L1,0 f", "-L,9 f", "-Lx,y f", "-L:none f", "-L/none/,+1 f", "-L1,2",
		"", "--", "--nosuchoption f", "-w --nosuchoption f", "-M", "--root", "--abbrev=x f", "--date=x f", "-S nosuch f", "--ignore-rev nosuch f",
		"--ignore-revs-file nosuch f", "--contents nosuch f", "--reverse f", "--reverse HEAD~1 -- f", "--not HEAD f", "--encoding=nosuch f",
		"-p nosuch", "--porcelain nosuch", "--line-porcelain HEAD nosuch", "--incremental nosuch", "-h",
	} {
		args := append([]string{"blame"}, strings.Fields(line)...)
		want, reason := g.run("git", args...), complaint(g.err)
		if want != 0 {
			failed++
		}
		reason = strings.Replace(reason, "usage: git blame", "usage: git trace blame", 1)
		if got := g.run("git-trace", args...); got != want || complaint(g.err) != reason {
			t.Errorf("blame %s: exit status %d and %q, git's is %d and %q", line, got, complaint(g.err), want, reason)
		}
	}
	if failed < 40 {
		t.Errorf("git refused only %d of them: the test shows little", failed)
	}
	for _, own := range []string{"--json nosuch", "--prompts nosuch", "--only-ai nosuch"} { // which git does not know
		if got := g.run("git-trace", append([]string{"blame"}, strings.Fields(own)...)...); got != exit.Git || !strings.Contains(g.err, "no such path 'nosuch' in HEAD") {
			t.Errorf("blame %s: exit status %d, %s", own, got, g.err)
		}
	}
}

// Every command that takes a revision or a path ends with git's status where there is none, and with 129
// for an option that it does not know.
func TestAMissingRevisionOrPathIsAnswered128AsGitDoes(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	g := newGuest(t)
	g.write("a", "1\n2\n")
	g.git("add", ".")
	g.git("commit", "-qm", "one")
	g.write("a", "1\n2\n3\n")
	g.git("commit", "-qam", "two")
	for _, traced := range []bool{false, true} {
		if traced && g.run("git-trace", "init", "--agent", "claude-code") != 0 {
			t.Fatal(g.err)
		}
		for _, row := range []struct {
			git   string   // what git is asked, %s the revision
			ours  []string // what we are
			words []string
		}{
			{"show", []string{"show", "track", "stats", "graph", "export --format agent-trace", "export --format git-ai", "reconcile --dry-run"},
				[]string{"nosuch", "HEAD~9", "HEAD:nosuch", "0000000000000000000000000000000000000000", "1234abcd"}},
			{"log", []string{"stats", "graph", "export --format agent-trace", "export --format git-ai", "reconcile --dry-run", "backfill --dry-run"},
				[]string{"nosuch..HEAD", "HEAD..nosuch", "^nosuch HEAD"}},
			{"log -1 -L1,1:%s", []string{"track %s:1", "why %s:1", "blame -L1,1 -- %s"}, []string{"dir/nosuch", "../outside"}},
			{"log -1 -L%s,%s:a", []string{"track a:%s", "why a:%s"}, []string{"9"}},
		} {
			for _, word := range row.words {
				want := g.run("git", fillIn(row.git, word)...)
				if want != exit.Git {
					t.Errorf("git %s %s: exit status %d: the row shows nothing", row.git, word, want)
				}
				for _, ours := range row.ours {
					if got := g.run("git-trace", fillIn(ours, word)...); got != want || g.out != "" {
						t.Errorf("traced %v: %s %s: exit status %d, git's is %d: %s%s", traced, ours, word, got, want, g.out, g.err)
					}
				}
			}
		}
		for _, c := range allCommands() {
			if got := g.run("git-trace", c.Name, "--nosuch"); got != exit.Misuse || g.out != "" {
				t.Errorf("%s --nosuch: exit status %d: %s%s", c.Name, got, g.out, g.err)
			}
		}
	}
}

// fillIn puts a word, of one or more parts, where it belongs in a command line, or at its end.
func fillIn(line, word string) []string {
	if strings.Contains(line, "%s") {
		return strings.Fields(strings.ReplaceAll(line, "%s", word))
	}
	return strings.Fields(line + " " + word)
}

// complaint is the line of a standard error that says why, without who says it. Before some of them git says something
// of an object.
func complaint(text string) string {
	reason := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "git-trace: error: "); ok {
			return rest
		}
		if rest, ok := strings.CutPrefix(line, "fatal: "); ok {
			return rest
		}
		if reason == "" {
			reason = strings.TrimPrefix(line, "error: ")
		}
	}
	return reason
}

// Blame in a repository that nobody records left a directory of caches behind.
func TestNothingIsLeftInARepositoryThatIsNotTraced(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	g := newGuest(t)
	g.write("a", "1\n2\n")
	g.write("data.json", "{}\n")
	g.write("empty", "") // a file without a record is a valid one
	g.git("add", ".")
	g.git("commit", "-qm", "one")
	g.write("a", "1\n2\n3\n")
	g.git("commit", "-qam", "two")
	g.write("a", "1\n2\n3\n4\n")
	before := g.all()
	for _, c := range allCommands() {
		if c.Leaves != "" {
			continue
		}
		for _, form := range callsOf(c) {
			code := g.run("git-trace", append([]string{c.Name}, strings.Fields(form)...)...)
			if crashed(g.err) || code < 0 {
				t.Errorf("%s %s: exit status %d\n%s", c.Name, form, code, g.err)
			}
			after := g.all()
			var changed []string
			for path, text := range after {
				if was, there := before[path]; !there || was != text {
					changed = append(changed, path)
				}
			}
			slices.Sort(changed)
			if len(changed) > 0 || len(after) != len(before) {
				t.Errorf("%s %s left %q", c.Name, form, changed)
				for _, path := range changed {
					_ = os.RemoveAll(path)
				}
			}
		}
	}
}

// Init in a clone that has only what was asked for fetched trees, and a hook must not wait for a remote at
// all. What git itself fetches for the person's commands is what it fetches in a clone without git-trace.
func TestNothingIsFetchedInAPartialClone(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"tree:0 --no-checkout", "blob:none --no-checkout", "blob:none --sparse", "tree:0 --sparse", "blob:none"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			g := newGuest(t)
			g.git("config", "--global", "uploadpack.allowFilter", "true")
			g.git("config", "--global", "uploadpack.allowAnySHA1InWant", "true")
			for _, dir := range []string{"", "one", "two"} {
				for _, file := range []string{"a", "b", "c"} {
					g.write(filepath.Join(dir, file), strings.Repeat(dir+file+"\n", 5))
				}
			}
			g.git("add", ".")
			g.git("commit", "-qm", "one")
			g.write("one/a", "another\n")
			g.git("commit", "-qam", "two")
			source := g.dir
			g.dir = filepath.Dir(source)
			for _, name := range []string{"plain", "traced"} {
				g.git(append(append([]string{"clone", "-q"}, strings.Fields("--filter="+form)...), "file://"+source, name)...)
			}
			plain, traced := filepath.Join(g.dir, "plain"), filepath.Join(g.dir, "traced")
			packs := func(dir string) int {
				found, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.promisor")) // each fetch leaves one
				return len(found)
			}
			had := packs(traced)
			g.dir = traced
			for _, step := range []string{
				"git-trace init --agent claude-code", "agent S1 start", "agent S1 prompt go", "agent S1 pre bash true", "agent S1 did bash true",
				"agent S1 pre write new new", "agent S1 did write new new", "agent S1 stop", "git-trace status", "git-trace doctor",
			} {
				words := strings.Fields(step)
				if code := g.run(words[0], words[1:]...); code != 0 {
					t.Fatalf("%s: exit status %d: %s", step, code, g.err)
				}
				if now := packs(traced); now != had {
					t.Fatalf("%s fetched %d times", step, now-had)
				}
			}
			// Commits, of files whose content was never here too, and amended ones.
			steps := []string{"add new", "commit -qm new", "rm -q --cached --sparse two/a", "commit -qm removed", "commit -q --amend -m again", "revert --no-edit HEAD~1"}
			if strings.HasSuffix(form, "checkout") {
				steps = append([]string{"reset -q"}, steps...)
			}
			for _, step := range steps {
				for _, dir := range []string{plain, traced} {
					g.dir = dir
					if step == "add new" {
						g.write("new", "new")
					}
					_ = g.run("git", strings.Fields(step)...) // the same in both, whatever comes of it
				}
				if a, b := packs(plain), packs(traced); a != b {
					t.Errorf("git %s: %d fetches without hooks, %d with them", step, a, b)
				}
			}
			// Blame reads what git reads for it, and no more.
			for dir, program := range map[string]string{plain: "git", traced: "git-trace"} {
				g.dir = dir
				if code := g.run(program, "blame", "HEAD", "--", "one/b"); code != 0 {
					t.Errorf("%s blame: exit status %d: %s", program, code, g.err)
				}
			}
			if a, b := packs(plain), packs(traced); a != b {
				t.Errorf("git blame fetches %d times, git-trace blame %d times", a, b)
			}
			g.dir = traced
			log := g.git("log", "--format=%s")
			g.dir = plain
			if want := g.git("log", "--format=%s"); log != want {
				t.Errorf("the history is %q, without hooks %q", log, want)
			}
		})
	}
}
