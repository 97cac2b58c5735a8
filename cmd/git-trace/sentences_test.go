package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// longSentence is how many words a sentence of a document may have at most. 25 is what is meant; a few more do no harm.
const longSentence = 30

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

// Whoever reads a page is in a hurry, and often has another mother tongue.
func TestDocumentsKeepSentencesShort(t *testing.T) {
	t.Parallel()
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "internal/testing/driver/*.md"} {
		found, err := filepath.Glob(filepath.Join(moduleRoot, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d pages, %v", pattern, len(found), err)
		}
		pages = append(pages, found...)
	}
	for _, path := range pages {
		name, err := filepath.Rel(moduleRoot, path)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.ToSlash(name)
		var long []string
		for _, s := range sentences(document(t, name)) {
			if words := strings.Fields(s); len(words) > longSentence && !strings.Contains(s, " · ") {
				long = append(long, strings.Join(words, " "))
			}
		}
		if len(long) > 0 {
			t.Errorf("%s has sentences of more than %d words:\n%s", name, longSentence, strings.Join(long, "\n"))
		}
	}
}
