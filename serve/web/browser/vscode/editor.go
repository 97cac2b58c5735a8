package vscode

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/git-trace/git-trace/serve/web/browser"
)

// Editor is a running code-server with one open folder, and its page in Chromium.
type Editor struct {
	Dir string // directory of the repository
	Env []string

	ctx    context.Context
	server *exec.Cmd
	end    func()
	port   string // port of the extension for tests
}

// patience limits the time of the editor's start, and of each request.
const patience = 90 * time.Second

// Options decide how an editor is started.
type Options struct {
	Root     string   // directory for the editor's data
	Server   string   // the directory into which npm installed code-server
	Dir      string   // the folder to open
	Beside   []string // further folders of the workspace, as names beside Dir
	Env      []string // environment of the server and its children
	Packed   []string // extensions to install
	Settings map[string]any
}

// quiet are settings that prevent the editor from doing things that no test asked for.
var quiet = map[string]any{
	"workbench.startupEditor": "none", "workbench.tips.enabled": false, "telemetry.telemetryLevel": "off",
	"security.workspace.trust.enabled": false, "editor.quickSuggestions": map[string]any{"other": "off"},
	"editor.wordBasedSuggestions": "off", "files.autoSave": "off", "extensions.ignoreRecommendations": true,
	"git.openRepositoryInParentFolders": "never", "workbench.colorTheme": "Default Light Modern",
	"window.restoreWindows": "none", "typescript.tsserver.enabled": false,
}

// Start starts code-server with its extensions, and opens a folder in Chromium.
func Start(ctx context.Context, o Options) (*Editor, error) {
	data := filepath.Join(o.Root, "data")
	settings := map[string]any{}
	for _, some := range []map[string]any{quiet, o.Settings} {
		for name, value := range some {
			settings[name] = value
		}
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	for _, of := range []string{"User", "Machine"} { // settings that name programs are read from "Machine"
		if err := os.MkdirAll(filepath.Join(data, of), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(data, of, "settings.json"), text, 0o644); err != nil {
			return nil, err
		}
	}
	provider, err := pack(o.Root, "provider")
	if err != nil {
		return nil, err
	}
	e := &Editor{Dir: o.Dir, Env: append(o.Env, "GITTRACE_TEST_PORT="+filepath.Join(o.Root, "port"))}
	entry := filepath.Join(o.Server, "node_modules/code-server/out/node/entry.js")
	base := []string{entry, "--config", filepath.Join(o.Root, "config.yaml"), "--user-data-dir", data,
		"--extensions-dir", filepath.Join(o.Root, "extensions")}
	for _, one := range append([]string{provider}, o.Packed...) {
		install := exec.CommandContext(ctx, "node", append(base, "--install-extension", one)...)
		install.Env = e.Env
		if out, err := install.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("install %s: %w\n%s", one, err, out)
		}
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	e.server = exec.Command("node", append(base, "--auth", "none", "--bind-addr", address, "--disable-telemetry",
		"--disable-update-check", "--disable-workspace-trust", "--disable-getting-started-override",
		"--enable-proposed-api", "git-trace-tests.provider", o.Dir)...)
	e.server.Env = e.Env
	log, err := os.Create(filepath.Join(o.Root, "log"))
	if err != nil {
		return nil, err
	}
	e.server.Stdout, e.server.Stderr = log, log
	if err := e.server.Start(); err != nil {
		return nil, err
	}
	e.ctx, e.end = browser.Open(context.Background())
	what, err := o.workspace()
	if err != nil {
		return nil, err
	}
	if err := e.open("http://"+address+"/?"+what, filepath.Join(o.Root, "port")); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// workspace returns the argument for the page: the folder, or a workspace file that lists several.
func (o *Options) workspace() (string, error) {
	if len(o.Beside) == 0 {
		return "folder=" + url.QueryEscape(o.Dir), nil
	}
	var list struct {
		Folders []map[string]string `json:"folders"`
	}
	for _, name := range append([]string{filepath.Base(o.Dir)}, o.Beside...) {
		list.Folders = append(list.Folders, map[string]string{"path": name})
	}
	text, err := json.Marshal(list)
	if err != nil {
		return "", err
	}
	file := filepath.Join(filepath.Dir(o.Dir), "all.code-workspace")
	return "workspace=" + url.QueryEscape(file), os.WriteFile(file, text, 0o644)
}

// open opens the page, and waits until the extension for tests runs.
func (e *Editor) open(page, port string) error {
	for until := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		answer, err := http.Get(page)
		if err == nil {
			_ = answer.Body.Close()
			break
		}
		if time.Now().After(until) {
			return fmt.Errorf("code-server does not answer: %w", err)
		}
	}
	if err := chromedp.Do(e.ctx, chromedp.EmulateViewport(1280, 800), chromedp.Navigate(page)); err != nil {
		return err
	}
	for until := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		text, err := os.ReadFile(port)
		if err == nil && len(text) > 0 {
			e.port = string(text)
			return nil
		}
		if time.Now().After(until) {
			return errors.New("the extension for tests does not start")
		}
	}
}

