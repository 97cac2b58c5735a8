package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// builtIn is where programs are, if a test asked for them.
var builtIn string

// programs are both, built once for all tests.
var programs = sync.OnceValues(func() (string, error) {
	bin, err := os.MkdirTemp("", "git-trace-serve-test-")
	if err != nil {
		return "", err
	}
	builtIn = bin
	build := exec.Command("go", "build", "-ldflags=-w", "-o", bin+string(filepath.Separator), "../git-trace", ".")
	if out, err := build.CombinedOutput(); err != nil {
		return bin, fmt.Errorf("%w\n%s", err, out)
	}
	return bin, nil
})

func TestMain(m *testing.M) {
	status := m.Run()
	if builtIn != "" {
		_ = os.RemoveAll(builtIn) // on Windows a program that still ends is left
	}
	os.Exit(status)
}

// built gives the program, and a home for what it starts.
func built(t *testing.T) (program, home string) {
	t.Helper()
	bin, err := programs() // before HOME changes, and with it the cache of builds
	if err != nil {
		t.Fatal(err)
	}
	home = testenv.TempDir(t)
	inHome(t, home)
	program = filepath.Join(bin, "git-trace")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	return program, home
}

func inHome(t *testing.T, home string) {
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TMPDIR", "TMP"} {
		t.Setenv(name, home)
	}
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
}

// served is a repository with a conversation, and a client of git trace mcp in it.
func served(t *testing.T) *mcp.ClientSession {
	t.Helper()
	program, home := built(t)
	dir := testenv.TempDir(t)
	run := func(at string, args ...string) {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = at
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	tree, err := filepath.Abs("../../records/steering/testdata/worked/.treetrace/tree.json")
	if err != nil {
		t.Fatal(err)
	}
	run(dir, "git", "init", "-q")
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run(dir, "git", "add", "a.txt")
	run(dir, "git", "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "one")
	raw, err := os.ReadFile(tree)
	if err != nil {
		t.Fatal(err)
	}
	packed := filepath.Join(home, "tree.json.zst") // which git-trace has this program read
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(packed, w.EncodeAll(raw, nil), 0o644); err != nil {
		t.Fatal(err)
	}
	run(dir, program, "import", "--from", "treetrace", packed)
	return connected(t, program, dir)
}

// connected is a client of git trace mcp in a directory.
func connected(t *testing.T, program, dir string) *mcp.ClientSession {
	t.Helper()
	cmd := exec.Command(program, "mcp")
	cmd.Dir = dir
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// A stream is uncompressed whole, or the caller hears that it is not.
func TestZstdIsUncompressed(t *testing.T) {
	text := strings.Repeat("{\"a\":1}\n", 10_000)
	var packed bytes.Buffer
	w, err := zstd.NewWriter(&packed)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := unzstd(bytes.NewReader(packed.Bytes()), &out); err != nil || out.String() != text {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
	if err := unzstd(bytes.NewReader(packed.Bytes()[:packed.Len()/2]), io.Discard); err == nil {
		t.Error("half a stream is taken for a whole one")
	}
}

// A file of every exchange format converts to the same bytes when it is packed with zstd.
func TestFilesOfEveryFormatAreConvertedFromZstd(t *testing.T) {
	program, home := built(t)
	files, err := filepath.Glob("../../testdata/formats/*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		packed := filepath.Join(home, filepath.Base(file)+".zst")
		if err := os.WriteFile(packed, w.EncodeAll(raw, nil), 0o600); err != nil {
			t.Fatal(err)
		}
		want, failed := exec.Command(program, "convert", "--format", "opentraces", file).Output()
		got, err := exec.Command(program, "convert", "--format", "opentraces", packed).Output()
		if err = errors.Join(failed, err); err != nil || len(want) == 0 || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, packed %d, %v", file, len(want), len(got), err)
		}
	}
}

// What an agent keeps packed with zstd git-trace has this program unpack.
func TestThreadsOfZedAreConverted(t *testing.T) {
	program, _ := built(t)
	out, err := exec.Command(program, "convert", "--format", "opentraces", "../../testdata/sessions/zed/threads.db").Output()
	if err != nil || bytes.Count(out, []byte("\n")) != 3 || !bytes.Contains(out, []byte(`"model":"openai/gpt-5"`)) {
		t.Errorf("%v: %s", err, out)
	}
}

// An agent asks by the protocol and gets what the commands print; what is wrong is told, and no argument is taken for
// an option.
func TestAgentsAreServed(t *testing.T) {
	session := served(t)
	ctx := context.Background()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Annotations == nil || !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s does not say that it only reads", tool.Name)
		}
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "blame diff handoff lessons log report search show why" {
		t.Errorf("%s", got)
	}
	for _, test := range []struct {
		tool string
		args map[string]any
		want string
		bad  bool
	}{
		{"lessons", nil, "Keep to “no web app”", false},
		{"handoff", map[string]any{"scope": ""}, "## Original goal", false},
		{"search", map[string]any{"text": "TypeScript"}, "TypeScript", false},
		{"search", map[string]any{"text": "nobody-said-this"}, "no conversation has all of it", false},
		{"blame", map[string]any{"path": "a.txt"}, "1-2  unknown A  ", false},
		{"blame", map[string]any{"path": "a.txt", "first": 9, "last": 3}, "last is not before first", true},
		{"why", map[string]any{"path": "a.txt", "line": 1}, "before the recording", false},
		{"log", nil, "Build a zero-config CLI", false},
		{"log", map[string]any{"path": "a.txt"}, "nothing was found", false},
		{"diff", nil, "nothing was found", false},
		{"report", map[string]any{"scope": "HEAD..HEAD"}, "HEAD..HEAD", false},
		{"report", map[string]any{"scope": "HEAD..HEAD", "cursor": 1 << 30}, "the cursor is", true},
		{"blame", map[string]any{"path": "--contents=/etc/passwd"}, "no such path", true},
		{"blame", map[string]any{"path": "a.txt", "revision": "--output=x"}, "begins like an option", true},
		{"lessons", map[string]any{"scope": "--redact-auto"}, "begins like an option", true},
		{"show", map[string]any{"id": "nothing"}, "nothing", true},
	} {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: test.tool, Arguments: test.args})
		if err != nil {
			t.Errorf("%s %v: %v", test.tool, test.args, err)
			continue
		}
		text := result.Content[0].(*mcp.TextContent).Text
		if len(text) > 21_000 {
			t.Errorf("%s %v: %d bytes", test.tool, test.args, len(text))
		}
		if result.IsError != test.bad || !strings.Contains(text, test.want) {
			t.Errorf("%s %v: error %v: %s", test.tool, test.args, result.IsError, text)
		}
	}
}

