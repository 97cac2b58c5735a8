package gitblame

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// setting is one line of a configuration.
type setting struct{ key, value string }

func TestWhichVariablesShapeAnswers(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"GIT_LITERAL_PATHSPECS": true, "GIT_NO_REPLACE_OBJECTS": true, "GIT_ATTR_SOURCE": true, "GIT": false, "HOME": false,
		"GIT_AUTHOR_NAME": false, "GIT_TRACE2": false, "GIT_DIR": false, "GIT_CONFIG_COUNT": false, "GIT_OPTIONAL_LOCKS": false,
	} {
		if shapesGit(name) != want {
			t.Errorf("%s shapes what git finds: %v", name, !want)
		}
	}
	for item, want := range map[setting]bool{
		{key: "blame.ignorerevsfile", value: "x"}: false, {key: "blame.ignorerevsfile"}: true, {key: "mailmap.blob", value: "x"}: false,
		{key: "diff.pdf.textconv", value: "x"}: false, {key: "diff.pdf.binary", value: "true"}: true, {key: "core.x", value: "y"}: true,
	} {
		if bears(item.key, item.value) != want {
			t.Errorf("the cache can be used beside %v: %v", item, !want)
		}
	}
}

// A history that is other than its commits say is not remembered.
func TestWhereTheHistoryIsOtherThanItsCommitsSay(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"":                      func(*testing.T, string) {},
		"grafts":                func(t *testing.T, dir string) { writeFile(t, filepath.Join(dir, "info", "grafts")) },
		"a shallow clone":       func(t *testing.T, dir string) { writeFile(t, filepath.Join(dir, "shallow")) },
		"a replacement":         func(t *testing.T, dir string) { writeFile(t, filepath.Join(dir, "refs", "replace", "x")) },
		"replacements anywhere": func(t *testing.T, _ string) { t.Setenv("GIT_REPLACE_REF_BASE", "refs/x/") },
		"another graft file":    func(t *testing.T, _ string) { t.Setenv("GIT_GRAFT_FILE", "x") },
		"another shallow file":  func(t *testing.T, _ string) { t.Setenv("GIT_SHALLOW_FILE", "x") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			repo, err := refs.Discover(dir)
			if err != nil {
				t.Fatal(err)
			}
			spoil(t, repo.CommonDir)
			if got := rewritesHistory(repo); got != (name != "") {
				t.Errorf("it is other: %v", got)
			}
		})
	}
}

func writeFile(t *testing.T, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.Repeat("a", 40)+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsInForceIsPartOfTheDigest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	repo, err := refs.Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{repo: repo}
	of := func(items ...setting) digest {
		t.Helper()
		var config refs.Config
		for _, item := range items {
			config.Add(item.key, item.value)
		}
		sum, ok := s.context(config)
		if !ok {
			t.Fatalf("there is none of %v", items)
		}
		return sum
	}
	plain := of()
	if plain != of(setting{key: "user.name", value: "x"}) {
		t.Error("a name makes another digest")
	}
	if plain == of(setting{key: "core.x", value: "y"}) || of(setting{key: "core.x", value: "y"}) == of(setting{key: "core.x", value: "z"}) {
		t.Error("a setting makes no other digest")
	}
	file := setting{key: "mailmap.file", value: "names"}
	without := of(file)
	writeFile(t, filepath.Join(dir, "names"))
	if of(file) == without {
		t.Error("a mailmap beside the work tree's top makes no other digest")
	}
	if of(setting{key: "mailmap.file", value: filepath.Join(dir, "names")}) == of(setting{key: "mailmap.file", value: filepath.Join(dir, "no names")}) {
		t.Error("another mailmap makes no other digest")
	}
	writeFile(t, filepath.Join(dir, ".mailmap"))
	if of() == plain {
		t.Error("the mailmap makes no other digest")
	}
	var conversion refs.Config
	conversion.Add("diff.pdf.textconv", "x")
	if _, ok := s.context(conversion); ok {
		t.Error("there is a digest beside a conversion")
	}
	if _, ok := (&Session{repo: &refs.Repo{CommonDir: repo.CommonDir, GitDir: repo.GitDir}}).context(refs.Config{}); ok {
		t.Error("there is a digest of a repository without a work tree")
	}
}

func TestAVariableThatShapesAnswersIsPartOfTheDigest(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	repo, err := refs.Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	of := func() digest {
		t.Helper()
		sum, ok := (&Session{repo: repo}).context(refs.Config{})
		if !ok {
			t.Fatal("there is none")
		}
		return sum
	}
	plain := of()
	t.Setenv("GIT_TRACE2_X", "1")
	if of() != plain {
		t.Error("a variable that shapes nothing makes another digest")
	}
	t.Setenv("GIT_ATTR_SOURCE", "a")
	one := of()
	t.Setenv("GIT_ATTR_SOURCE", "b")
	if one == plain || of() == one {
		t.Error("a variable that shapes answers makes no other digest")
	}
}

func TestWhichSettingsShapeAnswers(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"blame.showroot": true, "core.autocrlf": true, "diff.renames": true, "mailmap.file": true, "filter.lfs.clean": true,
		"user.name": false, "color.ui": false, "alias.blame": false, "remote.origin.url": false, "log.date": true,
	} {
		if shapes(key) != want {
			t.Errorf("%s shapes answers: %v", key, !want)
		}
	}
}

func TestADigestOfFiles(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x")
	of := func() digest {
		d := newDigest()
		d.File(file)
		return d.Sum()
	}
	none := of()
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if of() == none {
		t.Error("an empty file is none")
	}
}