// Close ends the browser and the server.
func (e *Editor) Close() {
	e.end()
	_ = e.server.Process.Signal(os.Interrupt)
	done := make(chan struct{})
	go func() { _ = e.server.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		_ = e.server.Process.Kill()
	}
}

// pack packs the extension in a directory into a file that can be installed.
func pack(root, dir string) (string, error) {
	name := filepath.Join(root, filepath.Base(dir)+".vsix")
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, file := range []string{"package.json", "extension.js"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return "", err
		}
		into, err := w.Create("extension/" + file)
		if err != nil {
			return "", err
		}
		if _, err := into.Write(text); err != nil {
			return "", err
		}
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return name, os.WriteFile(name, packed.Bytes(), 0o644)
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// asked is a request to the extension for tests, by the name of its action.
type asked map[string]any

// ask lets the extension for tests perform an action.
func (e *Editor) ask(do string, what asked, value any) error {
	if what == nil {
		what = asked{}
	}
	what["do"] = do
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	answer, err := http.Post("http://127.0.0.1:"+e.port+"/", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	var said struct {
		Value json.RawMessage
		Error string
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return err
	}
	if said.Error != "" {
		return fmt.Errorf("%s: %s", do, said.Error)
	}
	if value == nil {
		return nil
	}
	return json.Unmarshal(said.Value, value)
}

// State is the editor's visible state.
type State struct {
	Path, Text string
	Dirty      bool
	At         [][2]int // the cursors as line and column, from 1
}

// State requests the editor's visible state.
func (e *Editor) State() (s State, err error) { return s, e.ask("state", nil, &s) }

// Open shows a file of the repository, with the cursor at a line and column, counted from 1.
func (e *Editor) Open(file string, line, column int) error {
	path := filepath.Join(e.Dir, file)
	if err := e.ask("open", asked{"path": path, "line": line, "column": column}, nil); err != nil {
		return err
	}
	return e.until(fmt.Sprintf("%s is shown with the cursor", file), func() (bool, error) {
		s, err := e.State()
		if err != nil || s.Path != path || len(s.At) != 1 {
			return false, err
		}
		return chromedp.Run(e.ctx, chromedp.Evaluate[bool](`!!document.activeElement?.closest(".monaco-editor")`))
	})
}

// Run runs commands of the editor, each after the one before has ended.
func (e *Editor) Run(commands ...string) error {
	for _, command := range commands {
		if err := e.ask("run", asked{"command": command}, nil); err != nil {
			return err
		}
	}
	return nil
}

// `until` waits for a state.
func (e *Editor) until(what string, holds func() (bool, error)) error {
	for end := time.Now().Add(patience / 3); ; time.Sleep(20 * time.Millisecond) {
		ok, err := holds()
		if ok || err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("timeout while waiting until %s", what)
		}
	}
}

// Type presses the keys of a text.
func (e *Editor) Type(text string) error {
	return chromedp.Do(e.ctx, chromedp.KeyEvent(strings.ReplaceAll(text, "\n", kb.Enter)))
}

// Press presses one key while others are held down.
func (e *Editor) Press(key string, held ...kb.Modifier) error {
	return chromedp.Do(e.ctx, chromedp.KeyEvent(key, chromedp.KeyModifiers(held...)))
}

// ghost reports whether a suggestion is shown.
const ghost = `!!document.querySelector(".ghost-text, .ghost-text-decoration, .suggest-preview-text")`

// Suggest makes the editor show a suggestion at the cursor.
func (e *Editor) Suggest(text string) error {
	if err := e.ask("suggest", asked{"text": text}, nil); err != nil {
		return err
	}
	if err := e.Run("editor.action.inlineSuggest.trigger"); err != nil {
		return err
	}
	return e.until("a suggestion is shown", func() (bool, error) {
		return chromedp.Run(e.ctx, chromedp.Evaluate[bool](ghost))
	})
}

// Silent turns suggestions off.
func (e *Editor) Silent() error {
	if err := e.ask("suggest", asked{"text": ""}, nil); err != nil {
		return err
	}
	return e.Run("editor.action.inlineSuggest.hide")
}

// Save saves the file with the keys of the person.
func (e *Editor) Save() error {
	if err := e.Press("s", kb.ModifierCtrl); err != nil {
		return err
	}
	return e.until("the file is saved", func() (bool, error) {
		s, err := e.State()
		return !s.Dirty, err
	})
}
