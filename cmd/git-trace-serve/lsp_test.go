package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// demo is the repository that git trace demo plays: a recorded conversation through the real hooks.
func demo(t *testing.T) (program, dir string) {
	t.Helper()
	program, _ = built(t)
	return program, demoBy(t, program)
}

// sharedDemo is the repository of readDemo, "" until the first call.
var sharedDemo string

// readDemo gives a demo repository in which no test writes: one for all of them.
func readDemo(t *testing.T) (program, dir string) {
	t.Helper()
	program, _ = built(t)
	home := filepath.Join(builtIn, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	inHome(t, home)
	if sharedDemo == "" {
		sharedDemo = demoBy(t, program)
	}
	return program, sharedDemo
}

func demoBy(t *testing.T, program string) (dir string) {
	t.Helper()
	out, err := exec.Command(program, "demo", "--keep").CombinedOutput()
	at := regexp.MustCompile(`(?m)^the repository is in (.+)$`).FindSubmatch(out)
	if err != nil || at == nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(at[1])
}

// editor talks to git trace lsp.
type editor struct {
	t    *testing.T
	in   io.WriteCloser
	out  *bufio.Reader
	cmd  *exec.Cmd
	id   int
	said []string // methods that the server called meanwhile, in order
	show string   // the last document that the server wanted shown
}

func startEditor(t *testing.T, program, dir, options string) *editor {
	t.Helper()
	e := &editor{t: t, cmd: exec.Command(program, "lsp", "--stdio")}
	e.cmd.Dir, e.cmd.Stderr = dir, os.Stderr
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	e.out = bufio.NewReader(out)
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.cmd.Process.Kill() })
	e.ask("initialize", `{"processId":null,"rootUri":null,"capabilities":{"window":{"showDocument":{"support":true}},`+
		`"workspace":{"inlayHint":{"refreshSupport":true}}},"initializationOptions":`+options+`}`)
	return e
}

func (e *editor) raw(frame string) {
	e.t.Helper()
	if _, err := io.WriteString(e.in, frame); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) tell(method, params string) {
	e.t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
	e.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

// send asks without waiting, and gives the id.
func (e *editor) send(method, params string) int {
	e.t.Helper()
	e.id++
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, e.id, method, params)
	e.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
	return e.id
}

// answer waits for the answer with an id, and gives its result or its error.
func (e *editor) answer(id int) string {
	e.t.Helper()
	for {
		header, err := textproto.NewReader(e.out).ReadMIMEHeader()
		if err != nil {
			e.t.Fatal(err)
		}
		size, _ := strconv.Atoi(header.Get("Content-Length"))
		body := make([]byte, size)
		if _, err := io.ReadFull(e.out, body); err != nil {
			e.t.Fatal(err)
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ URI string }
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(body, &m); err != nil {
			e.t.Fatalf("%v: %s", err, body)
		}
		if m.Method != "" {
			e.said = append(e.said, m.Method)
			if m.Method == "window/showDocument" {
				e.show = m.Params.URI
			}
			continue
		}
		if string(m.ID) != strconv.Itoa(id) && (id != 0 || string(m.ID) != "null") {
			e.t.Fatalf("an answer to %s while %d is waited for", m.ID, id)
		}
		if m.Error != nil {
			return "error " + string(m.Error)
		}
		return string(m.Result)
	}
}

func (e *editor) ask(method, params string) string {
	e.t.Helper()
	return e.answer(e.send(method, params))
}

func (e *editor) open(path, text string) string {
	e.t.Helper()
	quoted, _ := json.Marshal(text)
	e.tell("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"x","version":1,"text":%s}}`,
		uriOf(path), quoted))
	return uriOf(path)
}

