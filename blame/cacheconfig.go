package blame

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// Git is asked for its configuration once, and again when one of the files it came from, or could have come from, has
// another content: a process of git's own costs as much as all else that a blame from the cache does.

// configItem is one variable as git lists it.
type configItem struct{ key, value string }

const configMagic = "git-trace configuration 2\n"

// Configuration is git's configuration as it was read once. The nil one is read when it is asked for.
type Configuration struct{ items []configItem }

// ReadConfiguration reads it by way of what is kept: that starts no process as long as nothing changed.
func ReadConfiguration(ctx context.Context, repo *refs.Repo) (*Configuration, error) {
	items, err := configuration(ctx, repo)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return &Configuration{items}, nil
}

// Values is the configuration as Repo.Config would give it; that of nil is empty.
func (c *Configuration) Values() refs.Config {
	var values refs.Config
	if c != nil {
		for _, item := range c.items {
			values.Add(item.key, item.value)
		}
	}
	return values
}

// configuration is git's configuration in the order of precedence, the last value of a key in force.
func configuration(ctx context.Context, repo *refs.Repo) ([]configItem, error) {
	name := filepath.Join(cacheDir(repo), "settings-"+digestOf(repo.GitDir).String())
	if raw, err := os.ReadFile(name); err == nil {
		if listing, ok := keptConfig(raw); ok {
			items, _ := parseConfig(listing)
			return items, nil
		}
	}
	traced := repo.HasTraces()
	if traced {
		dropWholeListings(repo)
	}
	usual := usualConfigFiles(repo)
	before, started := configState(usual), time.Now()
	out, err := repo.Git(ctx, nil, "config", "-z", "--list", "--show-origin")
	if err != nil {
		return nil, err
	}
	items, origins := parseConfig(string(out))
	others, ok := otherConfigFiles(repo, items, origins)
	others = slices.DeleteFunc(others, func(file string) bool { return slices.Contains(usual, file) })
	if traced && ok && !changedSince(others, started) && configState(usual) == before {
		keepConfig(name, slices.Concat(usual, others), listing(needed(items)))
	}
	return needed(items), nil
}

// needed leaves of a configuration what blame and the screen ask for. Tokens stand in configurations, and on the
// command line (http.extraHeader, url.<with a password>.insteadOf): what nobody asks for is not kept. Of a value that
// is only compared with itself, as that of core.sshCommand is, a digest is kept.
func needed(items []configItem) []configItem {
	var out []configItem
	for _, item := range items {
		switch {
		case isAsked(item.key):
		case shapesAnswers(item.key):
			if item.value != "" {
				item.value = digestOf(item.value).String()
			}
		default:
			continue
		}
		out = append(out, item)
	}
	return out
}

// isAsked tells whether the value of a key is used, by this package or by those that draw.
func isAsked(key string) bool {
	switch key {
	case "attr.tree", "core.abbrev", "core.attributesfile", "core.autocrlf", "core.pager", "mailmap.blob", "mailmap.file",
		"pager.trace":
		return true
	}
	section, _, _ := strings.Cut(key, ".")
	return section == "blame" || section == "color"
}

// listing writes items as git lists them, without their origins.
func listing(items []configItem) string {
	var out strings.Builder
	for _, item := range items {
		out.WriteString("\x00" + item.key + "\n" + item.value + "\x00")
	}
	return out.String()
}

// dropWholeListings deletes what earlier versions kept: listings of everything, tokens included.
func dropWholeListings(repo *refs.Repo) {
	entries, _ := os.ReadDir(cacheDir(repo)) // what is not there needs no deleting
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "config-") {
			_ = os.Remove(filepath.Join(cacheDir(repo), e.Name()))
		}
	}
}

// keepConfig stores a listing with the state of the files that it depends on. A directory that cannot be written to
// keeps nothing.
func keepConfig(name string, files []string, listing string) {
	state, list := configState(files), strings.Join(files, "\x00")
	head := configMagic + string(state[:]) + strconv.Itoa(len(list)) + "\n"
	_ = refs.WriteFileAtomic(name, []byte(head+list+listing), 0o600)
}

// keptConfig reads what keepConfig wrote, if it still holds.
func keptConfig(raw []byte) (listing string, ok bool) {
	rest, ok := bytes.CutPrefix(raw, []byte(configMagic))
	var state digest
	if !ok || len(rest) < len(state) {
		return "", false
	}
	copy(state[:], rest)
	length, rest, _ := bytes.Cut(rest[len(state):], []byte("\n"))
	n, err := strconv.Atoi(string(length))
	if err != nil || n < 0 || n > len(rest) {
		return "", false
	}
	files := strings.Split(string(rest[:n]), "\x00")
	return string(rest[n:]), configState(files) == state
}

