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

// ErrNoPlace reports that there is no directory for the list: both XDG_STATE_HOME and the home directory are unknown.
var ErrNoPlace = errors.New("no state directory: neither XDG_STATE_HOME nor a home directory is known")

// StateDir returns the directory of git-trace's data about the user. XDG_STATE_HOME counts on every system if it is
// absolute (XDG Base Directory Specification); otherwise it is the system's usual place.
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

// below returns the usual place below a home directory.
func below(home string) string {
	switch runtime.GOOS {
	case "darwin", "ios":
		return filepath.Join(home, "Library", "Application Support", "git-trace")
	case "windows":
		return filepath.Join(home, "AppData", "Local", "git-trace")
	}
	return filepath.Join(home, ".local", "state", "git-trace")
}

// stateDirs returns all possible places of the user's list, the one of StateDir first. An agent may give its hooks
// another HOME or XDG_STATE_HOME than its user has, or none: so it adds the usual place in HOME, and the one in the
// home directory of the account.
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

// makeDir makes the directory of the list.
func makeDir() (string, error) { return MakeDir("recorded") }

// MakeDir makes a directory in StateDir, for its owner alone, because its files name directories.
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

// CheckPlace returns the reason if the list cannot be written, before anything is done that counts on it.
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

// name returns the name of the entry of a common git directory. Systems whose file names differ in case alone as a rule
// name the same file.
func name(common string) string {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		common = strings.ToLower(common)
	}
	sum := sha256.Sum256([]byte(common))
	return hex.EncodeToString(sum[:])
}

// accountHome is the home directory of the account (passwd(5)), whatever HOME says; "" if unknown. The C library is
// not asked: that would make every hook start later.
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
