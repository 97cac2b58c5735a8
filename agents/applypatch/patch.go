package applypatch

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// The lines of a patch that are not content.
const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
	addFile    = "*** Add File: "
	updateFile = "*** Update File: "
	deleteFile = "*** Delete File: "
	moveTo     = "*** Move to: "
	endOfFile  = "*** End of File"
)

// Declare lists the paths that a patch writes and, hunk by hunk, the texts that it replaces and puts in their place. A
// file that is moved is declared under both names, its hunks under the new one. Relative paths are below dir.
func Declare(patch, dir, home string) (paths []string, edits []events.DeclaredEdit) {
	p := patchReader{dir: dir, home: home}
	for line := range strings.Lines(patch) {
		p.line(strings.TrimRight(line, "\r\n"))
	}
	p.endHunk()
	return p.paths, p.edits
}

type patchReader struct {
	dir, home string
	path      string // of the file at hand
	old, new  strings.Builder
	paths     []string
	edits     []events.DeclaredEdit
}

func (p *patchReader) line(line string) {
	for _, head := range []string{addFile, updateFile, deleteFile, moveTo} {
		if name, found := strings.CutPrefix(line, head); found {
			p.endHunk()
			p.file(strings.TrimSpace(name))
			return
		}
	}
	switch {
	case strings.HasPrefix(line, "@@"), line == beginPatch, line == endPatch:
		p.endHunk()
	case line == endOfFile || p.path == "":
	case line == "": // an empty line of context, whose blank was cut off
		p.context("")
	case line[0] == '+':
		p.new.WriteString(line[1:] + "\n")
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

func (p *patchReader) file(name string) {
	p.path = payload.Path(name, p.dir, p.home)
	if p.path != "" && !slices.Contains(p.paths, p.path) {
		p.paths = append(p.paths, p.path)
	}
}

func (p *patchReader) endHunk() {
	if p.path != "" && p.old.Len()+p.new.Len() > 0 {
		p.edits = append(p.edits, events.DeclaredEdit{Path: p.path, Old: p.old.String(), New: p.new.String()})
	}
	p.old.Reset()
	p.new.Reset()
}

// Command finds the patch in a command that does nothing but apply one: `apply_patch <<'EOF'`, perhaps after `cd DIR
// &&`. Codex takes such a command for a call of apply_patch and reports no end of it.
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
	if !closed || delimiter == "" || strings.TrimSpace(after) != "" || !strings.Contains(patch, beginPatch) {
		return "", "", false
	}
	return patch, dir, true
}
