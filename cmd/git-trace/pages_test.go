package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

const moduleRoot = "../.."

var quoted = regexp.MustCompile("`([^`\n]+)`")

// pages are the documents, relative to the top.
func pages(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "-C", moduleRoot, "ls-files", "--cached", "--others", "--exclude-standard", "*.md").Output()
	if err != nil {
		t.Skip("the documents are listed by git: ", err)
	}
	list := strings.Fields(string(out))
	if len(list) < 15 {
		t.Fatalf("only %d documents", len(list))
	}
	return slices.DeleteFunc(list, func(name string) bool { return strings.Contains(name, "testdata/") })
}

var pageLink = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// A link leads to a file that is there, and to a heading that it has. What is on the network is not asked.
func TestLinksOfDocumentsLead(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, page := range pages(t) {
		for _, m := range pageLink.FindAllStringSubmatch(proseOf(document(t, page)), -1) {
			target, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, ":") {
				continue
			}
			checked++
			to := page
			if target != "" {
				to = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(filepath.Join(moduleRoot, to)); err != nil {
				t.Errorf("%s: %s leads nowhere", page, m[1])
				continue
			}
			if heading != "" && !slices.Contains(headings(document(t, to)), heading) {
				t.Errorf("%s: %s has no heading #%s", page, to, heading)
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d links were found", checked)
	}
}

// proseOf is a page without its blocks of code, and without what stands between backquotes.
func proseOf(page string) string {
	page = regexp.MustCompile("(?ms)^```.*?^```").ReplaceAllString(page, "")
	return quoted.ReplaceAllString(page, "")
}

// headings are the names by which headings of a page are linked to, as forges make them.
func headings(page string) []string {
	var out []string
	for line := range strings.Lines(page) {
		if rest := strings.TrimLeft(line, "#"); rest != line && strings.HasPrefix(rest, " ") {
			out = append(out, strings.Map(func(r rune) rune {
				switch {
				case r == ' ':
					return '-'
				case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
					return unicode.ToLower(r)
				}
				return -1
			}, strings.TrimSpace(rest)))
		}
	}
	return out
}

// The index lists every page of docs.
func TestTheIndexListsEveryPage(t *testing.T) {
	t.Parallel()
	index := document(t, "docs/README.md")
	files, err := filepath.Glob(filepath.Join(moduleRoot, "docs", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := filepath.Base(file); name != "README.md" && !strings.Contains(index, "("+name+")") {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
}

// A document names only commands that are there.
func TestDocumentsNameCommandsThatAreThere(t *testing.T) {
	t.Parallel()
	var known []string
	for _, c := range allCommands() {
		known = append(known, c.Name)
	}
	known = append(known, "hook", "git-hook", "help")
	command, found := regexp.MustCompile("(?m)(?:^|`|\\$ )git trace ([a-z][a-z-]*)"), 0
	for _, page := range pages(t) {
		for _, m := range command.FindAllStringSubmatch(document(t, page), -1) {
			if found++; !slices.Contains(known, m[1]) {
				t.Errorf("%s: git trace %s is not a command", page, m[1])
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d commands were found", found)
	}
}

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(moduleRoot, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// section is what stands below a heading, up to the next one of its kind.
func section(t *testing.T, text, heading string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, "\n## "+heading+"\n")
	if !found {
		t.Fatalf("there is no %q", heading)
	}
	body, _, _ := strings.Cut(rest, "\n## ")
	return body
}

// tableRows are the rows of the tables in a text, without headings and rules.
func tableRows(text string) []string {
	var rows []string
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		heading := i+1 < len(lines) && strings.HasPrefix(lines[i+1], "| ---")
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| ---") && !heading {
			rows = append(rows, line)
		}
	}
	return rows
}
