package geminihooks

import (
	"encoding/json"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/installer"
	"github.com/git-trace/git-trace/agents/userfile"
)

// SettingsFile is the name of the settings file of the user and of a project.
const SettingsFile = "settings.json"

// Config describes the settings directories of a client.
type Config struct {
	Dir     string // the user's directory, absolute
	Project string // the name of a project's directory, in the root of the work tree
	// AsksAlways is true if the client asks whether a folder is trusted, unless the user disabled that.
	AsksAlways bool
}

type settings struct {
	Security struct {
		FolderTrust struct {
			Enabled *bool `json:"enabled"`
		} `json:"folderTrust"`
	} `json:"security"`
	HooksConfig struct {
		Enabled *bool `json:"enabled"`
	} `json:"hooksConfig"`
	DisableAllHooks bool `json:"disableAllHooks"`
}

func readSettings(path string) settings {
	var s settings
	if file, err := userfile.Read(path); err == nil {
		_ = json.Unmarshal(file.Data, &s) // an unreadable file sets nothing
	}
	return s
}

// DisabledBy returns the settings files that disable all hooks at a target.
func (c Config) DisabledBy(target capability.Target) []string {
	paths := []string{filepath.Join(c.Dir, SettingsFile)}
	if target.Repo != nil && !target.Repo.Bare() {
		paths = append(paths, filepath.Join(target.Repo.WorkTree, c.Project, SettingsFile))
	}
	var out []string
	for _, path := range paths {
		s := readSettings(path)
		if s.DisableAllHooks || s.HooksConfig.Enabled != nil && !*s.HooksConfig.Enabled {
			out = append(out, path)
		}
	}
	return out
}

// Obstacles reports a folder whose settings the client does not read.
func (c Config) Obstacles(agent, title, program string) installer.Obstacles {
	return installer.Untrusted(c.Trusts, capability.Obstacle{
		What: title + " does not run the hooks of a folder that you have not trusted",
		Mend: "start " + program + " here and trust the folder, or use `git trace init --agent " + agent +
			" --global`, which works in sub-directories too",
	})
}

// Trusts reports whether the client reads the settings of a folder: either it does not ask for trust, or the user
// trusts the folder or one above it.
func (c Config) Trusts(folder string) bool {
	enabled := readSettings(filepath.Join(c.Dir, SettingsFile)).Security.FolderTrust.Enabled
	if enabled == nil && !c.AsksAlways || enabled != nil && !*enabled {
		return true
	}
	rules := map[string]string{}
	if file, err := userfile.Read(filepath.Join(c.Dir, "trustedFolders.json")); err == nil {
		_ = json.Unmarshal(file.Data, &rules)
	}
	if rules[folder] == "DO_NOT_TRUST" {
		return false
	}
	for path, level := range rules {
		if level == "TRUST_PARENT" {
			path = filepath.Dir(path)
		} else if level != "TRUST_FOLDER" {
			continue
		}
		if rel, err := filepath.Rel(path, folder); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
