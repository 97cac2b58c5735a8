// Package zed reads the threads of Zed's agent.
//
// The editor stores all threads in one SQLite database, threads/threads.db in its own directory. A row contains a
// thread as one JSON document, which newer versions compress with zstd. git-trace-serve decompresses it; without that
// program, such threads cannot be read. Since early 2026, the row has the folders of the project; before, only the
// document has them.
//
// A message has no time. A thread has a token count; single answers have none. The result of a tool is in the message
// with its call. The tool that edits files reports their whole texts before and after.
//
// A subagent's thread is a separate row, and becomes a separate conversation.
//
// Zed has no hooks that git-trace could install. Other agents that run in Zed have their own session files.
package zed

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/toolcall"
)

// Name is the agent's name in events and records.
const Name = "zed"

func New(env capability.Env) capability.Agent {
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: "Zed", Parser: files, Discoverer: files, Identifier: files, Program: "zed", Dir: files.root(),
	}
}

// roots returns the possible directories of the database on all systems.
func (s sessions) roots() []string {
	home := s.env.Home
	return []string{
		filepath.Join(s.env.DataDir(), "zed", "threads"),
		filepath.Join(home, "Library", "Application Support", "Zed", "threads"),
		filepath.Join(s.env.Dir("LOCALAPPDATA", "AppData", "Local"), "Zed", "threads"),
		filepath.Join(home, ".var", "app", "dev.zed.Zed", "data", "zed", "threads"),
	}
}

// root returns the first possible directory that contains a database.
func (s sessions) root() string {
	roots := s.roots()
	for _, root := range roots {
		if isFile(filepath.Join(root, databaseFile)) {
			return root
		}
	}
	return roots[0]
}

// tools lists tools of Zed, with their effects on files.
var tools = toolcall.Tools{
	"read_file": toolcall.Reads, "edit_file": toolcall.Replaces, "write_file": toolcall.Writes,
	"create_file": toolcall.Writes, "terminal": toolcall.Runs,
}

// dirFor returns the directory to which a path of a call is relative. Such a path begins with the name of one of the
// project's folders.
func dirFor(folders []string, name string) string {
	first, _, _ := strings.Cut(name, "/")
	for _, folder := range folders {
		if slashed := strings.ReplaceAll(folder, `\`, "/"); path.Base(slashed) == first {
			return path.Dir(slashed)
		}
	}
	if len(folders) > 0 {
		return folders[0]
	}
	return ""
}
