package unseen

import (
	"context"
	"testing"

	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
)

func TestWhereNothingWasEverRecordedNothingIsSearched(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := &world{t: t, repo: &refs.Repo{WorkTree: dir}}
	w.git("init", "-q", "-b", "main", ".")
	w.write("base.txt", "base one\nbase two\n")
	w.commit("base")
	repo, err := refs.DiscoverHook(dir)
	w.check(err)
	head, _, err := repo.Head()
	w.check(err)
	reader, err := index.Open(repo)
	w.check(err)
	defer reader.Close()
	s := New(repo, reader)
	defer s.Close()
	found, err := s.Commits(context.Background(), []refs.OID{head})
	if err != nil || len(found) > 0 {
		t.Errorf("found %v, %v", found, err)
	}
	answers, err := s.Ask(context.Background(), []Question{{Commit: head, Path: "base.txt"}})
	if err != nil || len(answers) != 1 || len(answers[0].Owners) > 0 {
		t.Errorf("answered %v, %v", answers, err)
	}
	if s.digest != nil {
		t.Error("it searched all the same")
	}
}
