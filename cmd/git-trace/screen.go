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
	"github.com/git-trace/git-trace/refs"
)

// screen is the output of a command for people: the terminal, through a pager or not, or the redirected standard
// output.
type screen struct {
	Out      io.Writer
	Color    bool
	Width    int  // in columns
	Terminal bool // the output goes to a terminal
	Whole    bool // a program reads along: no text of a line is cut
	// Config is git's configuration, if it was read.
	Config *refs.Config

	pager *pager
	calm  *calmWriter // nil where no program of a CI reads along
}

// defaultWidth is the width of a screen whose width is unknown.
const defaultWidth = 80

// screen opens the screen with a pager, if git would start one. when is the value of --color: always, never, auto,
// or nothing, which leaves it to the configuration. The caller closes the screen and returns the error of closing.
func (a *app) screen(repo *refs.Repo, when string) (*screen, error) {
	s, err := a.openScreen(repo, when)
	if err == nil && inCI() {
		s.calm = &calmWriter{to: s.Out}
		s.Out = s.calm
	}
	return s, err
}

// lateScreen returns the screen of a command during which git is running. Without a terminal the configuration is not
// read here: colorIn then reports whether it wants colour.
func (a *app) lateScreen(repo *refs.Repo) (s *screen, colorIn func(refs.Config) bool, err error) {
	if _, terminal := terminalOf(a.std.out); terminal || os.Getenv("GIT_PAGER_IN_USE") == "true" {
		s, err = a.screen(repo, "")
		return s, nil, err
	}
	s, err = a.screen(nil, "")
	return s, func(c refs.Config) bool { return wantsColour(c, true, false) }, err
}

// asIs makes the screen write lines unchanged: forms for programs, and patches.
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

// plainScreen opens the screen without a pager. The configuration is read only if the terminal needs it, or colour
// might.
func (a *app) plainScreen(repo *refs.Repo, when string) (*screen, refs.Config, error) {
	s := &screen{Out: quietWriter{a.std.out}, Width: defaultWidth}
	var columns int
	if columns, s.Terminal = terminalOf(a.std.out); columns > 0 {
		s.Width = columns
	}
	// Git starts the pager itself for `git -p trace …` and with pager.trace; then it sets these variables.
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
		return nil, config, usage("--color takes always, never or auto, not '%s'", when)
	}
	return s, config, nil
}

func (s *screen) cut(text string, room int) string {
	if s.Whole {
		return text
	}
	return cells.Cut(text, room)
}

// cutLeft cuts text whose end says more, such as a path.
func (s *screen) cutLeft(text string, room int) string {
	if s.Whole {
		return text
	}
	return cells.CutLeft(text, room)
}

// columnsSet returns the screen's width from the environment, 0 without one.
func columnsSet() int {
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// wantsColour decides as git does (color.ui in git-config(1)). NO_COLOR outranks the configuration, and --color both.
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

// terminalOf is terminalWidth for a writer that need not be a file.
func terminalOf(w io.Writer) (columns int, ok bool) {
	if file, isFile := fileOf(w); isFile {
		return terminalWidth(file)
	}
	return 0, false
}

// Close waits until the reader has left the pager.
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

// stickyWriter keeps the first error of writing.
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

// quietWriter ends a command silently when the reader of its pipe has ended.
type quietWriter struct {
	w io.Writer
}

func (q quietWriter) Write(p []byte) (int, error) {
	n, err := q.w.Write(p)
	if err != nil && closedByReader(err) {
		return n, fmt.Errorf("%w: %w", silent(exitDone), err)
	}
	return n, err
}

func closedByReader(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed)
}
