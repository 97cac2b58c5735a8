package main

import (
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unusedWords are words that docs/glossary.md puts aside, where they can be told from the same word in another sense.
var unusedWords = regexp.MustCompile(`(?i)\b(he|his|him|she|her)\b|\b(a|the|this|'s) talk\b`)

// One word stands for one thing. A person is "they", and what they said with an agent is a conversation.
// Found 7.28.
func TestWordsOfTheGlossaryAreUsed(t *testing.T) {
	t.Parallel()
	for name, page := range markdownPages(t) {
		if name == "docs/glossary.md" {
			continue
		}
		for _, s := range sentences(page) {
			if word := unusedWords.FindString(s); word != "" {
				t.Errorf("%s: %q is none of the glossary's words: %s", name, word, s)
			}
		}
	}
	eachComment(t, func(at token.Position, text string) {
		if word := unusedWords.FindString(text); word != "" {
			t.Errorf("%s: %q is none of the glossary's words", at, word)
		}
	})
}

// An exception for a linter that does not run hides nothing and explains nothing.
func TestEveryNolintNamesALinterThatRuns(t *testing.T) {
	t.Parallel()
	config := document(t, ".golangci.yml")
	_, rest, _ := strings.Cut(config, "  enable:\n")
	list, _, found := strings.Cut(rest, "  settings:")
	runs := strings.Fields(strings.ReplaceAll(list, "- ", ""))
	if !found || !slices.Contains(runs, "nilerr") {
		t.Fatalf("linters that run: %q", runs)
	}
	directive := regexp.MustCompile(`//nolint(:([a-z,]+))?`)
	seen := 0
	err := filepath.WalkDir(moduleRoot, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range directive.FindAllStringSubmatch(string(text), -1) {
			for name := range strings.SplitSeq(match[2], ",") {
				if seen++; !slices.Contains(runs, name) && filepath.Base(path) != "words_test.go" {
					t.Errorf("%s: %s names %q, which does not run", path, match[0], name)
				}
			}
		}
		return err
	})
	if err != nil || seen < 20 {
		t.Errorf("%d exceptions were read: %v", seen, err)
	}
}
