// Package settings reads git's configuration without starting git for it. It asks git once, and again when a
// possible file of the configuration has another content: a git process costs as much as the rest of a blame from
// the cache.
//
// Only what the program asks for is kept, see [Shapes]: configurations may hold tokens.
package settings

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

// item is one variable as git lists it.
type item struct{ key, value string }

const magic = "git-trace configuration 5\n"

// Read returns the settings of blame and the screen. It starts no process as long as nothing changed.
func Read(ctx context.Context, repo *refs.Repo) (refs.Config, error) {
	var config refs.Config
	items, err := read(ctx, repo)
	if err != nil {
		return config, fmt.Errorf("read configuration: %w", err)
	}
	for _, it := range items {
		config.Add(it.key, it.value)
	}
	return config, nil
}

// read lists variables in the order of precedence, the last value of a key in force.
func read(ctx context.Context, repo *refs.Repo) ([]item, error) {
	name := filepath.Join(directory(repo), "settings-"+DigestOf(repo.GitDir).String())
	if raw, err := os.ReadFile(name); err == nil {
		if listing, ok := kept(raw); ok {
			return parse(listing), nil
		}
	}
	traced := repo.HasTraces()
	usual := usualFiles(repo)
	before, started := stateOf(usual), time.Now()
	list, err := repo.Settings(ctx)
	if err != nil {
		return nil, err
	}
	items, origins := make([]item, len(list)), make([]string, len(list))
	for i, s := range list {
		items[i], origins[i] = item{s.Key, s.Value}, s.File
	}
	others, ok := otherFiles(repo, items, origins)
	others = slices.DeleteFunc(others, func(file string) bool { return slices.Contains(usual, file) })
	if traced && ok && !changedSince(others, started) && stateOf(usual) == before {
		keep(name, slices.Concat(usual, others), listing(needed(items)))
	}
	return needed(items), nil
}

// needed keeps only the settings of blame and the screen. Configurations and command lines may hold tokens
// (http.extraHeader, url.<with a password>.insteadOf): so the other settings are not kept. Only a digest is kept of
// a value that is only compared with itself, like core.sshCommand, and of a rule of redaction.
func needed(items []item) []item {
	var out []item
	for _, it := range items {
		switch {
		case isAsked(it.key):
		case Shapes(it.key), isRule(it.key):
			if it.value != "" {
				it.value = DigestOf(it.value).String()
			}
		default:
			continue
		}
		out = append(out, it)
	}
	return out
}

// isAsked reports whether the value of a key is used, by this package or by packages that draw.
func isAsked(key string) bool {
	switch key {
	case "attr.tree", "core.abbrev", "core.attributesfile", "core.autocrlf", "core.pager", "mailmap.blob", "mailmap.file",
		"pager.trace", "advice.tracesigns", "diff.mnemonicprefix", "diff.noprefix", "diff.relative", "diff.srcprefix",
		"diff.dstprefix", "diff.submodule", "status.showuntrackedfiles":
		return true
	}
	section, _, _ := strings.Cut(key, ".")
	return section == "blame" || section == "color"
}

// Shapes reports whether a setting can change what git blame finds or prints.
func Shapes(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	switch section {
	case "attr", "blame", "core", "diff", "extensions", "feature", "filter", "i18n", "log", "mailmap":
		return true
	}
	return false
}

// isRule reports whether a key is one of the user's rules of redaction. Its value may itself be a secret.
func isRule(key string) bool {
	section, name, _ := strings.Cut(key, ".")
	return section == "trace" && strings.HasPrefix(name, "redact")
}

// HasRules reports whether the configuration of Read has rules of redaction. Only git knows their values.
func HasRules(config refs.Config) bool {
	for key := range config.Entries() {
		if isRule(key) {
			return true
		}
	}
	return false
}

// listing writes items as git lists them, KEY LF VALUE NUL.
func listing(items []item) string {
	var out strings.Builder
	for _, it := range items {
		out.WriteString(it.key + "\n" + it.value + "\x00")
	}
	return out.String()
}

// directory returns the directory of blame's cache, too.
func directory(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "cache", "blame") }

// keep stores a listing with the state of the files that it depends on. A directory that cannot be written to
// keeps nothing.
func keep(name string, files []string, listing string) {
	state, list := stateOf(files, listing), strings.Join(files, "\x00")
	head := magic + string(state[:]) + strconv.Itoa(len(list)) + "\n"
	_ = refs.WriteFileAtomic(name, []byte(head+list+listing), 0o600)
}

