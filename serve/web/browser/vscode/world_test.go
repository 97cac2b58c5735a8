package vscode

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/git-trace/git-trace/serve/web/browser"
)

// world is a repository that is recorded, open in the editor.
type world struct {
	*testing.T
	e       *Editor
	dir     string
	env     []string
	program string              // git-trace
	wanted  map[string][]string // the owners of a file's lines
}

// needed skips a test without what it needs.
func needed(t *testing.T, ok bool, what string) {
	t.Helper()
	if !ok {
		t.Skip(what)
	}
}

// packed returns the extension as it is given away, with its library.
var packed = sync.OnceValues(func() (string, error) {
	if name := os.Getenv("GITTRACE_VSIX"); name != "" {
		return name, nil
	}
	dir, err := os.MkdirTemp("", "vsix-")
	if err != nil {
		return "", err
	}
	out, err := exec.Command("../../../../packaging/editors/vscode/pack", "0.1.0", dir).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("pack: %w\n%s", err, out)
	}
	return filepath.Join(dir, "git-trace-0.1.0.vsix"), nil
})

// kind is what differs from the editor with the extension in one repository that is recorded.
type kind struct {
	bare    bool     // without the extension
	program string   // for gitTrace.program
	beside  []string // more folders of the workspace, beside the repository
}

// newWorld starts the editor in a new repository.
func newWorld(t *testing.T, k kind) *world {
	t.Helper()
	server := os.Getenv("GITTRACE_CODE_SERVER")
	if server == "" {
		cache, _ := os.UserCacheDir()
		server = filepath.Join(cache, "git-trace-ci", "code-server")
	}
	_, err := os.Stat(filepath.Join(server, "node_modules/code-server/out/node/entry.js"))
	needed(t, err == nil, "there is no code-server here: .ci/code-server installs it")
	_, err = exec.LookPath("chromium")
	needed(t, err == nil, "there is no Chromium here: apt-get install chromium")
	root := browser.TempDir(t)
	w := &world{T: t, dir: filepath.Join(root, "repo"), wanted: map[string][]string{}}
	bin := os.Getenv("GITTRACE_BIN")
	if bin == "" {
		bin = filepath.Join(root, "bin")
		w.do(browser.Build(t.Context(), root, "../../../.."))
	}
	var extensions []string
	if !k.bare {
		vsix, err := packed()
		w.do(err)
		extensions = append(extensions, vsix)
	}
	w.program = filepath.Join(bin, "git-trace")
	home := filepath.Join(root, "home")
	w.do(os.MkdirAll(w.dir, 0o755))
	w.do(os.MkdirAll(home, 0o755))
	w.env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_DATA_HOME="+home,
		"XDG_CACHE_HOME="+home, "TMPDIR="+home, "GIT_CONFIG_NOSYSTEM=1", "PATH="+bin+":"+os.Getenv("PATH"),
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
	w.git("init", "-q", "-b", "main")
	w.git("commit", "-q", "--allow-empty", "-m", "begin")
	w.run("git-trace", "init")
	for _, name := range k.beside {
		w.do(os.MkdirAll(filepath.Join(root, name), 0o755))
	}
	w.e, err = Start(t.Context(), Options{Root: root, Server: server, Dir: w.dir, Beside: k.beside, Env: w.env,
		Packed: extensions, Settings: map[string]any{"gitTrace.program": cmp.Or(k.program, w.program)}})
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(root, "log"))
		t.Fatalf("%v\n%s", err, log)
	}
	t.Cleanup(w.e.Close)
	return w
}

func (w *world) do(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// run runs a program in the repository.
func (w *world) run(name string, args ...string) string {
	w.Helper()
	return w.feed("", name, args...)
}

func (w *world) feed(input, name string, args ...string) string {
	w.Helper()
	if name == "git-trace" {
		name = w.program
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = w.dir, w.env, strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func (w *world) git(args ...string) string { w.Helper(); return w.run("git", args...) }

func (w *world) write(file, text string) {
	w.Helper()
	w.do(os.WriteFile(filepath.Join(w.dir, file), []byte(text), 0o644))
}
