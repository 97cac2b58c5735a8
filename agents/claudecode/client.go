package claudecode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
)

// Name is the agent's name in hook commands and events.
const Name = "claude-code"

// title is the agent's name as people write it.
const title = "Claude Code"

// Client implements the capabilities of Claude Code.
type Client struct{ env capability.Env }

func New(env capability.Env) capability.Agent {
	client := &Client{env: env}
	return capability.Agent{
		Name: Name, Title: title, Tested: "2.1.328", Decoder: client, Installer: client.newInstaller(),
		Parser: client, Discoverer: client, Identifier: client, Program: "claude", Dir: client.configDir(),
		Skills:  ".claude/skills",
		Kept:    client.kept,
		Resumer: capability.ResumeBy{"claude", "--resume"}, Copier: client,
		Traits: capability.Traits{CallIDs: capability.CallIDsNative, Model: capability.ModelOfSession,
			Edits: capability.EditsWhole, Subagents: true, HooksEnd: true},
	}
}

var (
	_ capability.PayloadDecoder    = (*Client)(nil)
	_ capability.SessionParser     = (*Client)(nil)
	_ capability.SessionDiscoverer = (*Client)(nil)
	_ capability.SessionIdentifier = (*Client)(nil)
)

// keptDays is the number of days for which Claude keeps a session file by default.
const keptDays = 30

// `kept` returns how long Claude Code keeps session files, from cleanupPeriodDays in the user's settings.
func (c *Client) kept() time.Duration {
	settings := struct{ CleanupPeriodDays *int }{}
	days := keptDays
	raw, err := os.ReadFile(filepath.Join(c.configDir(), settingsName))
	if err == nil && json.Unmarshal(raw, &settings) == nil && settings.CleanupPeriodDays != nil {
		days = *settings.CleanupPeriodDays
	}
	return time.Duration(max(days, 0)) * 24 * time.Hour
}
