package exchange

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view/transcripts"
)

// mostInDirectory is the number of files of one directory that are searched.
const mostInDirectory = 200_000

// `named` is a file to read, with the directory that was named; "" if the file was named.
type named struct{ File, Dir string }

// InDirectories returns the named files and a counter for them. It replaces a directory by its files, sorted by name. A
// directory in which an agent keeps one session counts as one file.
func InDirectories(env agents.Env, names []string) (all []named, over *passed, err error) {
	var stands []string // names of files that represent their directory
	for _, agent := range agents.All(env) {
		stands = append(stands, agent.Stands...)
	}
	over = &passed{over: map[string]int{}, taken: map[string]int{}}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.IsDir() {
			all = append(all, named{File: name}) // reading it reports the fault
			continue
		}
		before := len(all)
		over.dirs = append(over.dirs, name)
		err = filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil && path == name:
				return err
			case err != nil, entry.IsDir() && entry.Name() == ".git":
				return transcripts.SkipDir(entry)
			case entry.IsDir():
				if file := sessionOf(path, stands); file != "" {
					all = append(all, named{file, name})
					return filepath.SkipDir
				}
			case entry.Type().IsRegular() && !transcripts.PartOf(path):
				all = append(all, named{path, name})
			}
			if len(all)-before > mostInDirectory {
				return fmt.Errorf("holds more than %d files", mostInDirectory)
			}
			return nil
		})
		if err != nil {
			return nil, nil, exit.Fail(exit.Unchecked, FileFault(name, refs.PathCause(err)), "")
		}
	}
	return all, over, nil
}

// NotThere returns the error for a named file that is missing. If all files exist, it returns the other error.
func NotThere(names []string, otherwise error) error {
	for _, name := range names {
		if _, err := os.Stat(name); err != nil {
			return exit.Fail(exit.Unchecked, FileFault(name, refs.PathCause(err)), "")
		}
	}
	return otherwise
}

// sessionOf returns the file that represents a directory, "" for any other directory.
func sessionOf(dir string, stands []string) string {
	for _, name := range stands {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// passed counts the skipped and the other files of each directory.
type passed struct {
	dirs        []string
	over, taken map[string]int
}

// Note counts a file.
func (p *passed) Note(dir string, over bool) {
	if over {
		p.over[dir]++
		return
	}
	p.taken[dir]++
}

// Tell reports the number of skipped files. A directory in which all files were skipped is a fault.
func (p *passed) Tell(err io.Writer, what string) (faults []error) {
	for _, dir := range p.dirs {
		switch over := p.over[dir]; {
		case p.taken[dir] == 0:
			faults = append(faults, FileFault(dir, fmt.Errorf("holds no %s", what)))
		case over > 0:
			fmt.Fprintf(err, "git-trace: hint: %s\n",
				cells.Message(fmt.Sprintf("%s: %s passed over", dir, numbers.Count(over, "other file"))))
		}
	}
	return faults
}