func (e *editor) change(uri, text string) {
	e.t.Helper()
	quoted, _ := json.Marshal(text)
	e.tell("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":2},"contentChanges":[{"text":%s}]}`,
		uri, quoted))
}

func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// end says good-bye as the protocol has it, and gives the exit status.
func (e *editor) end() int {
	e.t.Helper()
	e.ask("shutdown", "null")
	e.tell("exit", "null")
	_ = e.cmd.Wait()
	return e.cmd.ProcessState.ExitCode()
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func at(uri string, line int) string {
	return fmt.Sprintf(`{"textDocument":{"uri":%q},"position":{"line":%d,"character":0}}`, uri, line)
}

func within(uri string, first, last int) string {
	return fmt.Sprintf(`{"textDocument":{"uri":%q},"range":{"start":{"line":%d,"character":0},"end":{"line":%d,"character":0}},"context":{}}`,
		uri, first, last)
}

// An editor sees who wrote the lines of its buffer as it stands there, and why.
func TestEditorsAreServed(t *testing.T) {
	program, dir := readDemo(t)
	path := filepath.Join(dir, "server.go")
	text := read(t, path)
	e := startEditor(t, program, testenv.TempDir(t), `{"codeLens":true}`)
	uri := e.open(path, text)
	contains := func(what, got string, wanted ...string) {
		t.Helper()
		for _, want := range wanted {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in %s", what, want, got)
			}
		}
	}
	const asked = "close must be safe to call twice"
	contains("an agent's line", e.ask("textDocument/hover", at(uri, 10)), `"kind":"markdown"`, "claude-code", asked, "atomic.Bool")
	contains("a person's line", e.ask("textDocument/hover", at(uri, 0)), "written by: A U Thor")
	hints := e.ask("textDocument/inlayHint", within(uri, 0, 100))
	contains("hints", hints, `"position":{"line":10,"character":21},"label":"claude-code`, asked)
	contains("hints of a part", e.ask("textDocument/inlayHint", within(uri, 12, 16)), "[]")
	contains("lenses", e.ask("textDocument/codeLens", fmt.Sprintf(`{"textDocument":{"uri":%q}}`, uri)), "· 3 lines", "gitTrace.show")
	contains("runs", e.ask("gitTrace/runs", fmt.Sprintf(`{"textDocument":{"uri":%q}}`, uri)), "git-trace.blame-runs/1", `"hues":{`)

	// Lines typed above move what is below; they are a person's.
	typed := "// typed\n// typed too: 𝛼\n" + text
	e.change(uri, typed)
	hints = e.ask("textDocument/inlayHint", within(uri, 0, 100))
	contains("hints of what was typed in", hints, `"position":{"line":12,"character":21},"label":"claude-code`)
	contains("a typed line", e.ask("textDocument/hover", at(uri, 0)), "written by: a person")
	contains("a line moved by typing", e.ask("textDocument/hover", at(uri, 12)), asked)

	// Actions name commands, which show a page.
	var actions []struct {
		Command struct {
			Command   string   `json:"command"`
			Arguments []string `json:"arguments"`
		} `json:"command"`
	}
	if err := json.Unmarshal([]byte(e.ask("textDocument/codeAction", within(uri, 12, 12))), &actions); err != nil || len(actions) != 5 {
		t.Fatalf("actions: %v %v", actions, err)
	}
	for _, action := range actions {
		if action.Command.Command == "gitTrace.open" {
			continue // see TestEditorsOpenTheBrowser
		}
		params, _ := json.Marshal(action.Command)
		page := e.ask("workspace/executeCommand", string(params))
		if action.Command.Command == "gitTrace.track" {
			contains(action.Command.Command, page, "anchored")
			continue
		}
		contains(action.Command.Command, page, "atomic.Bool")
		shown, _ := url.Parse(e.show)
		name := shown.Path
		if runtime.GOOS == "windows" {
			name = strings.TrimPrefix(name, "/")
		}
		if content := read(t, name); !strings.Contains(content, "atomic.Bool") {
			t.Errorf("%s shows %q", action.Command.Command, content)
		}
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm()&0o277 != 0 && runtime.GOOS != "windows" {
			t.Errorf("the page can be read by others, or written: %v %v", info.Mode(), err)
		}
	}
	e.tell("textDocument/didSave", fmt.Sprintf(`{"textDocument":{"uri":%q}}`, uri))
	contains("after a save", e.ask("textDocument/hover", at(uri, 12)), asked)
	if !slices.Contains(e.said, "workspace/inlayHint/refresh") {
		t.Errorf("the editor is not told to ask again: %v", e.said)
	}
	if code := e.end(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "git-trace-lsp-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What is no file of a repository, not there, in another encoding or not understood has no answer, and nothing ends.
func TestEditorsMayAskAnything(t *testing.T) {
	program, dir := readDemo(t)
	e := startEditor(t, program, dir, `"anything"`)
	outside := testenv.TempDir(t)
	for _, uri := range []string{
		"untitled:Untitled-1", "file://elsewhere/a", "git:/a", "%zz", uriOf(filepath.Join(outside, "new", "a.go")),
		uriOf(filepath.Join(dir, "new.go")), uriOf(filepath.Join(dir, "--output=x")), uriOf(filepath.Join(dir, "nowhere", "a:3")),
	} {
		e.tell("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"text":"one\n"}}`, uri))
		for _, method := range []string{"textDocument/hover", "textDocument/inlayHint", "textDocument/codeAction", "gitTrace/runs"} {
			got := e.ask(method, strings.Replace(within(uri, 0, 0), `"context"`, `"position":{"line":0,"character":0},"context"`, 1))
			if got != "null" && got != "[]" {
				t.Errorf("%s of %s: %s", method, uri, got)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("the name of a file was taken for an option")
	}
	for frame, want := range map[string]string{
		"Content-Length: 9\r\n\r\n{\"a\":1,  ":                 "-32700",
		"Content-Length: 2\r\n\r\n{}":                          "-32600",
		"Content-Length: 8\r\nContent-Type: x\r\n\r\n[1,2,3] ": "-32700",
		"content-length: 16\r\n\r\n{\"jsonrpc\":\"1.0\"":       "-32700",
		"Content-Length: 17\r\n\r\n{\"jsonrpc\":\"1.0\"}":      "-32600",
	} {
		e.raw(frame)
		if got := e.answer(0); !strings.Contains(got, want) {
			t.Errorf("%q: %s, wanted %s", frame, got, want)
		}
	}
	uri := uriOf(filepath.Join(dir, "server.go"))
	for method, params := range map[string]string{
		"textDocument/rename": `{}`, "textDocument/hover": `[]`, "workspace/executeCommand": `{"command":"rm","arguments":["a","b"]}`,
		"textDocument/codeAction": `"x"`, "initialize": `{}`,
	} {
		if got := e.ask(method, params); !strings.HasPrefix(got, "error ") {
			t.Errorf("%s %s: %s", method, params, got)
		}
	}
	e.open(filepath.Join(dir, "server.go"), read(t, filepath.Join(dir, "server.go")))
	for _, id := range []string{"--markdown", "", "-x", "a b", "$(x)"} {
		params := fmt.Sprintf(`{"command":"gitTrace.show","arguments":[%q,%q]}`, uri, id)
		if got := e.ask("workspace/executeCommand", params); !strings.HasPrefix(got, "error ") {
			t.Errorf("show %q: %s", id, got)
		}
	}
	if got := e.ask("textDocument/hover", at(uri, 1<<30)); got != "null" {
		t.Errorf("a line that is not there: %s", got)
	}
	if code := e.end(); code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// A file in another encoding is shown in other bytes than it has; its lines keep their owners until somebody types.
func TestEditorsShowOtherEncodings(t *testing.T) {
	program, dir := demo(t)
	path := filepath.Join(dir, "server.go")
	text := read(t, path)
	for name, disk := range map[string]string{
		"latin-1":              strings.Replace(text, "package server", "package server // \xe9", 1),
		"a mark of byte order": "\ufeff" + text,
	} {
		if err := os.WriteFile(path, []byte(disk), 0o644); err != nil {
			t.Fatal(err)
		}
		e := startEditor(t, program, dir, `null`)
		shown := strings.ReplaceAll(strings.TrimPrefix(disk, "\ufeff"), "\xe9", "é")
		uri := e.open(path, shown)
		if got := e.ask("textDocument/hover", at(uri, 10)); !strings.Contains(got, "claude-code") {
			t.Errorf("%s: %s", name, got)
		}
		e.change(uri, "// typed\n"+shown)
		if got := e.ask("textDocument/hover", at(uri, 11)); !strings.Contains(got, "claude-code") {
			t.Errorf("%s, typed in: %s", name, got)
		}
		e.end()
	}
}

// Who types does not wait: however many changes come, runs are computed for the last alone; a cancelled request says
// so; and an editor that goes away takes everything with it.
func TestEditorsTypeFast(t *testing.T) {
	program, dir := readDemo(t)
	path := filepath.Join(dir, "server.go")
	text := read(t, path)
	e := startEditor(t, program, dir, `null`)
	uri := e.open(path, text)
	hints := e.send("textDocument/inlayHint", within(uri, 0, 100_000))
	const changes = 10_000
	for i := range changes {
		e.change(uri, fmt.Sprintf("// %d\n%s", i, text))
	}
	begun := time.Now()
	if got := e.answer(hints); !strings.Contains(got, `"line":11`) {
		t.Errorf("hints of the last change: %s", got)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("the last change had its hints after %v", took)
	}
	e.change(uri, "// again\n"+text)
	cancelled := e.send("textDocument/inlayHint", within(uri, 0, 100_000))
	e.tell("$/cancelRequest", fmt.Sprintf(`{"id":%d}`, cancelled))
	if got := e.answer(cancelled); !strings.Contains(got, "-32800") {
		t.Errorf("a cancelled request: %s", got)
	}
	long := strings.Repeat("x\n", 50_000) + text
	e.change(uri, long)
	if got := e.ask("textDocument/inlayHint", within(uri, 0, 100_000)); !strings.Contains(got, `"line":50010`) {
		t.Errorf("hints of a long buffer: %s", got)
	}
	e.send("textDocument/hover", at(uri, 3))
	_ = e.in.Close()
	ended := make(chan error, 1)
	go func() { ended <- e.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("an editor that closes its stream: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the server outlives its editor")
	}
}
