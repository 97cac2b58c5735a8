package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/refs"
)

// printServices prints definitions that keep a watcher of the repository running: a systemd user unit
// (systemd.service(5)) and a launchd property list (launchd.plist(5)).
func (a *app) printServices(repo *refs.Repo) error {
	program := capability.Program()
	_, err := fmt.Fprint(a.std.out, systemdUnit(program, repo.WorkTree), "\n", launchdList(program, repo.WorkTree))
	return err
}

// serviceName returns the name of the service that watches a work tree: one for each.
func serviceName(dir string) string {
	words := strings.FieldsFunc(filepath.Base(dir), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	sum := sha256.Sum256([]byte(dir))
	return strings.Join(slices.Concat([]string{"git-trace-watch"}, words, []string{hex.EncodeToString(sum[:3])}), "-")
}

func systemdUnit(binary, dir string) string {
	name := serviceName(dir)
	return "# ~/.config/systemd/user/" + name + ".service, then: systemctl --user enable --now " + name + "\n" +
		"[Unit]\nDescription=git-trace watch " + systemdWord(dir) + "\n\n[Service]\nExecStart=" +
		strings.Join([]string{systemdProgram(binary), "-C", systemdWord(dir), "watch"}, " ") +
		"\nRestart=on-failure\nNice=10\n\n[Install]\nWantedBy=default.target\n"
}

// systemdProgram returns the path of the program to start. It is taken as it is, but for percent signs, and may hold no
// quotes and no backslashes: a path with more is a word that env(1) starts.
func systemdProgram(path string) string {
	if strings.ContainsAny(path, "\"'\\$\n\t") {
		return "/usr/bin/env " + systemdWord(path)
	}
	return systemdWord(path)
}

// systemdWord quotes a word of a unit file: C escapes in double quotes, percent signs and dollars doubled.
func systemdWord(word string) string {
	word = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "%", "%%", "$", "$$").Replace(word)
	return `"` + word + `"`
}

func launchdList(binary, dir string) string {
	var out strings.Builder
	name := serviceName(dir)
	out.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		"<!-- ~/Library/LaunchAgents/" + name + ".plist, then: launchctl load -w that file -->\n" +
		`<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">` + "\n" +
		`<plist version="1.0"><dict>` + "\n  <key>Label</key><string>" + name + "</string>\n" +
		"  <key>ProgramArguments</key><array>\n")
	for _, word := range []string{binary, "-C", dir, "watch"} {
		// It writes the entities of package html, which XML has too. Package xml would cost every start 0.05 ms.
		out.WriteString("    <string>" + html.EscapeString(word) + "</string>\n")
	}
	out.WriteString("  </array>\n  <key>RunAtLoad</key><true/>\n" +
		"  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>\n</dict></plist>\n")
	return out.String()
}
