package unseen

import (
	"context"
	"testing"

	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/refs"
)

func TestWhereNothingWasEverRecordedNothingIsSearched(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := &recording.World{T: t, Repo: &refs.Repo{WorkTree: dir}}
	w.Git("init", "-q", "-b", "main", ".")
	w.Write("base.txt", "base one\nbase two\n")
	w.Commit("base")
	repo, err := refs.DiscoverHook(dir)
	w.Check(err)
	head, _, err := repo.Head()
	w.Check(err)
	reader, err := index.Open(repo)
	w.Check(err)
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
