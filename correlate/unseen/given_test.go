package unseen

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
)

// odd is a history with every kind of change, of which an agent wrote some lines; the commits are without anchors.
func odd(t *testing.T) (*world, []refs.OID) {
	w := newWorld(t)
	var made []refs.OID
	next := func() { made = append(made, w.Commit("next")) }
	w.Edit("s1", "main.go", "package main\n\nfunc answered() int { return forty + two }\nfunc asked() string { return question }\n")
	next()
	w.Write("plain.txt", "\tno line feed at the end of this text\nand\n\r\nwhite\t  space\xff\xfe")
	w.Write("long.txt", strings.Repeat("x", 80<<10)+"\n"+"a short line behind a long one\n")
	next()
	w.Git("mv", "main.go", "renamed.go")
	next()
	next() // nothing
	w.Write("binary", "a\x00b\n")
	w.Write("unseen.gen", "one\ntwo\n")
	w.Write(".gitattributes", "*.gen -diff\n")
	next()
	w.Check(os.Symlink("renamed.go", filepath.Join(w.Repo.WorkTree, "link")))
	next()
	w.Git("update-index", "--add", "--cacheinfo", "160000,"+made[0].String()+",module")
	w.Git("commit", "-q", "-m", "module")
	made = append(made, w.Head())
	w.Check(os.Mkdir(filepath.Join(w.Repo.WorkTree, "module"), 0o755))
	w.Check(os.Remove(filepath.Join(w.Repo.WorkTree, "plain.txt")))
	w.Check(os.Symlink("binary", filepath.Join(w.Repo.WorkTree, "plain.txt")))
	next()
	w.Git("switch", "-q", "-c", "side", "HEAD~2")
	w.Edit("s2", "side.go", "package side\n\nfunc besides() error { return errors.New(nothing) }\n")
	next()
	w.Git("switch", "-q", "main")
	w.Git("merge", "-q", "--no-ff", "-m", "merge", "side")
	return w, append(made, w.Head())
}

// What a walk gives is what git says when it is asked: the same answers, and lines counted as git counts them.
func TestWhatAWalkGivesIsWhatGitSays(t *testing.T) {
	t.Parallel()
	w, made := odd(t)
	ctx := context.Background()
	reader, err := index.Open(w.Repo)
	w.Check(err)
	defer reader.Close()
	asking, given := New(w.Repo, reader), New(w.Repo, reader)
	defer asking.Close()
	asked, err := asking.Commits(ctx, made)
	w.Check(err)
	list, err := history.List(ctx, w.Repo, "main")
	w.Check(err)
	var walked []history.Commit
	w.Check(history.Walk(ctx, w.Repo, list, func(c *history.Commit) error { walked = append(walked, *c); return nil }))
	given.Given(walked)
	found, err := given.Commits(ctx, made)
	w.Check(err)
	if len(asked) < 2 || !reflect.DeepEqual(asked, found) {
		t.Errorf("git says\n%+v\nthe walk gives\n%+v", asked, found)
	}
	taken := 0
	_, err = correlate.Patches(ctx, w.Repo, made, tells, func(c refs.OID, change correlate.CommitChange) error {
		if commit, told := given.given[c]; told {
			taken++
			walk, err := changeGiven(commit)
			w.Check(err)
			if !reflect.DeepEqual(change, walk) {
				t.Errorf("%s: git says\n%+v\nthe walk gives\n%+v", c, change, walk)
			}
		}
		return nil
	})
	w.Check(err)
	if len(made) != 10 || taken != 8 { // not the long line, and the merge
		t.Errorf("of %d commits the walk gave %d", len(made), taken)
	}
	counted := 0
	for _, c := range made {
		lines, known := asking.Added(c)
		if !known {
			continue
		}
		counted++
		want := 0
		for line := range strings.Lines(w.Git("diff-tree", "--root", "-r", "-M", "--numstat", "--no-commit-id", c.String())) {
			if n, err := strconv.Atoi(strings.Split(line, "\t")[0]); err == nil { // not the "-" of a binary file
				want += n
			}
		}
		if lines != want {
			t.Errorf("%s added %d lines, git counts %d", c, lines, want)
		}
	}
	if counted != 7 { // not the submodule, the file that became a link, and the merge
		t.Errorf("%d commits are counted", counted)
	}
}

// A walk that is stopped leaves its answers, with the lines that were counted, to the next one.
func TestTheNextWalkGoesOnWhereOneWasStopped(t *testing.T) {
	t.Parallel()
	w, made := odd(t)
	reader, err := index.Open(w.Repo)
	w.Check(err)
	defer reader.Close()
	stopped := New(w.Repo, reader)
	defer stopped.Close()
	found, err := stopped.Commits(context.Background(), made)
	w.Check(err)
	for i, c := range made {
		if _, known := stopped.Added(c); !known {
			stopped.Counted(c, 100+i)
		}
	}
	stopped.keep() // which a search does after each number of answers
	next := New(w.Repo, reader)
	defer next.Close()
	again, err := next.Commits(context.Background(), made)
	w.Check(err)
	if len(again) != len(found) || len(next.ages) > 0 {
		t.Errorf("it finds owners of %d commits and not of %d, and looks at %d again", len(again), len(found), len(next.ages))
	}
	for _, c := range made {
		was, _ := stopped.Added(c)
		if lines, known := next.Added(c); !known || lines != was {
			t.Errorf("%s added %d lines (%v), and %d before", c, lines, known, was)
		}
	}
}
