package gitblame

import (
	"context"
	"testing"
)

// Nobody has to find owners of uncommitted lines where git will find none. It is the same beside answers that are kept.
func TestOnlyAChangedFileHasUncommittedLines(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.Write("file", "one\ntwo\n")
	r.Commit("first")
	told := func() (contents []string) {
		t.Helper()
		s, err := r.open(r.Dir, "", "file")
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		s.opts.Likely = func(_ context.Context, likely Likely) { contents = append(contents, string(likely.Content)) }
		if _, _, err := s.Lines(); err != nil {
			t.Fatal(err)
		}
		return contents
	}
	expect := func(when, want string) {
		t.Helper()
		if got := told(); len(got) != 1 || got[0] != want {
			t.Errorf("%s: of %q", when, got)
		}
	}
	expect("for the first time", "")
	r.Write("file", "one\ntwo\nthree\n")
	expect("changed since", "one\ntwo\nthree\n")
	r.Commit("second")
	r.Write("file", "one\ntwo\nthree\nfour\n")
	r.Commit("third")
	expect("after a commit", "")
}
