package recorded

import (
	"crypto/subtle"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// entry is the entry of one repository in the list.
type entry struct {
	GitDir string    // real path of the common git directory
	Since  time.Time // when it was added
	id     identity
	mark   string
	tops   []string // real paths of the work trees that are not linked ones

	enrolled bool // added by setup, not by a person
}

// identity identifies a directory within its file system.
type identity struct {
	device, inode uint64
	born          int64 // time of birth in nanoseconds; 0 if unknown
}

// form is the first line of every file of the list.
const form = "git-trace recorded repository 1\n"

// encode returns the content of the file. Paths are quoted as Go strings in ASCII, because they may contain any bytes.
func (e *entry) encode() []byte {
	var b strings.Builder
	b.WriteString(form)
	fmt.Fprintf(&b, "git-dir %s\n", strconv.QuoteToASCII(e.GitDir))
	fmt.Fprintf(&b, "device %d\ninode %d\nmark %s\n", e.id.device, e.id.inode, e.mark)
	if e.id.born != 0 {
		fmt.Fprintf(&b, "born %d\n", e.id.born)
	}
	for _, top := range e.tops {
		fmt.Fprintf(&b, "work-tree %s\n", strconv.QuoteToASCII(top))
	}
	if e.enrolled {
		b.WriteString("enrolled\n")
	}
	fmt.Fprintf(&b, "since %s\n", e.Since.Format(time.RFC3339))
	return []byte(b.String())
}

// decode parses the content of the file. It skips lines of later versions.
func decode(text string) (*entry, error) {
	rest, ok := strings.CutPrefix(text, form)
	if !ok {
		return nil, fmt.Errorf("read the list of recorded repositories: unknown form")
	}
	e := &entry{}
	for line := range strings.Lines(rest) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		var err error
		switch key {
		case "git-dir":
			e.GitDir, err = strconv.Unquote(value)
		case "work-tree":
			var top string
			top, err = strconv.Unquote(value)
			e.tops = append(e.tops, top)
		case "device":
			e.id.device, err = strconv.ParseUint(value, 10, 64)
		case "inode":
			e.id.inode, err = strconv.ParseUint(value, 10, 64)
		case "born":
			e.id.born, err = strconv.ParseInt(value, 10, 64)
		case "mark":
			e.mark = value
		case "enrolled":
			e.enrolled = true
		case "since":
			e.Since, err = time.Parse(time.RFC3339, value)
		}
		if err != nil {
			return nil, fmt.Errorf("read the list of recorded repositories: %s: %w", key, err)
		}
	}
	if e.GitDir == "" || len(e.mark) != 2*markSize {
		return nil, fmt.Errorf("read the list of recorded repositories: incomplete entry")
	}
	return e, nil
}

// read returns the entry of the repository whose common git directory has this real path. It searches the places of the
// list in order.
func read(common string) (*entry, error) {
	err := ErrNoPlace
	for _, state := range stateDirs() {
		var e *entry
		if e, err = readEntry(filepath.Join(state, "recorded", name(common))); err == nil && e.matches(common) {
			return e, nil
		}
	}
	if e := takeOver(common); e != nil {
		return e, nil
	}
	if err == nil {
		err = ErrUnlisted
	}
	return nil, err
}

func readEntry(path string) (*entry, error) {
	text, err := readSmall(path)
	if err != nil {
		return nil, err
	}
	return decode(string(text))
}

// `matches` reports whether the entry is about this directory.
func (e *entry) matches(common string) bool {
	id, err := identify(common)
	return err == nil && id.inode == e.id.inode && subtle.ConstantTimeCompare([]byte(readMark(common)),
		[]byte(e.mark)) == 1
}

// `leads` reports whether the repository knows the way by which it was found. The .git of a work tree must be the git
// directory itself, or point to a git directory that points back. A linked work tree points back with its gitdir file
// (gitrepository-layout(5)). For a main work tree, the entry lists the path that was used when the repository was
// added. If git's variables named the repository, git itself uses it, and no check is needed.
func (e *entry) leads(found *refs.Found) bool {
	linked := found.GitDir != found.CommonDir
	if linked && filepath.Dir(found.GitDir) != filepath.Join(found.CommonDir, "worktrees") {
		return false
	}
	switch {
	case found.Named:
		return true
	case found.Top == "": // a bare layout
		return false
	case linked:
		return pointsBack(found)
	case found.GitDir == filepath.Join(found.Top, ".git"):
		return true
	}
	return slices.Contains(e.tops, found.Top)
}

// pointsBack reports whether the git directory of a linked work tree names the .git file that led to it.
func pointsBack(found *refs.Found) bool {
	text, err := readSmall(filepath.Join(found.GitDir, "gitdir"))
	if err != nil {
		return false
	}
	back := strings.TrimRight(string(text), "\r\n")
	if !filepath.IsAbs(back) {
		back = filepath.Join(found.GitDir, back)
	}
	if filepath.Base(back) != ".git" {
		return false
	}
	top := filepath.Dir(back)
	if top == found.Top {
		return true
	}
	real, err := filepath.EvalSymlinks(top)
	return err == nil && real == found.Top
}

// maxFile limits the size of a file of the list, in bytes.
const maxFile = 1 << 20

// readSmall reads a file if it is regular, because reading a FIFO would block.
func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrInvalid}
	}
	return refs.ReadStart(path, maxFile)
}
