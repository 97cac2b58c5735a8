package unseen

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// aside makes a commit on a branch of its own, dated at a moment, with a file of one line, and goes back.
func (w *world) aside(branch, name, text string, dated time.Time) refs.OID {
	w.T.Helper()
	w.Git("switch", "-q", "-c", branch)
	w.Write(name, text)
	now := w.Clock
	w.Clock = dated
	c := w.Commit(branch)
	w.Clock = now
	w.Git("switch", "-q", "main")
	return c
}

// A patch is not the cause of a commit that the log names before it, whatever the clocks say. Of a commit that the log
// does not name the dates of commits tell, and the log's clock where commits agree with it.
func TestALineThatWasThereBeforeThePatchIsNotThePatchs(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		dated time.Duration
		named int // the hook looks at a commit on top of it: 1 before the patch, 2 after it
		heads int // so many commits are named besides, before and after
		want  string
	}{
		"named before, dated after":                      {time.Hour, 1, 0, "unknown"},
		"named before, one of many, dated after":         {time.Hour, 1, 5, "unknown"},
		"named after the patch, dated after":             {time.Hour, 2, 0, "S1 by line_fingerprint"},
		"named after the patch, one of many":             {time.Hour, 2, 5, "S1 by line_fingerprint"},
		"named after the patch, and it cannot be so old": {-10 * time.Hour, 2, 0, "unknown"},
		"not named, dated after":                         {time.Hour, 0, 0, "S1 by line_fingerprint"},
		"not named, dated before":                        {-10 * time.Hour, 0, 0, "unknown"},
		"not named, a moment after the last that was":    {0, 0, 3, "S1 by line_fingerprint"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Write("own.txt", "of the beginning\n")
			w.Commit("own")
			w.Anchor()
			side := w.aside("side", "own.txt", "of the beginning\n"+byFirst, w.Clock.Add(tt.dated))
			heads := func() {
				for i := range tt.heads {
					w.Write("base.txt", strings.Repeat("another line\n", i+1))
					w.Commit("head")
					w.Anchor()
				}
			}
			name := func() {
				w.Git("switch", "-q", "side")
				w.Git("commit", "-q", "--allow-empty", "-m", "on top")
				w.Anchor()
				w.Git("switch", "-q", "main")
			}
			heads()
			if tt.dated == 0 {
				w.Git("branch", "-q", "-D", "side")
				side = w.aside("side", "own.txt", "of the beginning\n"+byFirst, w.Clock)
			}
			if tt.named == 1 {
				name()
			}
			w.Edit("S1", "own.txt", "of the beginning\n"+byFirst)
			if tt.named == 2 {
				w.Write("own.txt", "of the beginning\n")
				name()
			}
			w.Write("own.txt", "of the beginning\n")
			heads()
			w.Commit("without")
			w.Anchor()
			w.Forget()
			w.want(Question{Commit: side, Path: "own.txt"}, tt.want)
		})
	}
}

// A question names lines and their texts; what no log speaks of is not looked into, unless it says nothing by itself.
func TestWhatIsLookedInto(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Edit("S1", "a.txt", byFirst+common)
	c := w.Commit("unseen")
	w.Edit("S1", "b.txt", "nothing of the kind is there\n")
	texts := func(text ...string) [][]byte {
		var out [][]byte
		for _, one := range text {
			out = append(out, bytes.Join(bytes.Fields([]byte(one)), nil))
		}
		return out
	}
	both := []string{"S1 by exact_blob", "S1 by exact_blob"}
	w.want(Question{Commit: c, Path: "a.txt", Lines: []int{1}, Texts: texts(byFirst)}, both...)
	w.want(Question{Commit: c, Path: "a.txt", Lines: []int{2}, Texts: texts(common)}, both...)
	other := w.aside("side", "c.txt", byHand+common, w.Clock)
	w.want(Question{Commit: other, Path: "c.txt", Lines: []int{1}, Texts: texts(byHand)})
	w.want(Question{Commit: other, Path: "c.txt", Lines: []int{1, 2}, Texts: texts(byHand, common)})
	other = w.aside("side2", "d.txt", byHand+common, w.Clock)
	w.want(Question{Commit: other, Path: "d.txt", Lines: []int{2}, Texts: texts(common)}, "unknown", "unknown")
}

