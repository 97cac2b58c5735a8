package refs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// UserFile returns the path of a file in the user's git directory, for example "ignore"; "" if the user has no home.
func UserFile(name string) string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git", name)
	}
	path, ok := ExpandHome("~/.config/git/" + name)
	if !ok {
		return ""
	}
	return path
}

// SystemFiles returns the places where git may read a file for all users of the machine, for example "gitconfig".
func SystemFiles(name string) []string {
	files := []string{"/etc/" + name, "/usr/local/etc/" + name, "/opt/homebrew/etc/" + name}
	if git, err := exec.LookPath("git"); err == nil {
		if real, err := filepath.EvalSymlinks(git); err == nil {
			files = append(files, filepath.Join(filepath.Dir(filepath.Dir(real)), "etc", name))
		}
	}
	return files
}

// ExpandHome replaces ~/ at the beginning of a configured path by the user's home directory, as git does. If `ok` is
// false, only git knows the path: it is in the home of another user or in git's own directory.
func ExpandHome(path string) (expanded string, ok bool) {
	if len(path) > 1 && path[0] == '~' && (path[1] == '/' || path[1] == filepath.Separator) {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, path[2:]), true
		}
	}
	return path, path != "" && path[0] != '~' && !strings.HasPrefix(path, "%(")
}
