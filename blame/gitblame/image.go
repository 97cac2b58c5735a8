package gitblame

import (
	"bytes"
	"os"
	"path/filepath"
)

// Content returns the blamed content as git sees it when lines of it are in no commit: what the work tree has, or
// --contents gave, after the conversions of gitattributes(5). Git is asked for it with the cheapest blame there is, one
// that stops at HEAD; only whether the last line ends in a newline is not in its output and comes from the file.
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

// ContentOf takes the content from the lines if they are complete, otherwise from git.
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

// rawContent returns the file in the work tree, or the file of --contents, which git reads from the top of the work
// tree.
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
