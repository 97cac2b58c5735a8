package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const moduleRoot = "../.."

// testsOfTheProject are the names of all tests and fuzz targets.
func testsOfTheProject(t *testing.T) []string {
	t.Helper()
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w*)\(`)
	var names []string
	err := filepath.WalkDir(moduleRoot, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range function.FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
		return err
	})
	if err != nil || len(names) < 100 {
		t.Fatalf("%d tests found: %v", len(names), err)
	}
	return names
}

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(moduleRoot, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	quoted   = regexp.MustCompile("`([^`\n]+)`")
	testName = regexp.MustCompile(`^(Test|Fuzz)[A-Z]\w*$`)
	testArgs = regexp.MustCompile(`(?m)^[^|\n]*\bgo test .*?-(?:run|fuzz) '?((?:Test|Fuzz)?\w+)`)
)

// evidence are the tests and test scripts that a text names between backquotes; missing are those that do not exist.
func evidence(t *testing.T, text string, tests []string) (found, missing []string) {
	t.Helper()
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		name := m[1]
		var exists bool
		switch {
		case testName.MatchString(name):
			exists = slices.Contains(tests, name)
		case strings.HasSuffix(name, ".txtar"):
			_, err := os.Stat(filepath.Join(scriptDir, filepath.Base(name)))
			exists = err == nil
		default:
			continue
		}
		if found = append(found, name); !exists {
			missing = append(missing, name)
		}
	}
	return found, missing
}

// A test that is renamed or taken away must not leave a promise behind.
func TestDocumentsNameTestsThatExist(t *testing.T) {
	t.Parallel()
	tests := testsOfTheProject(t)
	named := 0
	for _, page := range pages(t) {
		text := document(t, page)
		found, missing := evidence(t, text, tests)
		named += len(found)
		for _, m := range testArgs.FindAllStringSubmatch(text, -1) { // commands that run some tests by a part of their names
			if !slices.ContainsFunc(tests, func(name string) bool { return strings.Contains(name, m[1]) }) {
				missing = append(missing, m[1])
			}
		}
		for _, name := range missing {
			t.Errorf("%s names %s, which does not exist", page, name)
		}
	}
	if named < 50 {
		t.Errorf("only %d tests are named: this test no longer reads the documents", named)
	}
}

// A requirement that is held says where; one that is not says why.
func TestTheTableOfRequirementsSaysWhereAndWhy(t *testing.T) {
	t.Parallel()
	rows := tableRows(document(t, "docs/seeds.md"))
	if len(rows) < 80 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		if len(cells) != 4 {
			t.Errorf("%d cells: %s", len(cells), row)
			continue
		}
		switch state, why := cells[2], cells[3]; state {
		case "held":
			if !strings.ContainsAny(why, "`[") {
				t.Errorf("held, and nothing shows it: %s", row)
			}
		case "partly", "not", "out":
			if len(strings.Fields(why)) < 4 {
				t.Errorf("no reason: %s", row)
			}
		default:
			t.Errorf("the state is %q: %s", state, row)
		}
	}
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

func TestEveryPromiseNamesTheTestThatHoldsIt(t *testing.T) {
	t.Parallel()
	tests := testsOfTheProject(t)
	for name, text := range map[string]string{
		"docs/reliability.md":  section(t, document(t, "docs/reliability.md"), "What it promises"),
		"docs/threat-model.md": section(t, document(t, "docs/threat-model.md"), "Threats"),
		"docs/privacy.md":      section(t, document(t, "docs/privacy.md"), "What holds"),
	} {
		rows := tableRows(text)
		if len(rows) < 5 {
			t.Errorf("%s: %d rows", name, len(rows))
		}
		for _, row := range rows {
			if found, _ := evidence(t, row, tests); len(found) == 0 {
				t.Errorf("%s promises without a test:\n%s", name, row)
			}
		}
	}
}

// What was found wrong on the first release has a test each, which says so.
func TestEveryFindingIsHeldByATestOfItsNumber(t *testing.T) {
	t.Parallel()
	tests := testsOfTheProject(t)
	rows := tableRows(document(t, "docs/findings.md"))
	if len(rows) < 60 {
		t.Fatalf("%d rows", len(rows))
	}
	named := numberedTests(t)
	for _, row := range rows {
		number, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " ")
		found, _ := evidence(t, row, tests)
		if len(found) == 0 {
			t.Errorf("no test holds %s", row)
		}
		for _, name := range found {
			if !slices.Contains(named[name], number) {
				t.Errorf("%s does not say that it holds finding %s", name, number)
			}
		}
	}
}

