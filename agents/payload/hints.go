package payload

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
)

// Command records the places that a command line may touch.
func Command(tool *events.ToolUse, line, cwd, home string) {
	tool.Hints, tool.Names = Hints(line, cwd, home), Names(line, cwd, home)
}

// maxHints is the greatest number of hints for one command.
const maxHints = 16

// Hints returns absolute paths that a shell command line may touch, best first: the directories to which it changes
// (`cd`, `git -C`), then absolute paths in it, then relative paths that lead into another directory. They help to find
// the repositories that a command may change, and prove nothing. The command line itself is not kept.
func Hints(line, cwd, home string) []string {
	h := hints{dir: cwd, home: home}
	eachCommand(line, h.command)
	var out []string
	for _, path := range slices.Concat(h.dirs, h.absolute, h.relative) {
		if len(out) == maxHints {
			break
		}
		if !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}

type hints struct {
	dir, home string // dir follows each `cd` in the line
	dirs      []string
	absolute  []string
	relative  []string
}

func (h *hints) command(words []string) {
	for len(words) > 0 && transparent(words[0]) {
		h.word(words[0])
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	args := words[1:]
	switch filepath.Base(words[0]) {
	case "cd", "pushd", "chdir":
		h.changeDir(args)
		return
	case "git":
		args = h.git(args)
	default:
		h.word(words[0])
	}
	for _, word := range args {
		h.word(word)
	}
}

// `transparent` reports whether the name of the command comes after this word.
func transparent(word string) bool {
	switch word {
	case "sudo", "env", "command", "exec", "nohup", "time", "builtin", "if", "then", "else", "elif", "while", "until",
		"do", "!", "{":
		return true
	}
	name, _, found := strings.Cut(word, "=")
	return found && name != "" && !strings.ContainsAny(name, "/-.")
}

func (h *hints) changeDir(args []string) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		if dir := h.resolve(arg); dir != "" {
			h.dir = dir
			h.dirs = append(h.dirs, dir)
		}
		return
	}
}

// git reads the -C options, each relative to the previous one as in git(1), and returns the other words.
func (h *hints) git(args []string) []string {
	at := *h
	for len(args) >= 2 && args[0] == "-C" {
		if dir := at.resolve(args[1]); dir != "" {
			at.dir = dir
		}
		args = args[2:]
	}
	if at.dir != h.dir {
		h.dirs = append(h.dirs, at.dir)
	}
	return args
}

// word finds a path in an argument, an assignment or an option with a value.
func (h *hints) word(word string) {
	if _, value, found := strings.Cut(word, "="); found {
		word = value
	}
	if !strings.Contains(word, "/") || len(h.absolute) >= maxHints && len(h.relative) >= maxHints {
		return
	}
	if glob := strings.IndexAny(word, "*?["); glob >= 0 {
		slash := strings.LastIndexByte(word[:glob], '/')
		if slash < 0 {
			return
		}
		word = word[:slash+1]
	}
	switch path := h.resolve(word); {
	case path == "":
	case filepath.IsAbs(word) || strings.HasPrefix(word, "~/"):
		h.absolute = append(h.absolute, path)
	default:
		h.relative = append(h.relative, path)
	}
}

// resolve returns the path of a word. It returns "" for a word that only the shell can expand, and for a place without
// repositories.
func (h *hints) resolve(word string) string {
	if word == "~" {
		word = "~/"
	}
	if strings.ContainsAny(word, "$`\n") || strings.Contains(word, "://") {
		return ""
	}
	path := Path(word, h.dir, h.home)
	if path == "" || path == filepath.Dir(path) {
		return ""
	}
	for _, root := range []string{"/dev", "/proc", "/sys"} {
		if path == root || strings.HasPrefix(path, root+"/") && !strings.HasPrefix(path, "/dev/shm/") {
			return ""
		}
	}
	return path
}
