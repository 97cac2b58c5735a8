package settings_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/settings"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// world is a traced repository whose configuration is that of its own file and of one beside it.
type world struct {
	t    *testing.T
	repo *refs.Repo
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "global"))
	repo, err := refs.Discover(testenv.Repository(t, "true"))
	if err != nil {
		t.Fatal(err)
	}
	if err := repo.MakeTracesDir(); err != nil {
		t.Fatal(err)
	}
	return &world{t, repo}
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.repo.WorkTree
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (w *world) write(file, text string) string {
	w.t.Helper()
	if !filepath.IsAbs(file) {
		file = filepath.Join(w.repo.GitDir, file)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour) // clocks are coarse: what is younger is not kept
	if err := os.Chtimes(file, long, long); err != nil {
		w.t.Fatal(err)
	}
	return file
}

func (w *world) read() refs.Config {
	w.t.Helper()
	config, err := settings.Read(context.Background(), w.repo)
	if err != nil {
		w.t.Fatal(err)
	}
	return config
}

// kept is the content of the files in which listings are kept.
func (w *world) kept() (all string) {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.repo.TracesDir(), "cache", "blame", "settings-*"))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			w.t.Fatal(err)
		}
		all += string(text)
	}
	return all
}

// holds compares the values of a key with git's own.
func (w *world) holds(key string) {
	w.t.Helper()
	var want []string
	for line := range strings.Lines(w.git("config", "--list") + "\n") {
		if name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "="); name == key {
			want = append(want, value)
		}
	}
	if got := w.read().All(key); !slices.Equal(got, want) {
		w.t.Errorf("%s is %q, git says %q", key, got, want)
	}
}

// Each change is seen at once, though git is asked only when a file has another content.
func TestWhatIsReadIsWhatGitSays(t *testing.T) {
	w := newWorld(t)
	elsewhere := filepath.Join(t.TempDir(), "more")
	for _, change := range []func(){
		func() {},
		func() { w.git("config", "color.ui", "always") },
		func() { w.git("config", "--add", "blame.coloring", "none") },
		func() { w.git("config", "--add", "blame.coloring", "highlightRecent") },
		func() { w.write(os.Getenv("GIT_CONFIG_GLOBAL"), "[core]\n\tabbrev = 9\n") },
		func() { w.git("config", "include.path", elsewhere) }, // not there yet
		func() { w.write(elsewhere, "[color]\n\tui = never\n[blame]\n\tdate = raw\n") },
		func() { w.git("config", "includeIf.onbranch:other.path", "other") },
		func() { w.write("other", "[blame]\n\tdate = unix\n") },
		func() { w.git("checkout", "-q", "--orphan", "other") },
		func() { t.Setenv("GIT_CONFIG_COUNT", "1") },
	} {
		t.Setenv("GIT_CONFIG_KEY_0", "blame.date")
		t.Setenv("GIT_CONFIG_VALUE_0", "iso")
		change()
		for range 2 { // by git, and by what is kept
			for _, key := range []string{"color.ui", "blame.coloring", "blame.date", "core.abbrev"} {
				w.holds(key)
			}
		}
	}
	if w.kept() == "" {
		t.Error("nothing was kept")
	}
}

func TestWhatIsKeptStartsNoGit(t *testing.T) {
	w := newWorld(t)
	w.git("config", "color.ui", "always")
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(w.repo.GitDir, "config"), long, long); err != nil {
		t.Fatal(err)
	}
	w.read()
	trace := filepath.Join(t.TempDir(), "trace")
	t.Setenv("GIT_TRACE", trace)
	w.read()
	if text, err := os.ReadFile(trace); err == nil {
		t.Errorf("git was started:\n%s", text)
	}
}

// Tokens stand in configurations. What nobody asks for is neither kept nor given; of what is only compared with itself
// there is a digest.
func TestNoTokenIsKept(t *testing.T) {
	w := newWorld(t)
	w.git("config", "http.extraHeader", "Authorization: token-1")
	w.git("config", "core.sshCommand", "ssh -i token-2")
	w.git("config", "core.pager", "less -R")
	config := w.read()
	if _, ok := config.Get("http.extraheader"); ok {
		t.Error("a header is given")
	}
	if value, _ := config.Get("core.sshcommand"); value != settings.DigestOf("ssh -i token-2").String() {
		t.Errorf("core.sshCommand is %q", value)
	}
	if kept := w.kept(); strings.Contains(kept, "token") || !strings.Contains(kept, "less -R") {
		t.Errorf("kept is %q", kept)
	}
}

