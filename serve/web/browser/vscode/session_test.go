package vscode

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/chromedp/chromedp/kb"
)

// shortSessions are the sessions of the quick form; GITTRACE_LONG plays longSessions, GITTRACE_SESSIONS so many.
const (
	shortSessions = 5
	longSessions  = 200
)

// playSessions plays generated sessions. Each line has the owner that its words tell.
func (w *world) playSessions() {
	count, seed := shortSessions, uint64(1)
	if os.Getenv("GITTRACE_LONG") != "" {
		count = longSessions
	}
	if n, err := strconv.Atoi(os.Getenv("GITTRACE_SESSIONS")); err == nil {
		count = n
	}
	if n, err := strconv.ParseUint(os.Getenv("GITTRACE_SEED"), 10, 64); err == nil {
		seed = n
	}
	var files []string
	for i := range count {
		s := &session{world: w, random: rand.New(rand.NewPCG(seed+uint64(i), 45)), file: fmt.Sprintf("s%d.go", seed+uint64(i))}
		s.play()
		files = append(files, s.file)
	}
	w.told()
	var lines, unknown, wrong int
	for _, file := range files {
		for i, line := range w.blame(file) {
			want := truth(line.Content)
			if want == "" {
				continue
			}
			lines++
			switch {
			case strings.Contains(want, line.Contributor):
			case line.Contributor == "unknown":
				unknown++
			default:
				wrong++
				w.Errorf("%s:%d: %s %s, not %s: %s", file, i+1, line.Contributor, line.Evidence, want, line.Content)
			}
		}
	}
	w.Logf("%d sessions, %d lines: %d wrong, %d unknown", count, lines, wrong, unknown)
	if unknown*100 > lines {
		w.Errorf("%d of %d lines are unknown", unknown, lines)
	}
}

// truth returns the contributors that a line may have by its words; "" for a line without words.
func truth(line string) string {
	var typed, completed int
	for _, word := range strings.Fields(line) {
		switch word[0] {
		case 'p':
			typed++
		case 'c':
			completed++
		}
	}
	switch {
	case typed+completed == 0:
		return ""
	case completed <= typed:
		return "human"
	case typed > 0:
		return "mixed"
	}
	return "ai mixed" // mixed if a person has taken their own words away
}

// session is a person at work in one file.
type session struct {
	*world
	random *rand.Rand
	file   string
	words  int
}

func (s *session) word(writer string) string {
	s.words++
	return writer + strconv.FormatInt(int64(s.words+100), 36)
}

// some returns a few words in a row.
func (s *session) some(writer string, most int) string {
	var out []string
	for range 1 + s.random.IntN(most) {
		out = append(out, s.word(writer))
	}
	return strings.Join(out, " ")
}

func (s *session) play() {
	s.write(s.file, s.some("p", 3)+"\n"+s.some("p", 3)+"\n")
	s.do(s.e.Open(s.file, 3, 1))
	for range 4 + s.random.IntN(7) {
		s.step()
		s.do(s.e.Silent())
	}
	s.do(s.e.Save())
}

func (s *session) step() {
	switch s.random.IntN(10) {
	case 0, 1: // a line
		s.toEnd()
		s.typed(s.some("p", 4) + "\n")
	case 2, 3: // whole lines
		s.toEnd()
		lines := s.some("c", 4) + "\n"
		for range s.random.IntN(3) {
			lines += s.some("c", 4) + "\n"
		}
		s.accept(lines)
	case 4, 5: // the rest of a line
		s.toEnd()
		s.typed(s.some("p", 3) + " ")
		s.accept(s.some("c", 4))
		s.typed("\n")
	case 6: // some words, and more that are typed
		s.toEnd()
		s.typed(s.some("p", 2) + " ")
		s.do(s.e.Suggest(s.some("c", 3) + " " + s.word("c")))
		for range 1 + s.random.IntN(3) {
			s.press(kb.ArrowRight, kb.ModifierCtrl)
		}
		s.do(s.e.Silent())
		s.typed(" " + s.some("p", 2) + "\n")
	case 7: // a word at the end of any line
		line, text := s.anyLine()
		s.do(s.e.Open(s.file, line, len(text)+1))
		s.typed(" " + s.word("p"))
	case 8: // taken back, and perhaps done again
		s.toEnd()
		s.accept(s.some("c", 4) + "\n")
		s.press("z", kb.ModifierCtrl)
		if s.random.IntN(2) == 0 {
			s.press("y", kb.ModifierCtrl)
		}
	case 9:
		s.do(s.e.Save())
	}
}

func (s *session) accept(text string) {
	s.do(s.e.Suggest(text))
	s.press(kb.Tab)
}

func (s *session) lines() []string {
	state, err := s.e.State()
	s.do(err)
	return strings.Split(state.Text, "\n")
}

// toEnd puts the cursor at the end, on a line of its own.
func (s *session) toEnd() {
	lines := s.lines()
	last := len(lines)
	s.do(s.e.Open(s.file, last, len(lines[last-1])+1))
	if lines[last-1] != "" {
		s.typed("\n")
	}
}

func (s *session) anyLine() (line int, text string) {
	lines := s.lines()
	for {
		if i := s.random.IntN(len(lines)); lines[i] != "" {
			return i + 1, lines[i]
		}
	}
}