// kept reads the text of keep, if it still holds.
func kept(raw []byte) (listing string, ok bool) {
	rest, ok := bytes.CutPrefix(raw, []byte(magic))
	var state Digest
	if !ok || len(rest) < len(state) {
		return "", false
	}
	copy(state[:], rest)
	length, rest, _ := bytes.Cut(rest[len(state):], []byte("\n"))
	n, err := strconv.Atoi(string(length))
	if err != nil || n < 0 || n > len(rest) {
		return "", false
	}
	files, listing := strings.Split(string(rest[:n]), "\x00"), string(rest[n:])
	return listing, stateOf(files, listing) == state
}

// parse reads the text of listing.
func parse(listing string) (items []item) {
	for listing != "" {
		key, rest, _ := strings.Cut(listing, "\n")
		value, rest, _ := strings.Cut(rest, "\x00")
		listing = rest
		items = append(items, item{key, value})
	}
	return items
}

// usualFiles returns the places that git-config(1) names, whether or not there is a file: the system's with any prefix
// git may have been built with.
func usualFiles(repo *refs.Repo) []string {
	files := []string{filepath.Join(repo.CommonDir, "config"), filepath.Join(repo.GitDir, "config.worktree")}
	if path := os.Getenv("GIT_CONFIG_SYSTEM"); path != "" {
		files = append(files, path)
	} else {
		files = append(files, SystemFiles("gitconfig")...)
	}
	if path := os.Getenv("GIT_CONFIG_GLOBAL"); path != "" {
		return append(files, path)
	}
	return append(files, UserFile("config"), homeFile(".gitconfig"))
}

// SystemFiles returns the places of a file that is the same for all users.
func SystemFiles(name string) []string {
	files := []string{"/etc/" + name, "/usr/local/etc/" + name, "/opt/homebrew/etc/" + name}
	if git, err := exec.LookPath("git"); err == nil {
		if real, err := filepath.EvalSymlinks(git); err == nil {
			files = append(files, filepath.Join(filepath.Dir(filepath.Dir(real)), "etc", name))
		}
	}
	return files
}

// UserFile returns a file in git's own directory of the user.
func UserFile(name string) string {
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

// otherFiles returns the files of a listing and their included files, also missing ones (git-config(1),
// "Includes"). ok is false if some are unknown.
func otherFiles(repo *refs.Repo, items []item, origins []string) (files []string, ok bool) {
	root := repo.Top()
	for i, it := range items {
		origin := origins[i]
		if origin != "" && !filepath.IsAbs(origin) {
			origin = filepath.Join(root, origin)
		}
		if origin != "" {
			files = append(files, origin)
		}
		if it.key == "include.path" || strings.HasPrefix(it.key, "includeif.") {
			file, ok := ExpandHome(it.value)
			if !ok {
				return nil, false
			}
			if !filepath.IsAbs(file) {
				file = filepath.Join(filepath.Dir(origin), file)
			}
			files = append(files, file)
		}
		if strings.HasPrefix(it.key, "includeif.onbranch:") {
			files = append(files, repo.HeadFile())
		}
	}
	slices.Sort(files)
	return slices.Compact(files), true
}

// ExpandHome expands "~/" as git does; ok is false for another user's home and for git's own prefix.
func ExpandHome(path string) (string, bool) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = homeFile(rest)
	}
	return path, path != "" && !strings.HasPrefix(path, "~") && !strings.HasPrefix(path, "%(")
}

// changedSince reports whether one of the files may have been written while a process ran, clocks being coarse.
func changedSince(files []string, started time.Time) bool {
	const slack = 2 * time.Second
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.ModTime().After(started.Add(-slack)) {
			return true
		}
	}
	return false
}

// stateOf returns a digest of all sources of the configuration, and of texts.
func stateOf(files []string, texts ...string) Digest {
	h := NewDigest()
	h.Text(GitProgram())
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if name == "HOME" || name == "XDG_CONFIG_HOME" || strings.HasPrefix(name, "GIT_CONFIG") {
			h.Text(entry)
		}
	}
	for _, file := range files {
		h.File(file)
	}
	for _, text := range texts {
		h.Text(text)
	}
	return h.Sum()
}
