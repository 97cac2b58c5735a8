package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
)

// screen is the output of a command for people: the terminal, perhaps through a pager, or redirected standard output.
type screen struct {
	Out      io.Writer
	Color    bool
	Width    int  // in columns
	Terminal bool // output goes to a terminal
	Whole    bool // a program reads the output, so no text is cut
	// Config is git's configuration, if it has been read.
	Config *refs.Config

	pager *pager
	calm  *calmWriter // nil if no CI reads the output
}

// defaultWidth is the width in columns if it is unknown.
const defaultWidth = 80

// screen opens the screen, with a pager if git would start one. when is the value of --color: always, never, auto, or
// "", which means the configuration. The caller closes the screen, and returns the error of Close.
func (a *app) screen(repo *refs.Repo, when string) (*screen, error) {
	s, err := a.openScreen(repo, when)
	if err == nil && inCI() {
		s.calm = &calmWriter{to: s.Out}
		s.Out = s.calm
	}
	return s, err
}

// lateScreen opens the screen of a command that starts git at the same time. Without a terminal it does not read the
// configuration. colorIn then reports whether a configuration wants colour.
func (a *app) lateScreen(repo *refs.Repo) (s *screen, colorIn func(refs.Config) bool, err error) {
	if _, terminal := terminalOf(a.std.out); terminal || os.Getenv("GIT_PAGER_IN_USE") == "true" {
		s, err = a.screen(repo, "")
		return s, nil, err
	}
	s, err = a.screen(nil, "")
	return s, func(c refs.Config) bool { return wantsColour(c, true, false) }, err
}

// asIs makes the screen write lines unchanged, for formats of programs and for patches.
func (s *screen) asIs() *screen {
	if s.calm != nil {
		s.Out = s.calm.to
	}
	return s
}

func (a *app) openScreen(repo *refs.Repo, when string) (*screen, error) {
	s, config, err := a.plainScreen(repo, when)
	if err != nil || !s.Terminal || os.Getenv("GIT_PAGER_IN_USE") == "true" {
		return s, err
	}
	file, ok := fileOf(a.std.out)
	if !ok {
		return s, nil
	}
	if command := pagerCommand(config); command != "" {
		errors, _ := fileOf(a.std.err)
		if s.pager = startPager(command, file, errors); s.pager != nil {
			a.signals.leave()
			a.line.end()
			s.Out = a.folded(s.pager)
		}
	}
	return s, nil
}

// plainScreen opens the screen without a pager. It reads the configuration only if a terminal or the colour may need
// it.
func (a *app) plainScreen(repo *refs.Repo, when string) (*screen, refs.Config, error) {
	s := &screen{Out: quietly(a.std.out), Width: defaultWidth}
	var columns int
	if columns, s.Terminal = terminalOf(a.std.out); columns > 0 {
		s.Width = columns
	}
	// For `git -p trace …` and with pager.trace, git starts the pager, and sets these variables.
	s.Terminal = s.Terminal || os.Getenv("GIT_PAGER_IN_USE") == "true"
	n := columnsSet()
	if n > 0 {
		s.Width = n
	}
	s.Whole = !s.Terminal && n == 0
	if repo != nil && (s.Terminal || when == "") {
		config, err := repo.Config(a.life)
		if err != nil {
			return nil, refs.Config{}, err
		}
		s.Config = &config
	}
	var config refs.Config
	if s.Config != nil {
		config = *s.Config
	}
	switch when {
	case "always":
		s.Color = true
	case "never":
	case "auto", "":
		s.Color = wantsColour(config, when == "", s.Terminal)
	default:
		return nil, config, exit.Usage("--color takes always, never or auto, not '%s'", when)
	}
	return s, config, nil
}

func (s *screen) cut(text string, room int) string {
	if s.Whole {
		return text
	}
	return cells.Cut(text, room)
}

// cutLeft cuts the beginning of a text whose end says more, such as a path.
func (s *screen) cutLeft(text string, room int) string {
	if s.Whole {
		return text
	}
	return cells.CutLeft(text, room)
}

// columnsSet returns the screen's width from the environment; 0 if it is not set.
func columnsSet() int {
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// wantsColour decides as git does (color.ui in git-config(1)). NO_COLOR overrides the configuration, and --color
// overrides both.
func wantsColour(config refs.Config, configured, terminal bool) bool {
	value, set := config.Get("color.ui")
	switch {
	case os.Getenv("NO_COLOR") != "":
		return false
	case configured && set && strings.EqualFold(value, "always"):
		return true
	case configured && set && (strings.EqualFold(value, "never") || !config.Bool("color.ui", true)):
		return false
	}
	if os.Getenv("GIT_PAGER_IN_USE") == "true" && !config.Bool("color.pager", true) {
		return false
	}
	return terminal && os.Getenv("TERM") != "dumb"
}

// terminalOf is terminalWidth for any writer.
func terminalOf(w io.Writer) (columns int, ok bool) {
	if file, isFile := fileOf(w); isFile {
		return terminalWidth(file)
	}
	return 0, false
}

// Close waits until the reader has closed the pager.
func (s *screen) Close() error {
	var err error
	if s.calm != nil {
		err = s.calm.flush()
	}
	if s.pager == nil {
		return err
	}
	return errors.Join(err, s.pager.Close())
}

// stickyWriter keeps the first write error.
type stickyWriter struct {
	io.Writer
	err error
}

func (s *stickyWriter) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.Writer.Write(p)
	s.err = err
	return n, err
}

// quietly returns a writer that ends a command without a message if the reader of its pipe has ended.
func quietly(w io.Writer) io.Writer { return quietWriter{w} }

// quietWriter writes to a pipe whose reader may end.
type quietWriter struct {
	w io.Writer
}

func (q quietWriter) Write(p []byte) (int, error) {
	n, err := q.w.Write(p)
	if err != nil && closedByReader(err) {
		return n, fmt.Errorf("%w: %w", exit.Silent(exit.Done), err)
	}
	return n, err
}

func closedByReader(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed)
}
