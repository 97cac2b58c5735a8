package refs

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// configSamples are files git reads; the parser must read them alike.
var configSamples = map[string]string{
	"plain":               "[core]\n\tbare = false\n\trepositoryformatversion = 0\n",
	"on one line":         "[core] bare = true\n[a \"B c\"]x=1",
	"without values":      "[a]\nb\nc =\nd\n",
	"comments":            "# c\n; d\n[a] # e\nb = 1 # f\nc = \"#\" ; g\nd = x;y\n",
	"quotes and escapes":  "[a]\nb = \"  sp \\\"q\\\" \\\\ \\t\\n \"\nc = a \"b  c\" d\ne = \"\"\n",
	"continued lines":     "[a]\nb = one \\\n  two\\\nthree\nc = \"x \\\ny\"\n",
	"CR LF":               "[a]\r\nb = 1\r\nc = x \r\n[b]\r\n",
	"byte order mark":     "\ufeff[a]\nb = 1\n",
	"cases":               "[CoRe \"SuB.Sec\"]\nKeY = Value\n[CoRe.SuB]\nk=v\n",
	"escaped subsection":  "[a \"q\\\"x\\\\y\\z\"]\nk=v\n",
	"trailing white":      "[a]\nb = x   \nc =   y\t\nd = a   b\n",
	"no newline at end":   "[a]\nb = x",
	"blank value comment": "[a]\nb = # nothing\n",
	"empty":               "",
	"empty sections":      "[a]\n[b]\n[b \"c\"]\n",
	"bad: no section":     "x = 1\n",
	"bad: open section":   "[core\nx=1\n",
	"bad: open quote":     "[a]\nb = \"x\n",
	"bad: escape":         "[a]\nb = \\q\n",
	"bad: name":           "[a]\n1b = 2\n",
	"bad: junk in name":   "[a]\nb_c = 2\n",
	"bad: after section":  "[a \"b\" ]\nc=1\n",
	"bad: lone CR":        "[a]\nb\r",
	"bad: comment":        "[a]\nb # c\n",
	"include":             "[include]\npath = nowhere\n[includeIf \"gitdir:/x\"]\npath = y\n",
}

func TestConfigFilesAreReadAsGitReadsThem(t *testing.T) {
	t.Parallel()
	for name, text := range configSamples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entries, err := parseConfig(text)
			git, ok := gitReadsConfig(t, text)
			if ok != (err == nil) {
				t.Fatalf("git accepts it: %v; we: %v", ok, err)
			}
			if ok && !slices.Equal(entries, git) {
				t.Errorf("git %+v\nwe  %+v", git, entries)
			}
		})
	}
}

func gitReadsConfig(t testing.TB, text string) ([]configEntry, bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	write(t, path, text)
	cmd := exec.Command("git", "config", "-z", "--list", "--no-includes", "--file", path)
	cmd.Dir, cmd.Env = filepath.Dir(path), gitEnv()
	out, err := cmd.Output()
	return parseConfigList(string(out)).entries, err == nil
}

func TestConfig(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	more := filepath.Join(repo.GitDir, "more")
	write(t, more, "[Trace]\n\tMode = included\n[branch \"Main.X\"]\n\tMerge = one\n\tmerge = two\n[t]\nb1\nb2=yes\nb3=0\nb4=off\nb5=2k\nb6=junk\nb7=\n[v]\nmulti = \"a\\nb\"\n")
	git(t, repo.WorkTree, "config", "include.path", more)
	c, err := repo.Config(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"trace.mode": "included", "TRACE.MODE": "included", "branch.Main.X.MERGE": "two", "t.b1": "true", "v.multi": "a\nb",
	} {
		if got, ok := c.Get(key); !ok || got != want {
			t.Errorf("%s: %q %v", key, got, ok)
		}
	}
	for _, key := range []string{"branch.main.x.merge", "nothing", "trace.other", ""} {
		if got, ok := c.Get(key); ok {
			t.Errorf("%s: %q", key, got)
		}
	}
	if all := c.All("branch.Main.X.merge"); !slices.Equal(all, []string{"one", "two"}) {
		t.Errorf("all: %q", all)
	}
	for key, want := range map[string][2]bool{ // with default false, with default true
		"t.b1": {true, true}, "t.b2": {true, true}, "t.b3": {false, false}, "t.b4": {false, false}, "t.b5": {true, true},
		"t.b6": {false, true}, "t.b7": {false, false}, "t.none": {false, true},
	} {
		if got := [2]bool{c.Bool(key, false), c.Bool(key, true)}; got != want {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
	write(t, filepath.Join(repo.GitDir, "config"), "[broken\n")
	if _, err := repo.Config(context.Background()); err == nil || !strings.Contains(err.Error(), "config") {
		t.Errorf("a broken file: %v", err)
	}
}

func TestDiscoveryAsksGitAboutAConfigurationItCannotRead(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	path := filepath.Join(repo.GitDir, "config")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(text)+"[broken\n")
	if _, err := DiscoverHook(repo.WorkTree); err == nil || !strings.Contains(err.Error(), "bad config line") {
		t.Errorf("got %v", err)
	}
	write(t, path, "[core]\nrepositoryformatversion = 1\n[extensions]\nsomethingNew = 1\n")
	if _, err := DiscoverHook(repo.WorkTree); err == nil || !strings.Contains(strings.ToLower(err.Error()), "somethingnew") {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got, err := DiscoverHook(repo.WorkTree); err != nil || !same(got, repo) {
		t.Errorf("without a configuration: %+v %v", got, err)
	}
}

func TestSettingsAreListedOnceForACommand(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	value := func(ctx context.Context) string {
		t.Helper()
		config, err := repo.Config(ctx)
		if err != nil {
			t.Fatal(err)
		}
		word, _ := config.Get("trace.word")
		return word
	}
	git(t, repo.WorkTree, "config", "trace.word", "first")
	once := SettingsOnce(t.Context())
	if got := value(once); got != "first" {
		t.Errorf("%q", got)
	}
	git(t, repo.WorkTree, "config", "trace.word", "second")
	if got := value(once); got != "first" {
		t.Errorf("asked again: %q", got)
	}
	if _, err := repo.Git(once, nil, "config", "trace.word", "third"); err != nil {
		t.Fatal(err)
	}
	if got := value(once); got != "third" {
		t.Errorf("not asked again after a change: %q", got)
	}
	if got := value(t.Context()); got != "third" {
		t.Errorf("asked once, for a command that does not want it: %q", got)
	}
	list, err := repo.Settings(t.Context())
	i := slices.IndexFunc(list, func(s Setting) bool { return s.Key == "trace.word" })
	if err != nil || i < 0 || list[i].Scope != "local" || filepath.Base(list[i].File) != "config" {
		t.Errorf("%v %v", list, err)
	}
}
