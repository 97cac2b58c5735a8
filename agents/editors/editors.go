// Package editors detects the editors on this machine that offer completions: a person accepts a model's completion
// with one key, and no agent's hook reports it.
//
// Untold returns the editors whose completions are not reported to git-trace, from the extensions and plugins in the
// user's directories. HasOpen reads an editor's own list of open windows, which is valid only while a process of the
// editor runs (trails/process).
//
// The package starts nothing and changes nothing. It may miss an editor in another place or in a container.
package editors

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/refs"
)

// Editor is an editor with completions.
type Editor struct {
	Name  string   // the name in trace.ignoreAgent: "vscode"
	Title string   // the name for people: "Visual Studio Code"
	By    []string // the sources of its completions: "Copilot"
	Mend  string   // the remedy; "" if there is none

	programs []string // the names of its processes
	marks    []string // words in the command line of a runtime that runs the editor
	windows  func(dir string) bool
}

// kind is an editor that can use the extensions of Visual Studio Code.
type kind struct {
	name, title string
	homes       []string // directories in the home directory; each contains extensions
	config      string   // the name of its settings directory
	programs    []string
	own         string // the name of its built-in completions
}

var kinds = []kind{
	{"vscode", "Visual Studio Code", []string{".vscode", ".vscode-server"}, "Code", []string{"code"}, ""},
	{"vscode-insiders", "Visual Studio Code Insiders", []string{".vscode-insiders", ".vscode-server-insiders"},
		"Code - Insiders", []string{"code-insiders"}, ""},
	{"vscodium", "VSCodium", []string{".vscode-oss", ".vscodium-server"}, "VSCodium", []string{"codium"}, ""},
	{"code-server", "code-server", []string{".local/share/code-server"}, "", []string{"code-server"}, ""},
	{"cursor", "Cursor", []string{".cursor", ".cursor-server"}, "Cursor", []string{"cursor"}, "Tab"},
	{"windsurf", "Windsurf", []string{".windsurf", ".windsurf-server"}, "Windsurf", []string{"windsurf"}, "Tab"},
}

// providers lists the extensions that offer completions, by the beginnings of their ids.
var providers = []struct{ id, title string }{
	{"github.copilot-", "Copilot"}, {"continue.continue-", "Continue"}, {"codeium.codeium-", "Codeium"},
	{"supermaven.supermaven-", "Supermaven"}, {"tabnine.tabnine-vscode-", "Tabnine"},
	{"amazonwebservices.amazon-q-vscode-", "Amazon Q"}, {"augment.vscode-augment-", "Augment"},
	{"google.geminicodeassist-", "Gemini Code Assist"}, {"sourcegraph.cody-ai-", "Cody"},
}

// ours is the beginning of the id of git-trace's own extension, which reports completions.
const ours = "git-trace.git-trace-"

// Names returns the names of the editors.
func Names() []string {
	out := []string{jetbrains}
	for _, k := range kinds {
		out = append(out, k.name)
	}
	return out
}

// Untold returns the editors with completions that are not reported in a work tree.
func Untold(env capability.Env, dir string) (out []Editor) {
	for _, k := range kinds {
		e := Editor{Name: k.name, Title: k.title, programs: k.programs,
			Mend: "install git-trace's extension in it (docs/editors.md)"}
		for _, home := range k.homes {
			at := filepath.Join(env.Home, filepath.FromSlash(home))
			e.marks = append(e.marks, "/"+filepath.Base(at)+"/")
			names, there := extensions(filepath.Join(at, "extensions"))
			if there && k.name == "cursor" && hooked(env, dir) {
				continue // its hooks report completions of Tab
			}
			if by := completing(names, k.own, there); !begins(names, ours) {
				e.By = append(e.By, slices.DeleteFunc(by, func(one string) bool { return slices.Contains(e.By, one) })...)
			}
		}
		if k.name == "cursor" {
			e.Mend = "git trace init --agent cursor"
		}
		if len(e.By) > 0 {
			e.windows = func(dir string) bool { return hasWindow(env, k, dir) }
			out = append(out, e)
		}
	}
	return append(out, jetbrainsEditors(env)...)
}

func completing(names []string, own string, there bool) (by []string) {
	if own != "" && there {
		by = append(by, own)
	}
	for _, p := range providers {
		if begins(names, p.id) {
			by = append(by, p.title)
		}
	}
	return by
}

// extensions returns the extensions in a directory. A removed extension stays there until the editor restarts; a file
// lists such extensions.
func extensions(dir string) (names []string, there bool) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, false
	}
	removed := map[string]bool{}
	raw := read(filepath.Join(dir, ".obsolete"))
	_ = json.Unmarshal(raw, &removed)
	for _, entry := range list {
		if entry.IsDir() && !removed[entry.Name()] {
			names = append(names, strings.ToLower(entry.Name()))
		}
	}
	return names, true
}

func begins(names []string, with string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, with) })
}

// maxList is the greatest size of the part of an editor's file that is read, in bytes.
const maxList = 4 << 20

