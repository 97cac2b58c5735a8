package lookup

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/route"
)

// FileLines is a range of lines of a file, as an argument names it.
type FileLines struct {
	Name        string
	First, Last int
}

// LinesOf parses "<path>:<line>" and "<path>:<line>-<line>". The second result is false for any other argument.
func LinesOf(arg string) (FileLines, bool, error) {
	m := lineRange().FindStringSubmatch(arg)
	if m == nil {
		return FileLines{}, false, nil
	}
	p := FileLines{Name: m[1]}
	p.First, _ = strconv.Atoi(m[2])
	p.Last = p.First
	if m[3] != "" {
		p.Last, _ = strconv.Atoi(m[3])
	}
	if p.First < 1 || p.Last < p.First {
		return p, true, exit.Fail(exit.Misuse, fmt.Errorf("'%s' names no lines", cells.Message(arg)),
			"lines are counted from 1")
	}
	return p, true, nil
}

// lineRange matches "<path>:<line>" and "<path>:<line>-<line>".
var lineRange = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.+):(\d+)(?:-(\d+))?$`) })

// LooksLikePath reports whether an argument looks like the name of a file, and not like an id.
func LooksLikePath(name string) bool {
	_, err := os.Lstat(name)
	return err == nil || strings.ContainsAny(name, "/.") && !strings.HasPrefix(name, "b3")
}

// PathInside returns a file argument in git's form, relative to the top of the work tree.
func PathInside(repo *refs.Repo, name string) (string, error) {
	if repo.Bare() {
		return filepath.ToSlash(filepath.Clean(name)), nil
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	rel, ok := route.Relative(repo, abs)
	if !ok {
		return "", exit.Fail(exit.Git, fmt.Errorf("'%s' is outside of the work tree", name), "")
	}
	return rel, nil
}
