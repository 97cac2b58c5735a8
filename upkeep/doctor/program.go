package doctor

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/internal/version"
)

// checkProgram compares the program that hooks call with this program: both write the same log.
func (d *Doctor) checkProgram(ctx context.Context) []Finding {
	if strings.TrimSuffix(filepath.Base(d.env.Binary), ".exe") != capability.HookProgram {
		return nil // it is this program
	}
	said, err := exec.CommandContext(ctx, d.env.Binary, "--version").Output()
	if err == nil && strings.TrimSpace(string(said)) == capability.HookProgram+" version "+version.Text() {
		return nil
	}
	return []Finding{{
		What: "hooks call " + d.shorten(d.env.Binary) + ", which is not of version " + version.Text() + " as git-trace is",
		Mend: "install both from one source",
	}}
}
