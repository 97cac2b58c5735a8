package capability

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/refs/recorded"
)

// Env is the environment of an agent's package. Tests replace it.
type Env struct {
	Home   string                  // the absolute path of the user's home directory
	Binary string                  // the absolute path of the program for hook commands; only installers need it
	Getenv func(key string) string // the environment of the process; nil for an empty one
	// Environ lists the environment of the process; nil for an empty one.
	Environ func() []string
	Now     func() time.Time // the clock; nil for time.Now
	State   string           // git-trace's own directory for data about the user; "" if there is none
	// Unzstd decompresses zstd. It is nil in hooks, because the library would make every hook slower.
	Unzstd func(packed io.Reader) (io.ReadCloser, error)
}

// SystemEnv reads the environment of this process when it is called.
func SystemEnv() (Env, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Env{}, fmt.Errorf("find home directory: %w", err)
	}
	state, _ := recorded.StateDir() // without it, the directories made are not listed
	return Env{Home: home, Binary: hookProgram(Program()), Getenv: os.Getenv, Environ: os.Environ, Now: time.Now,
		State: state}, nil
}

// MadeList returns the file that lists the directories that installers made among the user's directories; "" if there
// is none.
func (e Env) MadeList() string {
	if e.State == "" {
		return ""
	}
	return filepath.Join(e.State, "made-directories")
}

// Lookup returns the value of an environment variable; "" if it is not set.
func (e Env) Lookup(key string) string {
	if e.Getenv == nil {
		return ""
	}
	return e.Getenv(key)
}

// Dir returns the directory in an environment variable or, if it is not set, a directory in the home directory.
func (e Env) Dir(variable string, inHome ...string) string {
	if dir := e.Lookup(variable); dir != "" {
		return filepath.Clean(dir)
	}
	return filepath.Join(append([]string{e.Home}, inHome...)...)
}

// DataDir returns the directory for programs' data of the user: $XDG_DATA_HOME.
func (e Env) DataDir() string { return e.Dir("XDG_DATA_HOME", ".local", "share") }

// ConfigDirs returns the directories in which graphical programs keep the user's settings, for all systems.
func (e Env) ConfigDirs() []string {
	return []string{
		e.Dir("XDG_CONFIG_HOME", ".config"),
		filepath.Join(e.Home, "Library", "Application Support"),
		e.Dir("APPDATA", "AppData", "Roaming"),
	}
}

// Time returns the current time in UTC.
func (e Env) Time() time.Time {
	if e.Now == nil {
		return time.Now().UTC()
	}
	return e.Now().UTC()
}

// HookProgram is the name of the program that hooks run instead of git-trace, because it starts faster.
const HookProgram = "git-trace-hook"

// hookProgram returns the path for hook commands: HookProgram if it is installed next to git-trace, otherwise git-trace
// itself.
func hookProgram(program string) string {
	beside := filepath.Join(filepath.Dir(program), HookProgram+filepath.Ext(program))
	if info, err := os.Stat(beside); program != "" && err == nil && info.Mode().IsRegular() {
		return beside
	}
	return program
}

// Program returns the path with which other programs can call this one; "" if unknown. It prefers the name on the PATH
// to the target of a symbolic link: package managers keep the name, but move the file with every version.
func Program() string {
	own, err := os.Executable()
	if err != nil {
		return ""
	}
	found, err := exec.LookPath("git-trace")
	if err != nil {
		return own
	}
	if found, err = filepath.Abs(found); err != nil {
		return own
	}
	ownInfo, err := os.Stat(own)
	if err != nil {
		return own
	}
	if foundInfo, err := os.Stat(found); err == nil && os.SameFile(ownInfo, foundInfo) {
		return found
	}
	return own
}

// findProgram returns the path of a program on the PATH; "" if there is none.
func (e Env) findProgram(name string) string {
	for _, dir := range filepath.SplitList(e.Lookup("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}