// An answer that leaves a line unknown holds until a log speaks of that line.
func TestHowLongAnAnswerHolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Edit("S1", "a.txt", byFirst)
	w.Write("a.txt", byFirst+bySecond)
	c := w.aside("side", "a.txt", byFirst+bySecond, w.Clock.Add(24*time.Hour))
	w.Forget()
	q := Question{Commit: c, Path: "a.txt", Lines: []int{1, 2}, Texts: [][]byte{[]byte(byFirst), []byte(bySecond)}}
	w.want(q, "S1 by line_fingerprint", "unknown")
	w.Edit("S2", "z.txt", "the log grows by something else\n")
	w.want(q, "S1 by line_fingerprint", "unknown")
	w.Edit("S2", "a.txt", bySecond)
	w.Forget()
	w.want(q, "S1 by line_fingerprint", "S2 by line_fingerprint")
}

// Where only the logs of others are asked, the own one has no say even in lines that it knows.
func TestTheOwnLogHasNoSayInLinesOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	theirs := w.Clone()
	theirs.Edit("S1", "base.txt", "base one\n"+byFirst+"base two\nbase three\n")
	theirs.Write("base.txt", "base one\n"+byFirst+"base two\ntheirs by hand, some line\nbase three\n")
	theirs.Commit("ai")
	w.Edit("S2", "base.txt", "base one\n"+bySecond+"base two\nbase three\n")
	w.Write("base.txt", "base one\nbase two\nbase three\n")
	w.Commit("without")
	w.Anchor()
	c := w.aside("side", "base.txt", byFirst+"base one\n"+bySecond+"base two\nbase three\n", w.Clock.Add(24*time.Hour))
	testenv.FetchLog(t, w.Repo.WorkTree, theirs.Repo.WorkTree, "theirs")
	w.Forget()
	w.want(Question{Commit: c, Path: "base.txt", Elsewhere: true}, "S1 by line_fingerprint", "unknown")
	w.want(Question{Commit: c, Path: "base.txt"}, "S1 by line_fingerprint", "S2 by line_fingerprint")
}

// Every line of a content that was seen has the owner that it had there.
func TestLinesSideBySideHaveTheirOwnOwners(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Edit("S1", "a.txt", byFirst)
	w.Edit("S2", "a.txt", byFirst+bySecond)
	w.Edit("S1", "a.txt", byFirst+bySecond+"and the first one again\n")
	w.Write("a.txt", byHand+byFirst+bySecond+"and the first one again\n")
	w.Edit("S3", "b.txt", "a look at everything\n")
	c := w.Commit("all")
	w.want(Question{Commit: c, Path: "a.txt"}, "human by exact_blob", "S1 by exact_blob", "S2 by exact_blob", "S1 by exact_blob")
}

// A content that was seen under another name counts if it says enough: anybody may type a short one.
func TestAContentIsKnownUnderAnotherName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Edit("S1", "long.txt", byFirst)
	w.Edit("S1", "short.txt", "x = 1\n")
	w.Commit("both")
	c := w.aside("side", "long2.txt", byFirst, w.Clock.Add(time.Hour))
	d := w.aside("side2", "short2.txt", "x = 1\n", w.Clock.Add(time.Hour))
	w.want(Question{Commit: c, Path: "long2.txt"}, "S1 by exact_blob")
	w.want(Question{Commit: d, Path: "short2.txt"}, "unknown")
}

// What the repository does not have any more says nothing, and stops nothing.
func TestWhatIsGoneSaysNothing(t *testing.T) {
	t.Parallel()
	for what, path := range map[string]string{"the content": "HEAD:a.txt", "that of the parent": "HEAD~1:a.txt"} {
		w := newWorld(t)
		w.Write("a.txt", "of the beginning\n")
		w.Commit("before")
		w.Edit("S1", "a.txt", "of the beginning\n"+byFirst)
		c := w.Commit("unseen")
		blob := w.Git("rev-parse", path)
		object := filepath.Join(w.Repo.CommonDir, "objects", blob[:2], blob[2:])
		w.Check(os.Rename(object, object+".away"))
		w.Check(os.RemoveAll(filepath.Join(w.Repo.TracesDir(), "objects")))
		w.want(Question{Commit: c, Path: "a.txt"})
		if len(w.commits(c)) > 0 {
			t.Errorf("without %s the commit is known", what)
		}
		w.Check(os.Rename(object+".away", object)) // nothing of that was kept
		if found := w.commits(c); found[c].AI != 1 {
			t.Errorf("with %s again: %+v", what, found)
		}
	}
}
