package codexcli

import (
	"path/filepath"
	"slices"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/userfile"
	"github.com/git-trace/git-trace/refs"
)

// config is the part of Codex's config.toml that this package reads.
type config struct {
	file     userfile.File
	settings []setting
	tables   []table
}

// configDir returns the directory of the user's configuration and sessions of Codex.
func configDir(env capability.Env) string { return env.Dir("CODEX_HOME", ".codex") }

func (c *Client) readConfig() (config, error) {
	path := filepath.Join(configDir(c.env), "config.toml")
	file, err := userfile.Read(path)
	if err != nil {
		return config{}, &capability.InstallError{
			Code: capability.CodeSettingsUnreadable, Message: "read " + path, Err: err, Hint: "mend the file and try again",
		}
	}
	conf := config{file: file}
	if conf.settings, conf.tables, err = readTOML(string(file.Data)); err != nil {
		return conf, &capability.InstallError{
			Code: capability.CodeSettingsInvalid, Message: "read " + path, Err: err,
			Hint: "mend the file and try again; Codex CLI cannot read it either, and nothing was changed",
		}
	}
	return conf, nil
}

// get returns the last setting with a path.
func (conf *config) get(path ...string) (setting, bool) {
	for _, s := range slices.Backward(conf.settings) {
		if slices.Equal(s.path, path) {
			return s, true
		}
	}
	return setting{}, false
}

// has returns the table with a path, if it has its own header.
func (conf *config) has(path ...string) (table, bool) {
	for _, t := range conf.tables {
		if slices.Equal(t.path, path) {
			return t, true
		}
	}
	return table{}, false
}

// projectTrusted reports whether Codex reads the hooks of a work tree. For a linked work tree, Codex also uses the
// trust of the main work tree.
func (conf *config) projectTrusted(repo *refs.Repo) bool {
	roots := []string{repo.WorkTree}
	if repo.Linked() && filepath.Base(repo.CommonDir) == ".git" {
		roots = append(roots, filepath.Dir(repo.CommonDir))
	}
	for _, root := range roots {
		if level, found := conf.get("projects", root, "trust_level"); found {
			return level.text == "trusted"
		}
	}
	return false
}
