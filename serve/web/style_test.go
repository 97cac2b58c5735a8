package web

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every class and element that the style sheet names is one of a template, of the program or of the script: what nobody
// shows is not sent.
func TestEveryRuleOfTheStyleSheetIsUsed(t *testing.T) {
	t.Parallel()
	var shown strings.Builder // what may name a class
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range regexp.MustCompile("\"[^\"\n]*\"|`[^`]*`").FindAllString(string(raw), -1) {
			shown.WriteString(text + "\n")
		}
	}
	if err := fs.WalkDir(assets, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".css") {
			return err
		}
		raw, err := assets.ReadFile(path)
		if strings.HasSuffix(path, ".html") { // of a template what is a class or an element
			raw = bytes.Join(regexp.MustCompile(`<[a-z][a-z0-9]*|define "\w+hue".*|class="(?:[^"{]|\{\{[^}]*\}\}|\{)*"`).FindAll(raw, -1), []byte("\n"))
		}
		shown.Write(raw)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, word := range regexp.MustCompile(`[A-Za-z][A-Za-z-]*[0-9]*`).FindAllString(shown.String(), -1) {
		used[word] = true
	}
	for _, name := range unused(string(ready()["page.css"].plain), used) {
		t.Errorf("nothing shows %s", name)
	}
	if got := unused(`.row:hover,.nowhere>b{color:red}@media print{blink,.lost7{top:0}}`, used); !slices.Equal(got, []string{".lost7", ".nowhere", "blink"}) {
		t.Errorf("of a style sheet with three rules that nothing uses: %v", got)
	}
}

// madeOfNumbers begin classes that are followed by a number that a page works out.
var madeOfNumbers = []string{"t", "a", "d", "g", "h", "l", "n", "s", "w"}

// unused gives the classes and elements of a style sheet that are not among the words.
func unused(style string, used map[string]bool) (out []string) {
	for _, m := range regexp.MustCompile(`([^{}]+)\{`).FindAllStringSubmatch(style, -1) {
		if strings.HasPrefix(m[1], "@") {
			continue
		}
		selector := regexp.MustCompile(`::?[a-z-]+|\[[^]]*\]`).ReplaceAllString(m[1], " ")
		for _, name := range regexp.MustCompile(`\.?[A-Za-z][\w-]*`).FindAllString(selector, -1) {
			word := strings.TrimPrefix(name, ".")
			family := strings.TrimRight(word, "0123456789")
			if !used[word] && (family == word || name == word || !slices.Contains(madeOfNumbers, family)) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
