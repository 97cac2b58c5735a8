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
	Name  string // the function line without parameters; with a number where the file has several of one name
	Text  string // the function line, cut where it is very long
	Line  int    // of the function line, from 1; 0 for the lines before the first
	Start int    // its first line, from 1
	Count int

	bare string // the name without a number
}

// Content is one content of a path. The path is relative to the top of the work tree, as raw bytes.
type Content struct {
	Path string
	Text []byte
}

// Of returns the functions of one content, in their order.
func Of(ctx context.Context, repo *refs.Repo, file Content) ([]Function, error) {
	f := NewFinder(ctx, repo)
	if err := f.Learn(file); err != nil {
		return nil, err
	}
	return f.Functions(file), nil
}

// Functions returns the functions of a content that the finder has learned, in their order. A binary content is one
// part without a name.
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

// mostText bounds the text of a function line, in bytes: a generated file may be one line.
const mostText = 500

func cut(line []byte) string {
	text := bytes.TrimSpace(line)
	if len(text) > mostText {
		text = text[:mostText]
	}
	return strings.ToValidUTF8(string(text), "\ufffd")
}

// commentSigns begin the lines that belong to the function line below them: comments, annotations and attributes.
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

// nameOf returns a function line without its parameters: up to the first parenthesis that follows a word directly. A
// heading has none.
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

// Rank says how well a name names the function: 2 if its name ends in it, or is it; 1 if it is another word of the
// name, outside of parentheses; 0 if it does not.
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

// ends reports whether a name is the last word of a text, or its last words.
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

// outside returns a text without its parts in parentheses.
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

// Words returns the words of the name, outside of parentheses.
func (f *Function) Words() []string {
	return strings.FieldsFunc(outside(f.bare), func(r rune) bool { return !isWord(r) })
}