// parseConfig reads ORIGIN NUL KEY [LF VALUE] NUL … and returns the files of origin too; a key alone means true.
func parseConfig(listing string) (items []configItem, origins []string) {
	for listing != "" {
		origin, rest, _ := strings.Cut(listing, "\x00")
		entry, rest, _ := strings.Cut(rest, "\x00")
		listing = rest
		key, value, ok := strings.Cut(entry, "\n")
		if !ok {
			value = "true"
		}
		items = append(items, configItem{key, value})
		file, _ := strings.CutPrefix(origin, "file:")
		if file == origin {
			file = "" // the command line, or the environment
		}
		origins = append(origins, file)
	}
	return items, origins
}

// usualConfigFiles are the places that git-config(1) names, whether or not there is a file: the system's with any
// prefix git may have been built with.
func usualConfigFiles(repo *refs.Repo) []string {
	files := []string{filepath.Join(repo.CommonDir, "config"), filepath.Join(repo.GitDir, "config.worktree")}
	if path := os.Getenv("GIT_CONFIG_SYSTEM"); path != "" {
		files = append(files, path)
	} else {
		files = append(files, systemFiles("gitconfig")...)
	}
	if path := os.Getenv("GIT_CONFIG_GLOBAL"); path != "" {
		return append(files, path)
	}
	return append(files, userFile("config"), homeFile(".gitconfig"))
}

// systemFiles are the places of a file that is the same for all users.
func systemFiles(name string) []string {
	files := []string{"/etc/" + name, "/usr/local/etc/" + name, "/opt/homebrew/etc/" + name}
	if git, err := exec.LookPath("git"); err == nil {
		if real, err := filepath.EvalSymlinks(git); err == nil {
			files = append(files, filepath.Join(filepath.Dir(filepath.Dir(real)), "etc", name))
		}
	}
	return files
}

// userFile is a file in git's own directory of the user.
func userFile(name string) string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git", name)
	}
	return homeFile(filepath.Join(".config", "git", name))
}

func homeFile(name string) string {
	home := os.Getenv("HOME")
	if home == "" {
		return ""
	}
	return filepath.Join(home, name)
}

// otherConfigFiles are the files that a listing came from and those that it includes, or would if they were there
// (git-config(1), "Includes"). False means that not all of them can be told.
func otherConfigFiles(repo *refs.Repo, items []configItem, origins []string) (files []string, ok bool) {
	root := repo.WorkTree
	if repo.Bare() {
		root = repo.GitDir
	}
	for i, item := range items {
		origin := origins[i]
		if origin != "" && !filepath.IsAbs(origin) {
			origin = filepath.Join(root, origin)
		}
		if origin != "" {
			files = append(files, origin)
		}
		if item.key == "include.path" || strings.HasPrefix(item.key, "includeif.") {
			file, ok := expandHome(item.value)
			if !ok {
				return nil, false
			}
			if !filepath.IsAbs(file) {
				file = filepath.Join(filepath.Dir(origin), file)
			}
			files = append(files, file)
		}
		if strings.HasPrefix(item.key, "includeif.onbranch:") {
			files = append(files, repo.HeadFile())
		}
	}
	slices.Sort(files)
	return slices.Compact(files), true
}

// expandHome does for "~/" what git does; what begins with another user's home, or with git's own prefix, is not known
// here.
func expandHome(path string) (string, bool) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = homeFile(rest)
	}
	return path, path != "" && !strings.HasPrefix(path, "~") && !strings.HasPrefix(path, "%(")
}

// changedSince tells whether one of the files may have been written while a process ran, clocks being coarse.
func changedSince(files []string, started time.Time) bool {
	const slack = 2 * time.Second
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.ModTime().After(started.Add(-slack)) {
			return true
		}
	}
	return false
}

// configState is a digest of all that the configuration comes from.
func configState(files []string) digest {
	h := newDigester()
	h.text(gitProgram())
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if name == "HOME" || name == "XDG_CONFIG_HOME" || strings.HasPrefix(name, "GIT_CONFIG") {
			h.text(entry)
		}
	}
	for _, file := range files {
		h.file(file)
	}
	return h.sum()
}
