package terminal

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

// Screen is the output of a command for people: the terminal, perhaps through a pager, or redirected standard output.
type Screen struct {
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

// Output holds the streams of a command, and the settings for its screen.
type Output struct {
	Out, Err io.Writer
	Fold     int                         // the column at which lines are broken, or 0 for never
	Config   func() (refs.Config, error) // nil if there is no repository
	Leave    func()                      // called when a pager takes the terminal
}

// Open opens the screen, with a pager if git would start one. The parameter `when` is the value of --color: always,
// never, auto, or "", which means the configuration. The caller closes the screen, and returns the error of Close.
func (o Output) Open(when string) (*Screen, error) {
	s, err := o.openPaged(when)
	if err == nil && inCI() {
		s.calm = &calmWriter{to: s.Out}
		s.Out = s.calm
	}
	return s, err
}

// OpenLate opens the screen of a command that starts git at the same time. Without a terminal it does not read the
// configuration. The result `colorIn` then reports whether a configuration wants colour.
func (o Output) OpenLate() (s *Screen, colorIn func(refs.Config) bool, err error) {
	if Is(o.Out) || os.Getenv("GIT_PAGER_IN_USE") == "true" {
		s, err = o.Open("")
		return s, nil, err
	}
	o.Config = nil
	s, err = o.Open("")
	return s, func(c refs.Config) bool { return wantsColour(c, true, false) }, err
}

// AsIs makes the screen write lines unchanged, for formats of programs and for patches.
func (s *Screen) AsIs() *Screen {
	if s.calm != nil {
		s.Out = s.calm.to
	}
	return s
}

func (o Output) openPaged(when string) (*Screen, error) {
	s, config, err := o.Plain(when)
	if err != nil || !s.Terminal || os.Getenv("GIT_PAGER_IN_USE") == "true" {
		return s, err
	}
	file, ok := File(o.Out)
	if !ok {
		return s, nil
	}
	if command := pagerCommand(config); command != "" {
		errors, _ := File(o.Err)
		if s.pager = startPager(command, file, errors); s.pager != nil {
			o.Leave()
			s.Out = Fold(s.pager, o.Fold)
		}
	}
	return s, nil
}

// Plain opens the screen without a pager. It reads the configuration only if a terminal or the colour may need
// it.
func (o Output) Plain(when string) (*Screen, refs.Config, error) {
	s := &Screen{Out: Quietly(o.Out), Width: defaultWidth}
	var columns int
	if columns, s.Terminal = Width(o.Out); columns > 0 {
		s.Width = columns
	}
	// For `git -p trace …` and with pager.trace, git starts the pager, and sets these variables.
	s.Terminal = s.Terminal || os.Getenv("GIT_PAGER_IN_USE") == "true"
	n := columnsSet()
	if n > 0 {
		s.Width = n
	}
	s.Whole = !s.Terminal && n == 0
	if o.Config != nil && (s.Terminal || when == "") {
		config, err := o.Config()
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

func (s *Screen) Cut(text string, room int) string {
	if s.Whole {
		return text
	}
	return cells.Cut(text, room)
}

// CutLeft cuts the beginning of a text whose end says more, such as a path.
func (s *Screen) CutLeft(text string, room int) string {
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

// wantsColour decides as git does (color.ui in git-config(1)). NO_COLOR overrides the configuration. Plain handles
// --color=always and --color=never, which override both.
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

// Width reports whether a writer is a terminal, and its number of columns; 0 if unknown.
func Width(w io.Writer) (columns int, ok bool) {
	if file, isFile := File(w); isFile {
		return terminalWidth(file)
	}
	return 0, false
}

// `Is` reports whether a writer is a terminal.
func Is(w io.Writer) bool {
	_, is := Width(w)
	return is
}

// Close writes an incomplete last line that was held back, and waits until the reader has closed the pager.
func (s *Screen) Close() error {
	var err error
	if s.calm != nil {
		err = s.calm.flush()
	}
	if s.pager == nil {
		return err
	}
	return errors.Join(err, s.pager.Close())
}

// StickyWriter keeps the first write error.
type StickyWriter struct {
	io.Writer
	Err error
}

func (s *StickyWriter) Write(p []byte) (int, error) {
	if s.Err != nil {
		return 0, s.Err
	}
	n, err := s.Writer.Write(p)
	s.Err = err
	return n, err
}

// Quietly returns a writer that ends a command without a message if the reader of its pipe has ended.
func Quietly(w io.Writer) io.Writer { return quietWriter{w} }

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
