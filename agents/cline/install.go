package cline

import (
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/installer"
)

// newInstaller installs a program for each event: among the user's, or in the directory of the project's settings.
func newInstaller(env capability.Env) capability.HookInstaller {
	return installer.NewFiles(env, installer.Dirs{
		Agent: Name, Title: title, User: sessions{env: env}.dir(), Repo: ".cline", Below: "hooks",
	}, kinds.Names())
}
