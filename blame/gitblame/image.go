package gitblame

import (
	"bytes"
	"os"
	"path/filepath"
)

// Content returns the blamed content if some of its lines are uncommitted: the file in the work tree, or the file given
// by --contents, after the conversions of gitattributes(5). A blame that stops at HEAD prints it at the lowest cost.
// Git's output does not show whether the content ends in a newline, so this comes from the file.
func (s *Session) Content() ([]byte, error) {
	if s.image != nil {
		return s.image, nil
	}
	args := s.opts.gitArgs([]string{"--porcelain"}, formats, limits, names, ranges)
	image := []byte{}
	_, err := s.blame(append(args, "^HEAD", "--", s.target.file), Porcelain, func(e *Entry) error {
		image = append(append(image, e.Content...), '\n')
		return nil
	})
	if err != nil {
		return nil, err
	}
	if raw, ok := s.rawContent(); ok && !bytes.HasSuffix(raw, []byte("\n")) {
		image = bytes.TrimSuffix(image, []byte("\n"))
	}
	s.image = image
	return s.image, nil
}

// ContentOf returns a function that gives the blamed content. It joins the lines if they are complete, otherwise it
// asks git.
func (s *Session) ContentOf(lines []Line) func() ([]byte, error) {
	return func() ([]byte, error) {
		if s.opts.HasRange || s.image != nil {
			return s.Content()
		}
		var image []byte
		for i := range lines {
			image = append(append(image, lines[i].Content...), '\n')
		}
		if raw, ok := s.rawContent(); ok && !bytes.HasSuffix(raw, []byte("\n")) {
			image = bytes.TrimSuffix(image, []byte("\n"))
		}
		s.image = image
		return s.image, nil
	}
}

// rawContent returns the bytes of the file in the work tree, or of the file of --contents, which git reads relative to
// the top of the work tree.
func (s *Session) rawContent() ([]byte, bool) {
	file := s.path
	if s.opts.HasContents {
		if s.opts.Contents == "-" {
			return s.stdin, true
		}
		file = s.opts.Contents
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(s.repo.WorkTree, filepath.FromSlash(file))
	}
	if target, err := os.Readlink(file); err == nil && !s.opts.HasContents {
		return []byte(target), true
	}
	raw, err := os.ReadFile(file)
	return raw, err == nil
}
