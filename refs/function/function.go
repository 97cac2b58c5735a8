package function

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// Function is a part of a file. The lines before the first function line are a part without a name.
type Function struct {
	Name  string // function line without parameters; with a number if the file has several with the same name
	Text  string // the function line, shortened if it is very long
	Line  int    // number of the function line, from 1; 0 for the lines before the first function
	Start int    // number of the first line, from 1
	Count int

	bare string // the name without a number
}

// Content is one content of a path. The path is relative to the top of the work tree, in raw bytes.
type Content struct {
	Path string
	Text []byte
}

// `Of` returns the functions of one content, in order.
func Of(ctx context.Context, repo *refs.Repo, file Content) ([]Function, error) {
	f := NewFinder(ctx, repo)
	if err := f.Learn(file); err != nil {
		return nil, err
	}
	return f.Functions(file), nil
}

// Functions returns the functions of a content, in order. The finder must have learned the content. A binary content is
// one part without a name.
func (f *Finder) Functions(file Content) []Function {
	var out []Function
	current := Function{Start: 1}
	known, comments, n := f.known[file.Path], 0, 0
	if gitdiff.Binary(file.Text) {
		known = nil
	}
	numbers := map[string]int{}
	for line := range bytes.Lines(file.Text) {
		n++
		line = bytes.TrimSuffix(line, []byte("\n"))
		switch {
		case known[string(line)]:
			begin := n - comments
			if current.Count = begin - current.Start; current.Count > 0 {
				out = append(out, current)
			}
			current = Function{Text: cut(line), Line: n, Start: begin}
			current.bare = nameOf(current.Text)
			current.Name = current.bare
			if numbers[current.bare]++; numbers[current.bare] > 1 {
				current.Name += " (" + strconv.Itoa(numbers[current.bare]) + ")"
			}
			comments = 0
		case isComment(line):
			comments++
		default:
			comments = 0
		}
	}
	if current.Count = n + 1 - current.Start; current.Count > 0 {
		out = append(out, current)
	}
	return out
}

// mostText limits the text of a function line in bytes, because a generated file may be one line.
const mostText = 500

func cut(line []byte) string {
	text := bytes.TrimSpace(line)
	if len(text) > mostText {
		text = text[:mostText]
	}
	return strings.ToValidUTF8(string(text), "\ufffd")
}

// commentSigns lists the beginnings of lines that belong to the following function line: comments, annotations and
// attributes.
var commentSigns = []string{"//", "/*", "*", "#", "--", ";", "%", "@", "[", "(*", "<!--"}

func isComment(line []byte) bool {
	text := bytes.TrimLeft(line, " \t")
	for _, sign := range commentSigns {
		if bytes.HasPrefix(text, []byte(sign)) {
			return true
		}
	}
	return false
}

// nameOf returns a function line without its parameters: the text before the first parenthesis that directly follows a
// word. A heading has no parameters.
func nameOf(text string) string {
	for at := 0; !strings.HasPrefix(text, "#"); {
		i := strings.IndexByte(text[at:], '(')
		if i < 0 {
			break
		}
		at += i + 1
		before := text[:at-1]
		if last, _ := utf8.DecodeLastRuneInString(before); (isWord(last) || last == '>' || last == ']') && before != "pub" {
			return before
		}
	}
	return strings.TrimRight(text, " \t{(:;=")
}

func isWord(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// Rank returns how well a name fits the function: 2 if the function's name is the name or ends in it; 1 if the name is
// another word of it, outside of parentheses; otherwise 0.
func (f *Function) Rank(name string) int {
	if name == "" || f.Line == 0 {
		return 0
	}
	if f.Name == name || f.Text == name || ends(f.bare, name) {
		return 2
	}
	plain := outside(f.bare)
	for at := 0; ; at++ {
		i := strings.Index(plain[at:], name)
		if i < 0 {
			return 0
		}
		if at += i; ends(plain[:at+len(name)], name) && !beginsWord(plain[at+len(name):]) {
			return 1
		}
	}
}

// `ends` reports whether a name is the last word, or the last words, of a text.
func ends(text, name string) bool {
	before, is := strings.CutSuffix(text, name)
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(name)
	return is && (before == "" || !isWord(last) || !isWord(first))
}

func beginsWord(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return text != "" && isWord(first)
}

// `outside` returns a text without its parts in parentheses.
func outside(text string) string {
	var out strings.Builder
	depth := 0
	for _, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')' && depth > 0:
			depth--
		case depth == 0:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// Words returns the words of the function's name that are outside of parentheses.
func (f *Function) Words() []string {
	return strings.FieldsFunc(outside(f.bare), func(r rune) bool { return !isWord(r) })
}
