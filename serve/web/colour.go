package web

import (
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"github.com/git-trace/git-trace/internal/fault"
)

// Limits for coloured text. Beyond them text has no colours.
const (
	mostColoured   = 128 << 10 // bytes on a page
	longestColours = 2000      // bytes in a line
	colourTime     = time.Second
)

// word is a piece of a line. Kind is k for a keyword, s for a string, c for a comment, n for a number or a constant, f
// for the name of a function or a type; empty for anything else.
type word struct{ Kind, Text string }

func kindOf(token chroma.Token) string {
	switch t := token.Type; {
	case t == chroma.CommentPreproc && strings.HasPrefix(token.Value, "//"): // a directive comment, such as //go:build
		return "c"
	case t == chroma.KeywordConstant, t.InSubCategory(chroma.LiteralNumber):
		return "n"
	case t == chroma.KeywordType, t == chroma.NameFunction, t == chroma.NameClass, t == chroma.NameTag,
		t == chroma.NameDecorator, t == chroma.GenericHeading, t == chroma.GenericSubheading:
		return "f"
	case t.InCategory(chroma.Keyword), t == chroma.CommentPreproc:
		return "k"
	case t.InCategory(chroma.Comment):
		return "c"
	case t.InSubCategory(chroma.LiteralString):
		return "s"
	}
	return ""
}

// turns allows one text at a time to be coloured: a stranger's text may take long, and should occupy one processor
// only.
var turns = make(chan struct{}, 1)

// languageOf returns the lexer for the name of a file; nil if there is none.
func languageOf(name string) chroma.Lexer { return lexers.Match(path.Base(name)) }

// colours divides the lines of a text into words. It returns nil if there is no lexer, or if it takes too long.
func colours(language chroma.Lexer, text string) [][]word {
	if language == nil || len(text) == 0 || len(text) > mostColoured || !utf8.ValidString(text) ||
		strings.Contains(text, "\r") {
		return nil
	}
	for line := range strings.Lines(text) {
		if len(line) > longestColours {
			return nil
		}
	}
	done, enough := make(chan [][]word, 1), make(chan struct{})
	fault.Go(func() {
		var out [][]word
		defer func() { done <- out }()
		select {
		case turns <- struct{}{}:
			defer func() { <-turns }()
			out = divide(language, text, enough)
		case <-enough:
		}
	})
	timer := time.NewTimer(colourTime)
	defer timer.Stop()
	select {
	case out := <-done:
		return out
	case <-timer.C:
		close(enough)
		return nil
	}
}

// divide does the work of colours until the channel `enough` is closed. The words together are the text, byte for byte.
func divide(language chroma.Lexer, text string, enough <-chan struct{}) [][]word {
	next, err := language.Tokenise(&chroma.TokeniseOptions{State: "root"}, text)
	if err != nil {
		return nil
	}
	out, size := [][]word{nil}, 0
	for token := next(); token != chroma.EOF; token = next() {
		select {
		case <-enough:
			return nil
		default:
		}
		if !strings.HasPrefix(text[size:], token.Value) {
			return nil
		}
		size += len(token.Value)
		kind := kindOf(token)
		for piece := range strings.Lines(token.Value) {
			last := &out[len(out)-1]
			if n := len(*last); n > 0 && (*last)[n-1].Kind == kind {
				(*last)[n-1].Text += piece
			} else {
				*last = append(*last, word{kind, piece})
			}
			if strings.HasSuffix(piece, "\n") {
				out = append(out, nil)
			}
		}
	}
	if size != len(text) {
		return nil
	}
	return out
}

// colour colours the lines of files, up to the page's limit.
func colour(list []*patchFile) {
	size := 0
	for _, file := range list {
		language := languageOf(file.Path)
		for _, hunk := range file.Hunks {
			if language != nil && size < mostColoured {
				size += hunk.colour(language)
			}
		}
	}
}

// colour colours the old and the new side of a hunk, each as one text. It returns their size in bytes.
func (h *patchHunk) colour(language chroma.Lexer) (size int) {
	for _, side := range []string{"old", "new"} {
		var text strings.Builder
		var rows []*patchRow
		for _, row := range h.Rows {
			if row.Kind == side || row.Kind == "both" {
				rows = append(rows, row)
				text.WriteString(row.text + "\n")
			}
		}
		size += text.Len()
		for i, words := range colours(language, text.String()) {
			if i < len(rows) && (rows[i].Kind == side || side == "new") {
				rows[i].Parts = inWords(rows[i].Parts, words)
			}
		}
	}
	return size
}

// inWords splits the parts of a line at the words' boundaries.
func inWords(parts []part, words []word) (out []part) {
	for _, p := range parts {
		for p.Text != "" && len(words) > 0 {
			n := min(len(p.Text), len(words[0].Text))
			out = append(out, part{p.Text[:n], p.Marked, words[0].Kind})
			p.Text, words[0].Text = p.Text[n:], words[0].Text[n:]
			if words[0].Text == "" {
				words = words[1:]
			}
		}
		if p.Text != "" {
			out = append(out, p)
		}
	}
	return out
}
