package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/agents/shell"
	"github.com/git-trace/git-trace/refs"
)

// readLimit limits the size of hook files that are read. A larger file is not edited: our hook runs it.
const readLimit = 1 << 20

type hookFile struct {
	path    string
	exists  bool
	blocked bool        // a directory, a socket or similar is in the place of the file
	link    string      // target of the symbolic link, if it is one
	runs    bool        // git would run it (access(2) X_OK)
	mode    fs.FileMode // permission bits of the file, not of a link to it
	content []byte      // read through a link; nil if it is too long or the link is broken
	long    bool
	block   *block // our block; nil for a link or a long file
}

// readHook reads a hook file as git would, and finds our part in it. If there is an error, the block is nil.
func readHook(path string) (hookFile, error) {
	f := hookFile{path: path}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, fmt.Errorf("look at %s: %w", path, refs.PathCause(err))
	}
	f.exists, f.mode = true, info.Mode().Perm()
	if info.Mode()&fs.ModeSymlink != 0 {
		if f.link, err = os.Readlink(path); err != nil {
			return f, fmt.Errorf("look at %s: %w", path, refs.PathCause(err))
		}
		if info, err = os.Stat(path); err != nil {
			return f, nil //nolint:nilerr // dangling: git ignores it
		}
	}
	if !info.Mode().IsRegular() {
		f.blocked = true
		return f, nil
	}
	f.runs = runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0
	if f.content, f.long, err = readHead(path); err != nil {
		return f, fmt.Errorf("read %s: %w", path, refs.PathCause(err))
	}
	if f.link == "" && !f.long {
		if f.block, err = findBlock(f.content); err != nil {
			return f, fmt.Errorf("%s: %w", path, err)
		}
	}
	return f, nil
}

func readHead(path string) (content []byte, long bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = file.Close() }()
	content, err = io.ReadAll(io.LimitReader(file, readLimit+1))
	if len(content) > readLimit {
		return nil, true, err
	}
	return content, false, err
}

// joinKind decides how our part is combined with another program's hook.
func (f hookFile) joinKind() kind {
	switch {
	case !f.runs || f.long || !isShellScript(f.content):
		return chain
	case f.link != "":
		return source
	}
	return insert
}

// shebang returns the "#!" line with its line end, or "".
func shebang(content []byte) string {
	line, _, ok := bytes.Cut(content, []byte("\n"))
	if !ok || !bytes.HasPrefix(line, []byte("#!")) {
		return ""
	}
	return string(line) + "\n"
}

// isShellScript reports whether lines of POSIX shell can follow the first line: they must run first, and the rest must
// work as before. If that is not certain, it returns false: then our hook runs the unchanged file.
func isShellScript(content []byte) bool {
	if bytes.IndexByte(content, 0) >= 0 || bytes.HasPrefix(content, []byte("\xef\xbb\xbf")) || readsItself(content) {
		return false
	}
	line := shebang(content)
	switch {
	case line != "":
		return isShell(strings.TrimSuffix(line[2:], "\n"))
	case bytes.HasPrefix(content, []byte("#!")): // there is only a "#!" line
		return false
	}
	// Without "#!" the system does not run the file, and git starts it with sh. The same is true for an empty file.
	return runtime.GOOS != "windows"
}

var (
	shells = []string{"sh", "bash", "dash", "ash", "ksh", "ksh93", "mksh", "zsh", "yash"}
	// Options that do not affect our lines, so not -n, -r (no redirection), -s, -c, -i and -a.
	shellOption = pattern(`^(-[efhluvxpBC]+|--(posix|norc|noprofile|login))$`)
	assignment  = pattern(`^[A-Za-z_][A-Za-z0-9_]*=`)
)