// numberedTests are the findings that the comments of tests and scripts name, by test.
func numberedTests(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	numbers := regexp.MustCompile(`\bFound ((?:\d+\.\d+(?:, )?)+)`)
	take := func(name, text string) {
		for _, m := range numbers.FindAllStringSubmatch(text, -1) {
			out[name] = append(out[name], strings.Split(m[1], ", ")...)
		}
	}
	comment := regexp.MustCompile(`((?:\n//[^\n]*)+)\nfunc (Test\w+)\(`)
	err := filepath.WalkDir(moduleRoot, func(path string, d fs.DirEntry, err error) error {
		isTest := strings.HasSuffix(path, "_test.go")
		if err != nil || !isTest && !strings.HasSuffix(path, ".txtar") {
			return err
		}
		raw, err := os.ReadFile(path)
		if !isTest {
			take(filepath.Base(path), string(raw))
		}
		for _, m := range comment.FindAllStringSubmatch(string(raw), -1) {
			take(m[2], m[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The rows of the reliability suite and the tests that are named after them are listed in one place.
func TestTheReliabilitySuiteIsListed(t *testing.T) {
	t.Parallel()
	text := document(t, "docs/reliability.md")
	for _, name := range testsOfTheProject(t) {
		if strings.HasPrefix(name, "TestReliability") && !strings.Contains(text, "`"+name+"`") {
			t.Errorf("docs/reliability.md does not name %s", name)
		}
	}
	for _, row := range strings.Fields("A1 A2 A3 B1 B2 B3 B4 C1 C2 C3 C4 C5 D1 E1 E2 E3 F1 G1 G2 H1 I1 J1 L1") {
		if !strings.Contains(text, "\n| "+row+" |") || !strings.Contains(text, "`TestReliability"+row) {
			t.Errorf("docs/reliability.md has no test of row %s", row)
		}
	}
}

// Each row of the suites of sharing and of the terminal names tests that there are.
func TestTheSuitesOfSharingAndTheTerminalAreListed(t *testing.T) {
	t.Parallel()
	rows := map[string]string{}
	for line := range strings.Lines(document(t, "docs/reliability.md")) {
		cells := strings.Split(line, "|")
		if len(cells) > 6 && (strings.HasPrefix(cells[1], " S") || strings.HasPrefix(cells[1], " V")) {
			for name := range strings.SplitSeq(strings.TrimSpace(cells[1]), ", ") {
				rows[name] = cells[6]
			}
		}
	}
	var names []string
	for n := 1; n <= 27; n++ {
		names = append(names, fmt.Sprint("S", n))
	}
	for n := 1; n <= 7; n++ {
		names = append(names, fmt.Sprint("V", n))
	}
	tests := testsOfTheProject(t)
	for _, name := range names {
		if rows[name] == "" {
			t.Errorf("docs/reliability.md has no row %s", name)
		}
		for word := range strings.SplitSeq(strings.TrimSpace(rows[name]), ", ") {
			word = strings.Trim(word, "`")
			_, err := os.Stat(filepath.Join("../../testdata/script", word))
			if is := slices.Contains(tests, word) || strings.HasSuffix(word, ".txtar") && err == nil; !is {
				t.Errorf("row %s names %q, which is no test", name, word)
			}
		}
	}
}
