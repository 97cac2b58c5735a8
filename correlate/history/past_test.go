package history_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/refs"
)

// ids are the commits of revisions, called by their subjects.
func ids(t *testing.T, repo *refs.Repo, revs ...string) (list []refs.OID, subjects map[refs.OID]string) {
	t.Helper()
	subjects = map[refs.OID]string{}
	out, err := repo.Git(context.Background(), nil, "log", "--all", "--format=%H %s")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		id, subject, _ := strings.Cut(strings.TrimSpace(line), " ")
		oid, err := refs.ParseOID(id)
		if err != nil {
			t.Fatal(err)
		}
		subjects[oid] = subject
	}
	for _, rev := range revs {
		out, err := repo.Git(context.Background(), nil, "rev-parse", rev)
		if err != nil {
			t.Fatal(err)
		}
		oid, err := refs.ParseOID(strings.TrimSpace(string(out)))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, oid)
	}
	return list, subjects
}

// The commits that lead to tips come once each, parents first, as git lists them; what is missing ends nothing else.
func TestWhatLeadsToTips(t *testing.T) {
	t.Parallel()
	const script = `
one() { git commit -q --allow-empty -m "$1"; }
one root; one a; git switch -q -c side; one s1; one s2; git switch -q main; one b
git merge -q --no-ff -m merge side; one c; git switch -q -c other HEAD~2; one o`
	for name, tt := range map[string]struct {
		tips    string
		missing string // a commit whose object is gone
		shallow string // where the history ends
		want    string
		unread  string
	}{
		"all of it":                           {tips: "main other", want: "root a b s1 s2 merge c o"},
		"the other tip first":                 {tips: "other main", want: "root a b o s1 s2 merge c"},
		"one tip, twice":                      {tips: "side side", want: "root a s1 s2"},
		"none":                                {},
		"a commit is missing":                 {tips: "main", missing: "side~1", want: "root a b s2 merge c", unread: "s1"},
		"the tip itself is missing":           {tips: "other main", missing: "other", want: "root a b s1 s2 merge c", unread: "o"},
		"the root is missing":                 {tips: "side", missing: "side~3", want: "a s1 s2", unread: "root"},
		"a shallow clone ends where it does":  {tips: "main", shallow: "main~2", want: "b root a s1 s2 merge c"},
		"what lies before its end is not met": {tips: "other", shallow: "main~2", missing: "side~2", want: "b o"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := world(t, script)
			tips, subjects := ids(t, repo, strings.Fields(tt.tips)...)
			if tt.shallow != "" {
				end, _ := ids(t, repo, tt.shallow)
				if err := os.WriteFile(filepath.Join(repo.CommonDir, "shallow"), []byte(end[0].String()+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if tt.missing != "" {
				damage(t, repo, tt.missing, true)
			}
			list, unread, err := history.Past(repo, tips)
			if err != nil {
				t.Fatal(err)
			}
			var got, lost []string
			seen := map[refs.OID]bool{}
			for _, c := range list {
				got = append(got, subjects[c.ID])
				seen[c.ID] = true
				if c.Author != "A U Thor <a@b.c>" || c.Authored.Format("01-02 15") != "11-02 10" || c.Committed.Format("01-02 15") != "11-03 10" {
					t.Errorf("%s is by %s of %v, committed %v", subjects[c.ID], c.Author, c.Authored, c.Committed)
				}
				for _, p := range c.Parents {
					if name := subjects[p]; !seen[p] && name != tt.unread {
						t.Errorf("%s comes before its parent %s", subjects[c.ID], name)
					}
				}
			}
			for _, c := range unread {
				lost = append(lost, subjects[c.ID])
				if len(c.Unread) != 1 || c.Unread[0].Object != c.ID || c.Unread[0].Cause == nil {
					t.Errorf("what is missing is told as %+v", c.Unread)
				}
			}
			if strings.Join(got, " ") != tt.want || strings.Join(lost, " ") != tt.unread {
				t.Errorf("got %v without %v, want %s without %s", got, lost, tt.want, tt.unread)
			}
		})
	}
}

// In a partial clone contents are not stored: what can be read of a commit is given, and the walk goes on with the next.
func TestCommitsOfWhichContentsAreNotStored(t *testing.T) {
	t.Parallel()
	repo := world(t, `
git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,sub
for i in 1 2 3 4 5 6; do echo a$i >a; echo b$i >b; git add a b; test $i != 3 || git rm -q --cached sub; git commit -qm $i; done
`)
	for _, rev := range []string{"HEAD~4:a", "HEAD~3:a", "HEAD~1:b"} {
		damage(t, repo, rev, true)
	}
	list, err := history.List(context.Background(), repo, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	if err := history.Walk(context.Background(), repo, list, func(c *history.Commit) error {
		for _, f := range c.Files {
			got += f.Path
		}
		for _, u := range c.Unread {
			got += "!" + u.Path
		}
		got += " "
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if want := "absub b!a bsub!a b!a a!b a!b "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestARangeThatGitDoesNotKnow(t *testing.T) {
	t.Parallel()
	repo := world(t, "git commit -q --allow-empty -m one")
	if list, err := history.List(context.Background(), repo, "nowhere"); err == nil {
		t.Errorf("it has %d commits", len(list))
	}
	file := filepath.Join(repo.CommonDir, "shallow")
	if err := os.Mkdir(file, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, _, err := history.Past(repo, nil); err == nil {
		t.Error("where the history ends cannot be read, and nothing is said")
	}
}
