package sharing_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/sharing"
)

// Where a push goes is read from the settings. Git says the same.
func TestThePushURLIsTheOneOfGit(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]string{
		"one URL":           {"remote.r.url=/srv/x.git"},
		"a push URL":        {"remote.r.url=/srv/x.git", "remote.r.pushUrl=/srv/y.git"},
		"two push URLs":     {"remote.r.url=/srv/x.git", "remote.r.pushUrl=/srv/y.git", "remote.r.pushUrl=/srv/z.git"},
		"two URLs":          {"remote.r.url=/srv/x.git", "remote.r.url=/srv/y.git"},
		"instead":           {"remote.r.url=gh:x/y", "url.https://forge.example/.insteadOf=gh:"},
		"the longest":       {"remote.r.url=gh:x/y", "url.https://a.example/.insteadOf=gh:", "url.https://b.example/.insteadOf=gh:x/"},
		"as long":           {"remote.r.url=gh:x/y", "url.https://a.example/.insteadOf=gh:", "url.https://b.example/.insteadOf=gh:"},
		"instead to push":   {"remote.r.url=https://a.example/x", "url.git@a.example:.pushInsteadOf=https://a.example/"},
		"both":              {"remote.r.url=gh:x", "url.https://a.example/.insteadOf=gh:", "url.git@a.example:.pushInsteadOf=gh:"},
		"one after another": {"remote.r.url=gh:x", "url.https://a.example/.insteadOf=gh:", "url.git@a.example:.pushInsteadOf=https://a.example/"},
		"of a push URL":     {"remote.r.url=gh:x", "remote.r.pushUrl=gp:x", "url.https://a.example/.insteadOf=gp:", "url.git@a.example:.pushInsteadOf=gp:"},
		"one of two":        {"remote.r.url=gh:x", "remote.r.url=/srv/y.git", "url.git@a.example:.pushInsteadOf=gh:"},
		"a name with dots":  {"remote.r.url=gh:x", "url.ssh://git@a.example:22/b.insteadOf/.insteadOf=gh:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := recording.New(t)
			for _, s := range settings {
				key, value, _ := strings.Cut(s, "=")
				w.Git("config", "--add", key, value)
			}
			s, err := sharing.ReadSettings(t.Context(), w.Repo)
			w.Check(err)
			want := strings.Split(w.Git("remote", "get-url", "--push", "--all", "r"), "\n")
			got, err := s.PushURL(t.Context(), w.Repo, "r")
			if (err == nil) != (len(want) == 1) || err == nil && got != want[0] {
				t.Errorf("%q, %v; git says %q", got, err, want)
			}
		})
	}
}

// Where several remotes have a level, or none has one, none is taken, and the message names what there is to choose.
func TestOfSeveralRemotesNoneIsTaken(t *testing.T) {
	t.Parallel()
	w := recording.New(t)
	destination := func() (string, error) {
		s, err := sharing.ReadSettings(t.Context(), w.Repo)
		w.Check(err)
		r, err := s.Destination("")
		return r.Name, err
	}
	if _, err := destination(); !errors.Is(err, sharing.ErrNoneThere) {
		t.Errorf("without a remote: %v", err)
	}
	w.Git("remote", "add", "origin", "/srv/origin.git")
	if _, err := destination(); !errors.Is(err, sharing.ErrNoRemote) || !strings.Contains(err.Error(), "origin") {
		t.Errorf("one without a level: %v", err)
	}
	for _, name := range []string{"fork", "other"} {
		w.Git("remote", "add", name, "/srv/"+name+".git")
	}
	if _, err := destination(); !errors.Is(err, sharing.ErrNoRemote) || strings.Contains(err.Error(), "origin") {
		t.Errorf("without a level: %v", err)
	}
	w.Git("config", "remote.origin.traceShare", "commits")
	if name, err := destination(); err != nil || name != "origin" {
		t.Errorf("one has a level: %s, %v", name, err)
	}
	w.Git("config", "remote.fork.traceShare", "commits")
	_, err := destination()
	if !errors.Is(err, sharing.ErrNoRemote) || !strings.Contains(err.Error(), "origin") || !strings.Contains(err.Error(), "fork") ||
		strings.Contains(err.Error(), "other") {
		t.Errorf("two have a level: %v", err)
	}
	w.Git("config", "trace.remote", "fork")
	if name, err := destination(); err != nil || name != "fork" {
		t.Errorf("one is settled: %s, %v", name, err)
	}
}
