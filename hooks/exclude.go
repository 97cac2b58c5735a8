package hooks

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A hooks directory inside the work tree (core.hooksPath = .githooks) gets files of ours that nobody should commit:
// they are listed in $GIT_COMMON_DIR/info/exclude, between the same markers, at its top, so that the user's own lines
// decide.

func (in Installer) excludePath() string { return filepath.Join(in.Repo.CommonDir, "info", "exclude") }

// planExclude hides the hooks that we make in the work tree.
func (in Installer) planExclude(p *plan, s site) error {
	if len(s.open) == 0 {
		return nil
	}
	rel, err := filepath.Rel(s.keeper.WorkTree, realPath(s.dir))
	if err != nil {
		return named(err, "exclude", s.dir)
	}
	old, rest, err := in.readExclude()
	if err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString(beginMark + "\n")
	for _, hook := range s.open {
		text.WriteString("/" + escapePattern(filepath.ToSlash(filepath.Join(rel, hook))) + "\n")
	}
	text.WriteString(endMark + "\n")
	data := append([]byte(text.String()), rest...)
	if bytes.Equal(data, old) {
		return nil
	}
	p.add(Action{Path: in.excludePath(), What: "list the new hooks in", Why: s.dir + " is part of the work tree"},
		&writeFile{path: in.excludePath(), data: data, mode: in.excludeMode()})
	return nil
}

// planUnexclude takes our lines out again.
func (in Installer) planUnexclude(p *plan) error {
	old, rest, err := in.readExclude()
	if err != nil || bytes.Equal(old, rest) {
		return err
	}
	a := Action{Path: in.excludePath(), What: "take the marked block out of"}
	if len(rest) == 0 {
		p.add(a, &removeFile{path: in.excludePath()})
		return nil
	}
	p.add(a, &writeFile{path: in.excludePath(), data: rest, mode: in.excludeMode()})
	return nil
}

// readExclude returns the file as it is and without our part. Damaged markers are left alone.
func (in Installer) readExclude() (content, rest []byte, err error) {
	content, err = os.ReadFile(in.excludePath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, named(err, "read", in.excludePath())
	}
	if rest, err = stripBlocks(content); err != nil {
		rest = content
	}
	return content, rest, nil
}

func (in Installer) excludeMode() fs.FileMode {
	if info, err := os.Stat(in.excludePath()); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}

// escapePattern makes a pattern of gitignore(5) that matches one path.
func escapePattern(path string) string {
	escaped := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
	if trimmed := strings.TrimRight(escaped, " "); trimmed != escaped {
		escaped = trimmed + strings.Repeat(`\ `, len(escaped)-len(trimmed))
	}
	return escaped
}
