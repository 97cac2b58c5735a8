package vector_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// formatter is a program that writes files in its own form; args are followed by the files.
type formatter struct {
	name string
	args []string
	exts []string
	each bool // one file at a time, so that one that it cannot read stops no other
}

var formatters = []formatter{
	{"prettier", []string{"prettier", "--log-level=silent", "--no-config", "--ignore-path=/dev/null", "--write"},
		[]string{"js", "jsx", "ts", "tsx", "css", "json", "md", "html", "yml", "yaml"}, false},
	{"prettier without semicolons", []string{"prettier", "--log-level=silent", "--no-config", "--ignore-path=/dev/null", "--no-semi", "--single-quote",
		"--jsx-single-quote", "--trailing-comma=none", "--arrow-parens=avoid", "--use-tabs", "--print-width=60", "--prose-wrap=always", "--write"},
		[]string{"js", "jsx", "ts", "tsx", "css", "md"}, false},
	{"eslint", []string{"eslint", "--fix", "--no-warn-ignored"}, []string{"js", "jsx", "ts", "tsx"}, false},
	{"gofmt", []string{"gofmt", "-w"}, []string{"go"}, true},
	{"clang-format", []string{"clang-format", "-i"}, []string{"c", "h", "cc", "cpp", "js"}, false},
	{"rustfmt", []string{"rustfmt", "--edition=2021"}, []string{"rs"}, true},
	{"black", []string{"black", "-q"}, []string{"py"}, false},
	{"ruff", []string{"ruff-format"}, []string{"py"}, false},
}

// tally counts what became of the lines that a formatter changed.
type tally struct {
	files, lines, right, lost, wrong   int
	signs, signsLost, blank, blankLost int
	unclear                            int // lines of which the order of the letters tells nothing
	changed, mistaken                  int // lines that were made to say something else, and those that were not noticed
	examples                           []string
}

func (t tally) String() string {
	return fmt.Sprintf("%d files, %d lines changed: %d keep their owner (%.1f %%), %d do not, %d have a wrong one, %d unclear; "+
		"%d of %d lines of signs and %d of %d blank ones are new; of %d lines that say something else %d are taken for old ones",
		t.files, t.lines, t.right, 100*float64(t.right)/float64(max(1, t.lines)), t.lost, t.wrong, t.unclear,
		t.signsLost, t.signs, t.blankLost, t.blank, t.changed, t.mistaken)
}

var formatting = vector.ParseOwner("human:formatting")

// Real formatters change files of our own and, where GITTRACE_CORPUS names a folder of session files, what agents wrote
// in it. Every old line is an agent's or a person's. Then lines of the formatted files are changed so that they say
// something else.
func TestFormattersKeepOwners(t *testing.T) {
	t.Parallel()
	if !testenv.Long() {
		t.Skip("the full form runs formatters (GITTRACE_LONG=1)")
	}
	sources := sourceFiles(t)
	for _, f := range formatters {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(f.args[0]); err != nil {
				t.Skip("the formatter is not installed: " + f.args[0])
			}
			var sum tally
			for _, p := range f.run(t, sources) {
				p.measure(&sum)
				p.mutate(&sum)
			}
			t.Log(sum)
			for _, e := range sum.examples[:min(len(sum.examples), 40)] {
				t.Log(e)
			}
			if sum.lines == 0 || sum.changed == 0 {
				t.Fatal("nothing was measured")
			}
			if sum.wrong > 0 || 100*sum.right < 98*sum.lines || 100*sum.mistaken > sum.changed {
				t.Error("too many lines have a wrong owner")
			}
		})
	}
}

type formatted struct {
	name     string
	old, new []byte
}

