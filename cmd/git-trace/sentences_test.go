package main

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	// longSentence is how many words a sentence of a document may have at most. 25 is what is meant; a few more do no
	// harm.
	longSentence = 30
	// longInComment is the same for the comments of the code.
	longInComment = 25
)

var (
	codeBlock   = regexp.MustCompile("(?s)```.*?```")
	codeInLine  = regexp.MustCompile("`[^`]*`")
	linkTarget  = regexp.MustCompile(`\]\([^)]*\)`)
	newItem     = regexp.MustCompile(`^\s*([-*]|\d+\.) |^#|^\t`)
	sentenceEnd = regexp.MustCompile(`[.!?:;]\s+`)
)

// sentences splits a Markdown page. A cell of a table, an item of a list and a heading end a sentence, too.
func sentences(page string) []string {
	var pieces []string
	var paragraph []string
	flush := func() {
		pieces, paragraph = append(pieces, strings.Join(paragraph, " ")), nil
	}
	for line := range strings.SplitSeq(codeBlock.ReplaceAllString(page, ""), "\n") {
		if strings.HasPrefix(line, "|") {
			pieces = append(pieces, strings.Split(strings.Trim(line, "|"), "|")...)
			continue
		}
		if strings.TrimSpace(line) == "" || newItem.MatchString(line) {
			flush()
		}
		paragraph = append(paragraph, line)
	}
	flush()
	var out []string
	for _, piece := range pieces {
		piece = strings.ReplaceAll(piece, "**", "")
		plain := linkTarget.ReplaceAllString(codeInLine.ReplaceAllString(piece, "X"), "]")
		out = append(out, sentenceEnd.Split(plain, -1)...)
	}
	return out
}

// overlong lists the sentences of a page that have more words than a number.
func overlong(page string, most int) (long []string) {
	for _, s := range sentences(page) {
		if words := strings.Fields(s); len(words) > most && !strings.Contains(s, " · ") {
			long = append(long, strings.Join(words, " "))
		}
	}
	return long
}

// markdownPages are the documents by their names.
func markdownPages(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "internal/testing/driver/*.md"} {
		found, err := filepath.Glob(filepath.Join(moduleRoot, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d pages, %v", pattern, len(found), err)
		}
		for _, path := range found {
			name, err := filepath.Rel(moduleRoot, path)
			if err != nil {
				t.Fatal(err)
			}
			name = filepath.ToSlash(name)
			out[name] = document(t, name)
		}
	}
	return out
}

// Whoever reads a page is in a hurry, and often has another mother tongue.
func TestDocumentsKeepSentencesShort(t *testing.T) {
	t.Parallel()
	for name, page := range markdownPages(t) {
		if long := overlong(page, longSentence); len(long) > 0 {
			t.Errorf("%s has sentences of more than %d words:\n%s", name, longSentence, strings.Join(long, "\n"))
		}
	}
}

// codeInComment is a line of a comment that is indented by a tab: code, or a table.
var codeInComment = regexp.MustCompile(`(?m)^\t.*$`)

// eachComment gives the comments of the code, without the code in them. The test houses count, too, and tests do not.
func eachComment(t *testing.T, take func(at token.Position, text string)) {
	t.Helper()
	houses, err := filepath.Glob(filepath.Join(moduleRoot, "internal", "testing", "*"))
	if err != nil || len(houses) == 0 {
		t.Fatalf("%d test houses, %v", len(houses), err)
	}
	read := 0
	for _, root := range append(houses, moduleRoot) {
		eachOwnFile(t, root, func(set *token.FileSet, file *ast.File) {
			if ast.IsGenerated(file) {
				return
			}
			for _, comment := range file.Comments {
				read++
				take(set.Position(comment.Pos()), codeInComment.ReplaceAllString(comment.Text(), ""))
			}
		})
	}
	if read < 10_000 {
		t.Errorf("only %d comments were read", read)
	}
}

// Whoever reads a comment does not know the code yet.
func TestCommentsKeepSentencesShort(t *testing.T) {
	t.Parallel()
	eachComment(t, func(at token.Position, text string) {
		if long := overlong(text, longInComment); len(long) > 0 {
			t.Errorf("%s: a comment has sentences of more than %d words:\n%s", at, longInComment, strings.Join(long, "\n"))
		}
	})
}