// Whether there are rules of redaction is known without git, but not what they are.
func TestThatThereAreRulesIsKeptAndNotWhatTheySay(t *testing.T) {
	w := newWorld(t)
	if settings.HasRules(w.read()) {
		t.Error("there are none")
	}
	for _, key := range []string{"trace.redactFile", "trace.redactSecret", "trace.redactAllow", "trace.redactName"} {
		w.git("config", key, "token-3")
		for range 2 { // by git, and by what is kept
			if !settings.HasRules(w.read()) {
				t.Errorf("%s is not seen", key)
			}
		}
		w.git("config", "--unset", key)
		if settings.HasRules(w.read()) {
			t.Errorf("%s is seen although it is gone", key)
		}
	}
	w.write(os.Getenv("GIT_CONFIG_GLOBAL"), "[trace]\n\tredactSecret = token-4\n")
	if !settings.HasRules(w.read()) {
		t.Error("the user's own file is not read")
	}
	if kept := w.kept(); strings.Contains(kept, "token") {
		t.Errorf("kept is %q", kept)
	}
}

func TestWhatIsDamagedIsReadAgain(t *testing.T) {
	w := newWorld(t)
	w.git("config", "color.ui", "always")
	w.read()
	files, _ := filepath.Glob(filepath.Join(w.repo.TracesDir(), "cache", "blame", "settings-*"))
	if len(files) != 1 {
		t.Fatalf("kept in %q", files)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for size := 0; size < len(whole); size += 1 + size/20 {
		w.write(files[0], string(whole[:size]))
		if value, _ := w.read().Get("color.ui"); value != "always" {
			t.Fatalf("cut at %d: color.ui is %q", size, value)
		}
	}
}

func TestARepositoryThatIsNotTracedStaysAsItIs(t *testing.T) {
	t.Parallel()
	repo, err := refs.Discover(testenv.Repository(t, "git config color.ui always"))
	if err != nil {
		t.Fatal(err)
	}
	config, err := settings.Read(context.Background(), repo)
	if err != nil {
		t.Fatal(err)
	}
	if value, _ := config.Get("color.ui"); value != "always" || repo.HasTraces() {
		t.Errorf("color.ui is %q, traces: %v", value, repo.HasTraces())
	}
}

func TestAnUnreadableConfigurationIsAnError(t *testing.T) {
	w := newWorld(t)
	w.write("config", "[core")
	if _, err := settings.Read(context.Background(), w.repo); err == nil {
		t.Error("it was read")
	}
}

func TestWhichSettingsShapeAnswers(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"blame.showroot": true, "core.autocrlf": true, "diff.renames": true, "mailmap.file": true, "filter.lfs.clean": true,
		"user.name": false, "color.ui": false, "alias.blame": false, "remote.origin.url": false, "log.date": true,
	} {
		if settings.Shapes(key) != want {
			t.Errorf("%s shapes answers: %v", key, !want)
		}
	}
}

func TestPathsOfConfigurationsAsGitReadsThem(t *testing.T) {
	t.Setenv("HOME", "/home/a")
	t.Setenv("XDG_CONFIG_HOME", "")
	if got := settings.UserFile("attributes"); got != filepath.FromSlash("/home/a/.config/git/attributes") {
		t.Errorf("the user's file is %q", got)
	}
	t.Setenv("XDG_CONFIG_HOME", "/xdg")
	if got := settings.UserFile("attributes"); got != filepath.FromSlash("/xdg/git/attributes") {
		t.Errorf("the user's file is %q", got)
	}
	for path, want := range map[string]string{"~/x": filepath.FromSlash("/home/a/x"), "/x": "/x", "x": "x"} {
		if got, ok := settings.ExpandHome(path); !ok || got != want {
			t.Errorf("%q is %q, %v", path, got, ok)
		}
	}
	for _, path := range []string{"~b/x", "%(prefix)/x", ""} {
		if got, ok := settings.ExpandHome(path); ok {
			t.Errorf("%q is %q", path, got)
		}
	}
}

func TestADigestOfFiles(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x")
	of := func() settings.Digest {
		d := settings.NewDigest()
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
