package applypatch

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// Begin is the first line of a patch.
const Begin = "*** Begin Patch"

// The other lines of a patch that are not content.
const (
	endPatch   = "*** End Patch"
	addFile    = "*** Add File: "
	updateFile = "*** Update File: "
	deleteFile = "*** Delete File: "
	moveTo     = "*** Move to: "
	endOfFile  = "*** End of File"
)

// File is the change of one file in a patch.
type File struct {
	Path  string // path in the patch's spelling
	To    string // the new name of a file that is moved
	Added bool
	Hunks []Hunk
}

// Hunk replaces a text.
type Hunk struct{ Old, New string }

// Files decodes a patch, file by file.
func Files(patch string) []File {
	var p patchReader
	for line := range strings.Lines(patch) {
		p.line(strings.TrimRight(line, "\r\n"))
	}
	p.endHunk()
	return p.files
}

// Declare returns the paths that a patch writes, and the old and new text of each hunk. A moved file is declared under
// both names; its hunks belong to the new name. Relative paths are joined with dir.
func Declare(patch, dir, home string) (paths []string, edits []events.DeclaredEdit) {
	for _, f := range Files(patch) {
		path := ""
		for _, name := range []string{f.Path, f.To} {
			if name == "" {
				continue
			}
			if path = payload.Path(name, dir, home); path != "" && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
		for _, h := range f.Hunks {
			if path != "" {
				edits = append(edits, events.DeclaredEdit{Path: path, Old: h.Old, New: h.New})
			}
		}
	}
	return paths, edits
}

type patchReader struct {
	files    []File
	old, new strings.Builder
}

func (p *patchReader) line(line string) {
	for _, head := range []string{addFile, updateFile, deleteFile} {
		if name, found := strings.CutPrefix(line, head); found {
			p.endHunk()
			p.files = append(p.files, File{Path: strings.TrimSpace(name), Added: head == addFile})
			return
		}
	}
	if len(p.files) == 0 {
		return
	}
	f := &p.files[len(p.files)-1]
	if name, found := strings.CutPrefix(line, moveTo); found {
		p.endHunk()
		f.To = strings.TrimSpace(name)
		return
	}
	switch {
	case strings.HasPrefix(line, "@@"), line == Begin, line == endPatch:
		p.endHunk()
	case line == endOfFile:
	case strings.HasPrefix(line, "+"):
		p.new.WriteString(line[1:] + "\n")
	case f.Added: // all lines are new
	case line == "": // an empty context line whose leading space was removed
		p.context("")
	case line[0] == '-':
		p.old.WriteString(line[1:] + "\n")
	case line[0] == ' ':
		p.context(line[1:])
	}
}

func (p *patchReader) context(line string) {
	p.old.WriteString(line + "\n")
	p.new.WriteString(line + "\n")
}

func (p *patchReader) endHunk() {
	if n := len(p.files); n > 0 && p.old.Len()+p.new.Len() > 0 {
		p.files[n-1].Hunks = append(p.files[n-1].Hunks, Hunk{p.old.String(), p.new.String()})
	}
	p.old.Reset()
	p.new.Reset()
}

// Command returns the patch in a command that only applies one: `apply_patch <<'EOF'`, possibly after `cd DIR &&`.
// Codex treats such a command as a call of apply_patch and does not report its end.
func Command(command, cwd, home string) (patch, dir string, found bool) {
	first, body, _ := strings.Cut(strings.TrimSpace(command), "\n")
	dir = cwd
	if rest, isCd := strings.CutPrefix(first, "cd "); isCd {
		to, after, both := strings.Cut(rest, "&&")
		if !both {
			return "", "", false
		}
		dir = payload.Path(strings.Trim(strings.TrimSpace(to), `'"`), cwd, home)
		first = strings.TrimSpace(after)
	}
	name, delimiter, isHeredoc := strings.Cut(first, "<<")
	if name = strings.TrimSpace(name); !isHeredoc || (name != "apply_patch" && name != "applypatch") {
		return "", "", false
	}
	delimiter = strings.Trim(strings.TrimSpace(delimiter), `'"`)
	patch, after, closed := strings.Cut(body+"\n", "\n"+delimiter+"\n")
	if !closed || delimiter == "" || strings.TrimSpace(after) != "" || !strings.Contains(patch, Begin) {
		return "", "", false
	}
	return patch, dir, true
}
