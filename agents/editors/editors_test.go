package editors_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/editors"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// What lies in the user's directories tells where something completes, as the editors lay it.
func TestEditorsWhoseCompletionsNobodyTells(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files map[string]string // a name that ends in / is a directory
		want  string            // "Title: what completes", with the windows that have /src/project
	}{
		"nothing":                           {nil, ""},
		"extensions that complete nothing":  {map[string]string{".vscode/extensions/golang.go-0.50.0/": ""}, ""},
		"Copilot's chat, which completes":   {map[string]string{".vscode/extensions/github.copilot-chat-0.38.0/": ""}, "Visual Studio Code: Copilot"},
		"several, in two places of one":     {map[string]string{".vscode/extensions/Continue.continue-1.2.0-linux-x64/": "", ".vscode-server/extensions/github.copilot-1.1.0/": ""}, "Visual Studio Code: Continue, Copilot"},
		"git-trace's own tells":             {map[string]string{".vscode-oss/extensions/continue.continue-1.2.0/": "", ".vscode-oss/extensions/git-trace.git-trace-0.1.0/": ""}, ""},
		"one that was removed":              {map[string]string{".vscode/extensions/github.copilot-1.1.0/": "", ".vscode/extensions/.obsolete": `{"github.copilot-1.1.0":true}`}, ""},
		"a list of removed ones is damaged": {map[string]string{".vscode/extensions/github.copilot-1.1.0/": "", ".vscode/extensions/.obsolete": `{`}, "Visual Studio Code: Copilot"},
		"Windsurf":                          {map[string]string{".windsurf/extensions/": ""}, "Windsurf: Tab"},
		"Cursor":                            {map[string]string{".cursor/extensions/": ""}, "Cursor: Tab"},
		"Cursor's command line alone":       {map[string]string{".cursor/cli-config.json": "{}"}, ""},
		"Cursor with hooks that tell":       {map[string]string{".cursor/extensions/": "", ".cursor/hooks.json": `{"hooks":{"afterTabFileEdit":[{"command":"git-trace-hook hook cursor afterTabFileEdit"}]}}`}, ""},
		"Cursor with hooks of before":       {map[string]string{".cursor/extensions/": "", ".cursor/hooks.json": `{"hooks":{"afterFileEdit":[{"command":"git-trace-hook hook cursor afterFileEdit"}]}}`}, "Cursor: Tab"},
		"JetBrains":                         {map[string]string{".local/share/JetBrains/GoLand2026.1/ml-llm/": ""}, "JetBrains: AI Assistant"},
		"a window of before and one of now": {map[string]string{".vscode/extensions/github.copilot-1.1.0/": "", ".config/Code/User/globalStorage/storage.json": `{"windowsState":{"openedWindows":[{"folder":"file:///else"},{"folder":"file:///src"}]}}`}, "Visual Studio Code: Copilot, open"},
		"a window that was kept":            {map[string]string{".vscode/extensions/github.copilot-1.1.0/": "", ".config/Code/User/globalStorage/storage.json": `{"backupWorkspaces":{"folders":[{"folderUri":"file:///src/project"}]}}`}, "Visual Studio Code: Copilot, open"},
		"a window of another machine":       {map[string]string{".vscode/extensions/github.copilot-1.1.0/": "", ".config/Code/User/globalStorage/storage.json": `{"windowsState":{"lastActiveWindow":{"folder":"vscode-remote://ssh/src/project"}}}`}, "Visual Studio Code: Copilot"},
		"a directory with the same start":   {map[string]string{".vscode/extensions/github.copilot-1.1.0/": "", ".config/Code/User/globalStorage/storage.json": `{"windowsState":{"lastActiveWindow":{"folder":"file:///src/pro"}}}`}, "Visual Studio Code: Copilot"},
		"a project that is open":            {map[string]string{".local/share/JetBrains/GoLand2026.1/github-copilot-intellij/": "", ".config/JetBrains/GoLand2026.1/options/recentProjects.xml": `<entry key="/src/project"><value><RecentProjectMetaInfo frameTitle="p" opened="true">`}, "JetBrains: Copilot, open"},
		"a project that was closed":         {map[string]string{".local/share/JetBrains/GoLand2026.1/github-copilot-intellij/": "", ".config/JetBrains/GoLand2026.1/options/recentProjects.xml": `<entry key="/src/project"><value><RecentProjectMetaInfo frameTitle="p">`}, "JetBrains: Copilot"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := testenv.TempDir(t)
			for file, content := range tt.files {
				at := filepath.Join(home, filepath.FromSlash(file))
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				var err error
				if strings.HasSuffix(file, "/") {
					err = os.MkdirAll(at, 0o755)
				} else {
					err = os.WriteFile(at, []byte(content), 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, e := range editors.Untold(capability.Env{Home: home}, "/src/project") {
				one := e.Title + ": " + strings.Join(e.By, ", ")
				if e.HasOpen("/src/project") {
					one += ", open"
				}
				got = append(got, one)
			}
			if all := strings.Join(got, "; "); all != tt.want {
				t.Errorf("got %q, want %q", all, tt.want)
			}
		})
	}
}

// Processes are known by their names; a runtime by what it runs.
func TestTheProcessesOfAnEditor(t *testing.T) {
	t.Parallel()
	home := testenv.TempDir(t)
	for _, dir := range []string{".vscode/extensions/github.copilot-1.1.0", ".local/share/JetBrains/X/ml-llm"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]string{
		"code /src":                         "vscode",
		"codeium":                           "",
		"node server.js":                    "",
		"goland":                            "jetbrains",
		"java -jar any.jar":                 "",
		"java -cp x com.intellij.idea.Main": "jetbrains",
		"node /home/dev/.vscode-server/bin/x/out/bootstrap-fork.js": "vscode",
	} {
		words := strings.Fields(line)
		got := ""
		for _, e := range editors.Untold(capability.Env{Home: home}, "/src") {
			if e.Runs(words[0], func() []string { return words }) {
				got += e.Name
			}
		}
		if got != want {
			t.Errorf("%s is %q, want %q", line, got, want)
		}
	}
}
