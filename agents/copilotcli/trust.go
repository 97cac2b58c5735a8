package copilotcli

import (
	"bytes"
	"encoding/json"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/userfile"
)

// `trusts` reports whether the user permanently trusts a folder or one above it. A continued conversation (--continue)
// does not ask for trust.
func (c *Client) trusts(folder string) bool {
	file, err := userfile.Read(filepath.Join(c.configDir(), "config.json"))
	if err != nil {
		return false
	}
	var plain []byte // Copilot begins the file with comment lines
	for line := range bytes.Lines(file.Data) {
		if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("//")) {
			plain = append(plain, line...)
		}
	}
	var config struct {
		Folders []string `json:"trustedFolders"`
		Former  []string `json:"trusted_folders"` // newer versions read this and rename it
	}
	if json.Unmarshal(plain, &config) != nil {
		return false
	}
	for _, trusted := range append(config.Folders, config.Former...) {
		if rel, err := filepath.Rel(trusted, folder); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