// The pages of an answer are its text, each small enough for a model.
func TestAnswersComeInPages(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"lines": strings.Repeat("a line of the answer\n", 5000), "one line": strings.Repeat("é", 50_000),
		"random": strings.Repeat("q8Zx/7Kp+Wf3", 5000), // 0.7 tokens a byte
	} {
		var all strings.Builder
		for cursor := 0; ; {
			one, err := page(text, cursor)
			if err != nil || len(one) > pageBytes+100 || name == "random" && len(one) > 11_000 || !utf8.ValidString(one) {
				t.Fatalf("%s: a page from %d has %d bytes, %v", name, cursor, len(one), err)
			}
			body, more, cut := strings.Cut(one, "\n… ")
			all.WriteString(body)
			if !cut {
				break
			}
			before := cursor
			if _, err := fmt.Sscanf(more[strings.LastIndexByte(more, ' ')+1:], "%d", &cursor); err != nil || cursor <= before {
				t.Fatalf("%s: %q after %d", name, more, before)
			}
		}
		if all.String() != text {
			t.Errorf("%s: the pages have %d bytes of %d", name, all.Len(), len(text))
		}
	}
}

// A cursor that lies within a character of the new answer goes on with the next one.
func TestACursorIsAtACharacter(t *testing.T) {
	t.Parallel()
	if one, err := page("aé b", 2); err != nil || one != " b" {
		t.Errorf("%q, %v", one, err)
	}
}

// An agent's lines are told with their prompt, and a conversation is a resource, also one of a prefix and in pages.
func TestConversationsAreResources(t *testing.T) {
	program, dir := readDemo(t)
	session := connected(t, program, dir)
	ctx := t.Context()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "blame", Arguments: map[string]any{"path": "server.go"}})
	if err != nil {
		t.Fatal(err)
	}
	lines := result.Content[0].(*mcp.TextContent).Text
	if result.IsError || !strings.Contains(lines, "\n18-20  ai claude-code anthropic/claude-opus-4-5 ") ||
		!strings.Contains(lines, "#1  ") {
		t.Errorf("blame: error %v: %s", result.IsError, lines)
	}
	list, err := session.ListResources(ctx, nil)
	if err != nil || len(list.Resources) != 1 || list.Resources[0].Name !=
		"close must be safe to call twice, and from any goroutine" {
		t.Fatalf("%v, %+v", err, list)
	}
	templates, err := session.ListResourceTemplates(ctx, nil)
	if err != nil || len(templates.ResourceTemplates) != 1 {
		t.Errorf("%v, %+v", err, templates)
	}
	address := list.Resources[0].URI
	for _, test := range []struct{ uri, want, fails string }{
		{address, "Close is now idempotent.", ""},
		{address[:len("git-trace://conversation/")+8] + "%231", "toolu_demo_01", ""},
		{address + "?cursor=200", "close must be safe", ""},
		{address + "?cursor=x", "", "is not a number"},
		{"git-trace://conversation/nosuch", "", "nothing has the id"},
		{"git-trace://conversation/--help", "", "begins like an option"},
		{"git-trace://elsewhere/1", "", "not found"},
	} {
		read, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: test.uri})
		switch {
		case test.fails != "":
			if err == nil || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("%s: %v", test.uri, err)
			}
		case err != nil || !strings.Contains(read.Contents[0].Text, test.want):
			t.Errorf("%s: %v, %+v", test.uri, err, read)
		}
	}
	empty := connected(t, program, testenv.TempDir(t))
	if list, err := empty.ListResources(ctx, nil); err != nil || len(list.Resources) != 0 {
		t.Errorf("where no repository is: %v, %+v", err, list)
	}
}