// sourceFiles are texts by their name.
func sourceFiles(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	own, err := filepath.Glob("../../testdata/formatters/*")
	if err != nil || len(own) == 0 {
		t.Fatal("no files", err)
	}
	for _, path := range own {
		name := strings.TrimSuffix(filepath.Base(path), ".txt") // the Go file is not in the form of this repository
		if out[name], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	dir := os.Getenv("GITTRACE_CORPUS")
	if dir == "" {
		return out
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		for line := range bytes.Lines(raw) {
			var value any
			if json.Unmarshal(line, &value) == nil {
				written(value, out)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// written gathers the files that calls of a session file wrote, whatever agent it is of.
func written(value any, out map[string][]byte) {
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			written(one, out)
		}
	case map[string]any:
		text := func(keys ...string) string {
			for _, key := range keys {
				if s, ok := v[key].(string); ok {
					return s
				}
			}
			return ""
		}
		path, content := text("file_path", "filePath", "path"), text("content", "file_text", "contents")
		if ext := filepath.Ext(path); ext != "" && strings.Count(content, "\n") > 5 {
			sum := sha256.Sum256([]byte(content))
			out[fmt.Sprintf("%x%s", sum[:6], ext)] = []byte(content)
		}
		for _, one := range v {
			written(one, out)
		}
	case string:
		var inner any
		if strings.HasPrefix(v, "{") && json.Unmarshal([]byte(v), &inner) == nil {
			written(inner, out)
		}
	}
}

func (f formatter) run(t *testing.T, sources map[string][]byte) (out []formatted) {
	t.Helper()
	work := t.TempDir()
	var files []string
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if !slices.Contains(f.exts, strings.TrimPrefix(filepath.Ext(name), ".")) {
			continue
		}
		out = append(out, formatted{name: name, old: sources[name]})
		files = append(files, filepath.Join(work, name))
		if err := os.WriteFile(filepath.Join(work, name), sources[name], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	size := 500
	if f.each {
		size = 1
	}
	for some := range slices.Chunk(files, size) {
		cmd := exec.Command(f.args[0], append(f.args[1:len(f.args):len(f.args)], some...)...)
		cmd.Dir = work
		_ = cmd.Run() // files that it cannot read stay as they are
	}
	for i, name := range files {
		out[i].new, _ = os.ReadFile(name)
	}
	return slices.DeleteFunc(out, func(p formatted) bool { return bytes.Equal(p.old, p.new) || len(p.new) == 0 })
}

func (p formatted) measure(sum *tally) {
	random := rand.New(rand.NewPCG(uint64(len(p.old)), 3))
	old, new := linediff.Split(p.old), linediff.Split(p.new)
	var b vector.Builder
	for b.Len() < len(old) {
		owner := vector.ParseOwner([]string{"agent", "human:typed"}[random.IntN(2)])
		b.Add(owner, min(1+random.IntN(6), len(old)-b.Len()))
	}
	owners := b.Vector()
	got := vector.Carry(vector.Content{Lines: old, Owners: owners}, new, formatting).Vector
	from := spell(old, new)
	sum.files++
	for _, h := range linediff.Diff(old, new, linediff.Options{}).Hunks {
		for line := h.NewStart; line < h.New().End; line++ {
			is := got.At(line)
			is.Previous, is.Reformatted = "", false
			lost := is == formatting
			switch text := bytes.TrimSpace(new[line]); {
			case len(text) == 0:
				sum.blank++
				sum.blankLost += count(lost)
				continue
			case len(spelling(text)) == 0:
				sum.signs++
				sum.signsLost += count(lost)
				if lost {
					sum.example(p, new, line, "signs lost")
				}
				continue
			}
			shares := map[vector.Owner]int{}
			for _, l := range from[line] {
				shares[owners.At(l)]++
			}
			switch {
			case len(from[line]) < len(spelling(new[line])):
				sum.unclear++
			case lost:
				sum.lines++
				sum.lost++
				sum.example(p, new, line, "lost")
			case shares[is]*len(shares) >= len(from[line]):
				sum.lines++
				sum.right++
			default:
				sum.lines++
				sum.wrong++
				sum.example(p, new, line, fmt.Sprint("wrong: ", is, " of ", shares))
			}
		}
	}
}

func (t *tally) example(p formatted, lines [][]byte, line int, what string) {
	t.examples = append(t.examples, fmt.Sprintf("%s %s:%d %.90s", what, p.name, line+1, lines[line]))
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// spelling is the letters and digits of a line, in small letters.
func spelling(line []byte) []byte {
	var out []byte
	for _, c := range line {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || c >= 0x80 {
			out = append(out, c)
		}
	}
	return out
}

// spell gives, for each new line, the old lines of its letters and digits, as far as they stand in the same order.
func spell(old, new [][]byte) [][]int {
	letters := func(lines [][]byte) (text [][]byte, at []int) {
		for i, l := range lines {
			for _, w := range bytes.FieldsFunc(l, func(r rune) bool { return len(spelling([]byte(string(r)))) == 0 }) {
				text, at = append(text, spelling(w)), append(at, i)
			}
		}
		return text, at
	}
	a, was := letters(old)
	b, is := letters(new)
	out := make([][]int, len(new))
	i, j := 0, 0
	keep := func(to int) {
		for ; j < to; i, j = i+1, j+1 {
			out[is[j]] = append(out[is[j]], slices.Repeat([]int{was[i]}, len(b[j]))...)
		}
	}
	for _, h := range linediff.Diff(a, b, linediff.Options{}).Hunks {
		keep(h.NewStart)
		i, j = h.Old().End, h.New().End
	}
	keep(len(b))
	return out
}

// mutations make a line say something else. They give nothing for a line that has no place for it.
var mutations = []struct{ what, find, put string }{
	{"name", `\b([a-z]{2})([A-Za-z]{2,})\b`, "${1}x$2"},
	{"number", `\b([1-9])([0-9]*)\b`, "${1}7$2"},
	{"comparison", ` (<|>|==|!=)=? `, " ~= "},
	{"sum", ` [+-] `, " / "},
	{"negation goes", `!([a-zA-Z(])`, "$1"},
	{"negation comes", `\b(if|while|return)( ?\(?)([a-z])`, "$1$2!$3"},
	{"text", `(["'])([A-Za-z ]+)(["'])`, "${1}${2}more$3"},
	{"member", `\.([a-z]+)`, ".other.$1"},
	{"two names change places", `\b([a-z]{3,})(, | = |\.)([a-z]{3,})\b`, "$3$2$1"},
}

// mutate changes lines of the formatted file, far apart from each other, each in one way.
func (p formatted) mutate(sum *tally) {
	random := rand.New(rand.NewPCG(uint64(len(p.new)), 5))
	old, new := linediff.Split(p.old), linediff.Split(p.new)
	owners := vector.Uniform(len(old), vector.ParseOwner("agent"))
	for _, m := range mutations {
		find := regexp.MustCompile(m.find)
		lines := slices.Clone(new)
		var at []int
		for line := random.IntN(6); line < len(lines); line++ {
			mutated := find.ReplaceAll(lines[line], []byte(m.put))
			if bytes.Equal(mutated, lines[line]) || bytes.Equal(spelling(mutated), spelling(lines[line])) && !bytes.ContainsAny(mutated, "~/!") {
				continue
			}
			lines[line], at = mutated, append(at, line)
			line += 3 + random.IntN(6)
		}
		got := vector.Carry(vector.Content{Lines: old, Owners: owners}, lines, formatting).Vector
		for _, line := range at {
			sum.changed++
			if got.At(line).Kind == events.OwnerAI {
				sum.mistaken++
				sum.example(p, lines, line, "not noticed: "+m.what)
			}
		}
	}
}