// isShell parses the interpreter line after "#!".
func isShell(line string) bool {
	if strings.HasSuffix(line, "\r") {
		if runtime.GOOS != "windows" {
			return false // with a carriage return, the system searches for a program whose name contains it, and fails
		}
		line = strings.TrimSuffix(line, "\r")
	}
	words := strings.Fields(line)
	if len(words) > 1 && interpreter(words[0]) == "env" {
		words = words[1:]
		if words[0] == "-S" {
			words = words[1:]
		}
		for len(words) > 0 && assignment().MatchString(words[0]) {
			words = words[1:]
		}
	}
	if len(words) > 1 && interpreter(words[0]) == "busybox" {
		words = words[1:]
	}
	if len(words) == 0 || !slices.Contains(shells, interpreter(words[0])) {
		return false
	}
	for _, option := range words[1:] {
		if !shellOption().MatchString(option) {
			return false
		}
	}
	return true
}

func interpreter(word string) string {
	return strings.TrimSuffix(filepath.Base(word), ".exe")
}

var (
	ownPlace = pattern(`\b(dirname|basename|realpath|readlink( +-\w+)?) +(-- +)?"?\$(0|\{0\})`)
	ownText  = pattern(`(?m)(\b(exec|eval|source|tail|sed|awk|gawk|head|grep|cat|cut|sh|bash|zsh|ksh|env|wish|tclsh|` +
		`expect|node|php|lua|python[0-9.]*|perl|ruby)\b|(^|[\s;&|(])\.\s).*(\$0\b|\$\{0\}|\bBASH_SOURCE\b)`)
)

// readsItself reports whether a script passes its own file to a program. Examples are self-extracting scripts, and
// scripts with two lines of shell followed by another language. Such a program would read our lines too.
func readsItself(content []byte) bool {
	return ownText().Match(ownPlace().ReplaceAll(content, nil))
}

var (
	usesName   = pattern(`\bbasename\b|\bPROGRAM_NAME\b|\bargv\b|\bARGV0\b|__filename|\$0\b|\$\{0`)
	usesFolder = pattern(`\bdirname\b|__file__|__dir__|__dirname|\bFindBin\b|require_relative`)
)

// pattern returns a regular expression that is compiled at its first use, because every hook starts this program and
// few hooks need one.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// asideDir is the directory for a renamed hook that keeps its file name, for hooks that read the name of their own
// file.
const asideDir = "git-trace-saved"

// asideSuffix is the suffix of a renamed hook that stays in its directory, for hooks that need files in the same
// directory.
const asideSuffix = ".git-trace-saved"

// asideName returns the new path of a hook that is renamed, relative to the hooks directory. A program may need its
// file name or its directory, but can keep only one of them. asideName keeps the one that the program seems to use.
func (f hookFile) asideName() string {
	name := filepath.Base(f.path)
	binary := f.long || bytes.IndexByte(f.content, 0) >= 0
	if f.runs && (binary || usesName().Match(f.content) &&
		(!usesFolder().Match(f.content) || bytes.Contains(f.content, []byte("basename")))) {
		return asideDir + "/" + name
	}
	return name + asideSuffix
}

// asideWord returns a shell word for the path of the renamed hook. It is relative to the hook's own path, so it stays
// valid if the repository moves.
func asideWord(asideName string) string { return `"${0%/*}"/` + shell.Quote(asideName) }

// manager returns the name of the program that seems to have made a hook file, or "" for the user or an unknown tool.
func manager(content []byte) string {
	for _, m := range [...]struct{ name, trace string }{
		{"lefthook", "call_lefthook"}, {"pre-commit", "File generated by pre-commit"}, {"prek", "File generated by prek"},
		{"git-lfs", "git lfs "}, {"husky", `$(dirname "$0")/h"`}, {"husky", "husky.sh"}, {"overcommit", "overcommit"},
		{"simple-git-hooks", "SIMPLE_GIT_HOOKS"}, {"yorkie", "yorkie"},
	} {
		if bytes.Contains(content, []byte(m.trace)) {
			return m.name
		}
	}
	return ""
}
