package refs

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

func TestAGitChildSeesOnlyWhatItShould(t *testing.T) {
	repo := newRepo(t)
	for key, value := range map[string]string{
		"GIT_INDEX_FILE": "next-index.lock", "GIT_PREFIX": "sub/", "GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/nowhere",
		"GIT_OBJECT_DIRECTORY": "/nowhere", "GIT_ALTERNATE_OBJECT_DIRECTORIES": "/nowhere", "GIT_NAMESPACE": "n",
		"GIT_LITERAL_PATHSPECS": "1", "GIT_REFLOG_ACTION": "x", "GIT_EXTERNAL_DIFF": "false", "GIT_COMMON_DIR": "/nowhere",
		"GIT_AUTHOR_NAME": "Kept", "GIT_SSH_COMMAND": "kept", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "trace.kept",
		"GIT_CONFIG_VALUE_0": "yes", "GIT_TRACE2": "0", "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"LANGUAGE": "de", "GITTRACE_X": "kept",
	} {
		t.Setenv(key, value)
	}
	cmd := repo.Command(context.Background(), "status")
	if cmd.Dir != repo.WorkTree {
		t.Errorf("runs in %s", cmd.Dir)
	}
	for _, want := range []string{
		"GIT_DIR=" + repo.GitDir, "GIT_WORK_TREE=" + repo.WorkTree, "GIT_AUTHOR_NAME=Kept", "GIT_SSH_COMMAND=kept",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=trace.kept", "GIT_CONFIG_VALUE_0=yes", "GIT_TRACE2=0",
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GITTRACE_X=kept", "LANGUAGE=en",
	} {
		if !slices.Contains(cmd.Env, want) {
			t.Errorf("missing: %s", want)
		}
	}
	dropped := []string{
		"GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE",
		"GIT_LITERAL_PATHSPECS", "GIT_REFLOG_ACTION", "GIT_EXTERNAL_DIFF", "GIT_COMMON_DIR",
	}
	for _, key := range dropped {
		if i := slices.IndexFunc(cmd.Env, func(e string) bool { return strings.HasPrefix(e, key+"=") }); i >= 0 {
			t.Errorf("not dropped: %s", cmd.Env[i])
		}
	}
	out, err := repo.Git(context.Background(), nil, "rev-parse", "--show-toplevel")
	if err != nil || strings.TrimSpace(string(out)) != repo.WorkTree {
		t.Errorf("%s %v", out, err)
	}

	user := repo.CommandUser(context.Background(), repo.WorkTree, "blame")
	for _, want := range []string{"GIT_DIR=" + repo.GitDir, "LANGUAGE=de", "GIT_LITERAL_PATHSPECS=1", "GIT_EXTERNAL_DIFF=false"} {
		if !slices.Contains(user.Env, want) {
			t.Errorf("user command misses %s", want)
		}
	}
	for _, key := range []string{"GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_OPTIONAL_LOCKS", "GIT_NO_REPLACE_OBJECTS"} {
		if slices.ContainsFunc(user.Env, func(e string) bool { return strings.HasPrefix(e, key+"=") }) {
			t.Errorf("user command has %s", key)
		}
	}
}

func TestAGitChildRetainsMemory(t *testing.T) {
	repo := newRepo(t)
	const trim, mapped = "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"
	for _, name := range []string{trim, mapped} {
		t.Setenv(name, "") // so that it is put back
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	commands := func() map[string]*exec.Cmd {
		return map[string]*exec.Cmd{
			"own":  repo.Command(context.Background(), "log"),
			"user": repo.CommandUser(context.Background(), repo.WorkTree, "blame"),
		}
	}
	has := func(cmd *exec.Cmd, name, value string) bool { return slices.Contains(cmd.Env, name+"="+value) }
	for kind, cmd := range commands() {
		if !has(cmd, trim, "67108864") || !has(cmd, mapped, "4194304") {
			t.Errorf("%s command does not", kind)
		}
	}
	t.Setenv(trim, "0")
	for kind, cmd := range commands() {
		if !has(cmd, trim, "0") || has(cmd, trim, "67108864") || has(cmd, mapped, "4194304") {
			t.Errorf("%s command does not have what the user set", kind)
		}
	}
}

func TestCommandsInEveryKindOfRepository(t *testing.T) {
	t.Parallel()
	root := layout(t)
	for _, name := range []string{
		"main", "linked wt", "main/module", "of-bare", "separate", "pointed", "perwt-linked", "sha256", "odd/co:lon", "odd/new\nline",
	} {
		repo := discover(t, filepath.Join(root, name))
		write(t, filepath.Join(repo.WorkTree, "sub", "seen.txt"), "x\n")
		for dir, want := range map[string]string{repo.WorkTree: "sub/seen.txt", filepath.Join(repo.WorkTree, "sub"): "seen.txt"} {
			for kind, cmd := range map[string]func() (string, error){
				"own": func() (string, error) {
					out, err := runGit(repo.CommandIn(context.Background(), dir, "ls-files", "-o", "-z"), "ls-files")
					return string(out), err
				},
				"user": func() (string, error) {
					out, err := runGit(repo.CommandUser(context.Background(), dir, "ls-files", "-o", "-z"), "ls-files")
					return string(out), err
				},
			} {
				out, err := cmd()
				if err != nil || !strings.Contains("\x00"+out, "\x00"+want+"\x00") {
					t.Errorf("%q, %s in %q: %q %v", name, kind, dir, out, err)
				}
			}
		}
	}
	bare, err := discoverWith(filepath.Join(root, "bare.git"), nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := bare.Git(context.Background(), nil, "rev-parse", "--is-bare-repository")
	if err != nil || strings.TrimSpace(string(out)) != "true" || !bare.Bare() {
		t.Errorf("bare: %s %v", out, err)
	}
}

func TestGitErrors(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	_, err := repo.Git(context.Background(), nil, "-c", "x.y=z", "cat-file", "-p", "secret-argument")
	var failed *GitError
	if !errors.As(err, &failed) || failed.Verb != "cat-file" || failed.Code != 128 {
		t.Fatalf("%v", err)
	}
	if want := "git cat-file: Not a valid object name secret-argument"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if _, err := repo.Git(context.Background(), nil, "diff", "--quiet", "HEAD", "HEAD^{tree}~1"); err == nil {
		t.Error("no error")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = reader.Close(), writer.Close() }()
	if _, err := repo.Git(ctx, reader, "cat-file", "--batch"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("beyond the deadline: %v", err)
	}
	if took := time.Since(begin); took > testenv.Within(10*time.Second) {
		t.Errorf("took %v", took)
	}
}

func TestAGitErrorHoldsOneLine(t *testing.T) {
	t.Parallel()
	e := &GitError{Verb: "x", Code: 1, Stderr: (&headBuffer{buf: []byte("\n\nfatal: first\nsecond")}).firstLine()}
	if e.Error() != "git x: first" {
		t.Errorf("%q", e.Error())
	}
	if e := (&GitError{Verb: "x", Code: 3}); e.Error() != "git x: exit status 3" {
		t.Errorf("%q", e.Error())
	}
	b := &headBuffer{}
	if n, err := b.Write(make([]byte, 1<<20)); n != 1<<20 || err != nil || len(b.buf) != headBufferSize {
		t.Errorf("%d %v %d", n, err, len(b.buf))
	}
}