// read returns the content of a regular file; nil for anything else.
func read(path string) []byte {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	raw, _ := refs.ReadStart(path, maxList)
	return raw
}

// `hooked` reports whether git-trace's hooks receive Cursor's completions.
func hooked(env capability.Env, dir string) bool {
	for _, at := range []string{env.Home, dir} {
		raw := read(filepath.Join(at, ".cursor", "hooks.json"))
		if bytes.Contains(raw, []byte("afterTabFileEdit")) && bytes.Contains(raw, []byte("git-trace")) {
			return true
		}
	}
	return false
}

// Runs reports whether a process with a name runs the editor; the function `arguments` returns its command line.
func (e Editor) Runs(name string, arguments func() []string) bool {
	if slices.Contains(e.programs, name) {
		return true
	}
	return (name == "node" || name == "java") && slices.ContainsFunc(arguments(), func(word string) bool {
		return slices.ContainsFunc(e.marks, func(mark string) bool { return strings.Contains(word, mark) })
	})
}

// HasOpen reports whether the editor's list of windows contains a directory, or one above or below it. If the editor
// does not run, the list is from its last run.
func (e Editor) HasOpen(dir string) bool { return e.windows != nil && e.windows(dir) }

// `around` reports whether two paths are equal or one contains the other.
func around(a, b string) bool {
	const end = string(filepath.Separator)
	within := func(name, dir string) bool {
		return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, end)+end)
	}
	return a != "" && b != "" && (within(a, b) || within(b, a))
}

// hasWindow reads storage.json, which has the folders of open windows as URIs.
func hasWindow(env capability.Env, k kind, dir string) bool {
	type window struct {
		Folder    string `json:"folder"`
		FolderURI string `json:"folderUri"`
	}
	for _, base := range env.ConfigDirs() {
		var list struct {
			Windows struct {
				Last window   `json:"lastActiveWindow"`
				Open []window `json:"openedWindows"`
			} `json:"windowsState"`
			Backup struct {
				Folders []window `json:"folders"`
			} `json:"backupWorkspaces"`
		}
		raw := read(filepath.Join(base, k.config, "User", "globalStorage", "storage.json"))
		if k.config == "" || json.Unmarshal(raw, &list) != nil {
			continue
		}
		for _, w := range slices.Concat(list.Windows.Open, list.Backup.Folders, []window{list.Windows.Last}) {
			if at, err := url.Parse(cmp.Or(w.Folder, w.FolderURI)); err == nil && at.Scheme == "file" &&
				around(filepath.FromSlash(at.Path), dir) {
				return true
			}
		}
	}
	return false
}

const jetbrains = "jetbrains"

// plugins lists the plugins of JetBrains' editors that offer completions, by their directories.
var plugins = []struct{ dir, title string }{
	{"ml-llm", "AI Assistant"}, {"github-copilot-intellij", "Copilot"}, {"continue-intellij-extension", "Continue"},
	{"codeium", "Codeium"}, {"supermaven", "Supermaven"}, {"TabNine", "Tabnine"},
}

// jetbrainsEditors returns JetBrains' editors as one editor, if any of them has a plugin that offers completions.
func jetbrainsEditors(env capability.Env) []Editor {
	e := Editor{Name: jetbrains, Title: "JetBrains", marks: []string{"com.intellij.idea.Main"}, programs: []string{"idea",
		"goland", "pycharm", "webstorm", "clion", "phpstorm", "rubymine", "rider", "rustrover", "datagrip", "studio"}}
	data := env.DataDir()
	places, _ := filepath.Glob(filepath.Join(refs.QuoteGlob(data), "JetBrains", "*"))
	for _, base := range env.ConfigDirs() {
		more, _ := filepath.Glob(filepath.Join(refs.QuoteGlob(base), "JetBrains", "*", "plugins"))
		places = append(places, more...)
	}
	for _, p := range plugins {
		if slices.ContainsFunc(places, func(place string) bool {
			info, err := os.Stat(filepath.Join(place, p.dir))
			return err == nil && info.IsDir()
		}) {
			e.By = append(e.By, p.title)
		}
	}
	if len(e.By) == 0 {
		return nil
	}
	e.windows = func(dir string) bool { return hasProject(env, dir) }
	return []Editor{e}
}

// hasProject reads recentProjects.xml, which names the open projects.
func hasProject(env capability.Env, dir string) bool {
	open := regexp.MustCompile(`<entry key="([^"]*)">\s*<value>\s*<RecentProjectMetaInfo[^>]*\bopened="true"`)
	for _, base := range env.ConfigDirs() {
		lists, _ := filepath.Glob(filepath.Join(refs.QuoteGlob(base), "JetBrains", "*", "options", "recentProjects.xml"))
		for _, list := range lists {
			for _, found := range open.FindAllSubmatch(read(list), -1) {
				at := strings.Replace(string(found[1]), "$USER_HOME$", filepath.ToSlash(env.Home), 1)
				if around(filepath.FromSlash(at), dir) {
					return true
				}
			}
		}
	}
	return false
}
