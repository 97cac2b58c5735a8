package transcripts

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/packed"
	"github.com/git-trace/git-trace/refs"
)

// mostFiles limits the number of files of a folder: with more of them, the search fails.
const mostFiles = 200_000

// Find lists the sessions that the agents keep on this machine and in work trees, and the session files in folders,
// recognised by their content.
func Find(env agents.Env, workTrees, folders []string) ([]*Transcript, error) {
	f := finder{env: env, seen: map[string]bool{}}
	for _, agent := range agents.All(env) {
		if agent.Discoverer == nil || agent.Parser == nil {
			continue
		}
		dirs := []string{""}
		if agent.InProject {
			dirs = workTrees
		}
		for _, dir := range dirs {
			found, err := agent.Discoverer.ProjectSessions(dir, time.Time{})
			if err != nil {
				return nil, err
			}
			for _, s := range found {
				f.add(&Transcript{Agent: agent, Path: s.Path, ID: s.ID, dir: s.Dir})
			}
		}
	}
	err := f.below(folders)
	return f.list, err
}

// `Below` lists the session files in folders, recognised by their content, without the agents' own places.
func Below(env agents.Env, folders ...string) ([]*Transcript, error) {
	f := finder{env: env, seen: map[string]bool{}}
	err := f.below(folders)
	return f.list, err
}

// finder lists each session once.
type finder struct {
	env  agents.Env
	list []*Transcript
	seen map[string]bool
}

func (f *finder) add(t *Transcript) {
	real, err := filepath.EvalSymlinks(t.Path)
	if err != nil {
		real = t.Path
	}
	key := real + "\x00" + t.ID
	if f.seen[key] || t.ID == "" && f.seen[real] { // found in a folder, without the id of its only session
		return
	}
	f.seen[key], f.seen[real] = true, true
	f.list = append(f.list, t)
}

// `below` adds the session files in folders.
func (f *finder) below(folders []string) error {
	for _, folder := range folders {
		n := 0
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil && path == folder:
				return err
			case err != nil, entry.IsDir() && entry.Name() == ".git":
				return SkipDir(entry)
			case !entry.Type().IsRegular():
				return nil
			}
			if n++; n > mostFiles {
				return fmt.Errorf("more than %d files", mostFiles)
			}
			agent, found, err := packed.Identify(f.env, path)
			if err != nil || !found || agent.Parser == nil || PartOf(path) {
				return nil //nolint:nilerr // a file that cannot be read is not a transcript
			}
			for _, t := range In(agent, path) {
				f.add(t)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("look for transcripts in %s: %w", folder, refs.PathCause(err))
		}
	}
	return nil
}

// `In` returns the sessions of a file: one, or all sessions of a database.
func In(agent agents.Agent, path string) []*Transcript {
	if in, ok := agent.Discoverer.(agents.SessionLister); ok {
		if list, err := in.SessionsIn(path); err == nil && len(list) > 0 {
			out := make([]*Transcript, len(list))
			for i, s := range list {
				out[i] = &Transcript{Agent: agent, Path: path, ID: s.ID, dir: s.Dir}
			}
			return out
		}
	}
	return []*Transcript{{Agent: agent, Path: path}}
}

// SkipDir is the answer of a walk to an entry that cannot be read or is not wanted.
func SkipDir(entry fs.DirEntry) error {
	if entry != nil && entry.IsDir() {
		return filepath.SkipDir
	}
	return nil
}

// PartOf reports whether a file belongs to the session of another file, as the file of a subagent does.
func PartOf(path string) bool {
	dir := filepath.Dir(path)
	for range 4 {
		if filepath.Base(dir) == "subagents" {
			_, err := os.Stat(filepath.Dir(dir) + ".jsonl")
			return err == nil
		}
		dir = filepath.Dir(dir)
	}
	return false
}

// mostSubagents limits the number of files of subagents that are looked at.
const mostSubagents = 5000

// Written returns the size of a session file together with the files of its subagents, and the time of the last write
// to one of them. The file of the conversation does not grow while a subagent works.
func Written(path string) (size int64, at time.Time, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, at, err
	}
	size, at = info.Size(), info.ModTime()
	n := 0
	below := filepath.Join(strings.TrimSuffix(path, filepath.Ext(path)), "subagents")
	_ = filepath.WalkDir(below, func(_ string, entry fs.DirEntry, err error) error {
		if n++; err != nil || n > mostSubagents {
			return fs.SkipAll
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
			if info.ModTime().After(at) {
				at = info.ModTime()
			}
		}
		return nil
	})
	return size, at, nil
}
