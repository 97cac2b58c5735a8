package main

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/refs"
)

// printServices prints what keeps a watcher of the repository running: a systemd user unit (systemd.service(5)) and a launchd
// property list (launchd.plist(5)).
func (a *app) printServices(repo *refs.Repo) error {
	env, err := capability.SystemEnv()
	if err != nil {
		return err
	}
	unit := "# ~/.config/systemd/user/git-trace-watch.service, then: systemctl --user enable --now git-trace-watch\n" +
		systemdUnit(env.Binary, repo.WorkTree)
	list := "\n<!-- ~/Library/LaunchAgents/git-trace.watch.plist, then: launchctl load -w that file -->\n" +
		launchdList(env.Binary, repo.WorkTree)
	_, err = fmt.Fprint(a.std.out, unit, list)
	return err
}

func systemdUnit(binary, dir string) string {
	return "[Unit]\nDescription=git-trace watch " + systemdWord(dir) + "\n\n[Service]\nExecStart=" +
		strings.Join([]string{systemdWord(binary), "-C", systemdWord(dir), "watch"}, " ") +
		"\nRestart=on-failure\nNice=10\n\n[Install]\nWantedBy=default.target\n"
}

// systemdWord quotes a word of a unit file: C escapes in double quotes, percent signs and dollars doubled.
func systemdWord(word string) string {
	word = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "%", "%%", "$", "$$").Replace(word)
	return `"` + word + `"`
}

func launchdList(binary, dir string) string {
	var out strings.Builder
	out.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">` + "\n" +
		`<plist version="1.0"><dict>` + "\n  <key>Label</key><string>git-trace.watch</string>\n  <key>ProgramArguments</key><array>\n")
	for _, word := range []string{binary, "-C", dir, "watch"} {
		out.WriteString("    <string>")
		_ = xml.EscapeText(&out, []byte(word)) // into a builder
		out.WriteString("</string>\n")
	}
	out.WriteString("  </array>\n  <key>RunAtLoad</key><true/>\n  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>\n</dict></plist>\n")
	return out.String()
}
