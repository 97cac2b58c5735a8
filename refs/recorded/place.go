package recorded

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/refs"
)

// ErrNoPlace is returned if there is no directory for the list: both XDG_STATE_HOME and the home directory are unknown.
var ErrNoPlace = errors.New("no state directory: neither XDG_STATE_HOME nor a home directory is known")

// StateDir returns the directory for git-trace's data about the user. If XDG_STATE_HOME is absolute it is used on every
// system (XDG Base Directory Specification). Otherwise the system's usual directory is used.
func StateDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "git-trace"), nil
	}
	if dir := os.Getenv("LOCALAPPDATA"); runtime.GOOS == "windows" && filepath.IsAbs(dir) {
		return filepath.Join(dir, "git-trace"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return "", ErrNoPlace
	}
	return below(home), nil
}

// `below` returns the usual state directory for a home directory.
func below(home string) string {
	switch runtime.GOOS {
	case "darwin", "ios":
		return filepath.Join(home, "Library", "Application Support", "git-trace")
	case "windows":
		return filepath.Join(home, "AppData", "Local", "git-trace")
	}
	return filepath.Join(home, ".local", "state", "git-trace")
}

// stateDirs returns all possible state directories of the user, the one of StateDir first. An agent may give its hooks
// another HOME or XDG_STATE_HOME than the user has, or none. So the list includes the usual directory in HOME, and the
// one in the home directory of the account.
func stateDirs() []string {
	var out []string
	add := func(dir string) {
		if !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	if dir, err := StateDir(); err == nil {
		add(dir)
	}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		add(below(home))
	}
	if home := accountHome(); home != "" {
		add(below(home))
	}
	return out
}

// dir returns the directory of the list.
func dir() (string, error) {
	state, err := StateDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(state, "recorded"), nil
}

// makeDir creates the directory of the list.
func makeDir() (string, error) { return MakeDir("recorded") }

// MakeDir creates a directory in StateDir. Only its owner has access, because its files name directories of the user.
func MakeDir(name string) (string, error) {
	state, err := StateDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(state, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a directory of git-trace: %w", err)
	}
	return dir, nil
}

// CheckPlace returns an error if the list cannot be written. Commands call it before they do work that needs the list.
func CheckPlace() error {
	dir, err := makeDir()
	if err != nil {
		return err
	}
	probe, err := os.CreateTemp(dir, "tmp_")
	if err != nil {
		return fmt.Errorf("write the list of recorded repositories: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// name returns the file name of the entry for a common git directory. On systems that usually ignore the case of file
// names, paths that differ only in case have the same name.
func name(common string) string {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		common = strings.ToLower(common)
	}
	sum := sha256.Sum256([]byte(common))
	return hex.EncodeToString(sum[:])
}

// accountHome returns the home directory of the account (passwd(5)), whatever HOME says, or "" if unknown. It does not
// call the C library, which would delay the start of every hook.
var accountHome = sync.OnceValue(lookAccountHome)

func lookAccountHome() string {
	if runtime.GOOS == "windows" {
		return ""
	}
	text, err := refs.ReadFile("/etc/passwd")
	if err != nil {
		return ""
	}
	uid := strconv.Itoa(os.Getuid())
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), ":")
		if len(fields) == 7 && fields[2] == uid && filepath.IsAbs(fields[5]) {
			return fields[5]
		}
	}
	return ""
}
