package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/mutate/active"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// The list names what exists, and what is said of survivors is said of mutants that exist.
func TestTheListsSpeakOfTheCodeAsItIs(t *testing.T) {
	t.Parallel()
	list, err := readDecisions(decisionText)
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := readAccepted(acceptedText)
	if err != nil {
		t.Fatal(err)
	}
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	w, err := survey(root, list, func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, m := range w.mutants {
		if keys[m.key] {
			t.Errorf("two mutants are called %s", m.key)
		}
		keys[m.key] = true
	}
	for key := range accepted {
		if !keys[key] {
			t.Errorf("accepted.txt: there is no such mutant any more: %s", key)
		}
	}
	for _, d := range list {
		if !slices.ContainsFunc(w.mutants, func(m *mutant) bool { return m.file == d.file }) {
			t.Errorf("decisions.txt: nothing can be changed in %s", d.file)
		}
	}
}

const sample = `package p

import "errors"

type T struct{ n int }

func (t *T) F(a, b int, ok bool, list []int) (int, error) {
	if err := t.check(); err != nil {
		a = 7
		return 0, err
	}
	if ok && a < b {
		t.n = 3
	}
	switch {
	case a == b:
		a++
		b--
	}
	for i := range list {
		if list[i] > 2 {
			continue
		}
		a += list[i]
	}
	return a + b, nil
}

func (t *T) check() error { return errors.New("x") }
`

// checked is a package of one file.
func checked(t *testing.T, text string) *source {
	t.Helper()
	s := &source{dir: "p", fset: token.NewFileSet(), files: map[string]*ast.File{}, text: map[string][]byte{"p/p.go": []byte(text)}, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
	}}
	file, err := parser.ParseFile(s.fset, "p.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	s.files["p/p.go"] = file
	config := types.Config{Importer: importer.ForCompiler(s.fset, "source", nil)}
	if s.pkg, err = config.Check("p", s.fset, []*ast.File{file}, s.info); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhatIsChanged(t *testing.T) {
	t.Parallel()
	sites, unknown := find(checked(t, sample), decision{file: "p/p.go", funcs: []string{"T.F", "T.G"}})
	if !slices.Equal(unknown, []string{"T.G"}) {
		t.Errorf("unknown functions are %v", unknown)
	}
	var got []string
	for _, s := range sites {
		for _, m := range s.mutants {
			got = append(got, strings.TrimPrefix(m.key, "p.T.F: "))
		}
	}
	slices.Sort(got)
	want := []string{
		"boundary: a < b → a <= b in if ok && a < b {",
		"boundary: list[i] > 2 → list[i] >= 2 in if list[i] > 2 {",
		"case left out: case a == b: a++ b-- → nothing",
		"left out: a += list[i] → nothing",
		"left out: a++ → nothing",
		"left out: b-- → nothing",
		"left out: continue → nothing",
		"left out: t.n = 3 → nothing",
		"negated: a == b → !(a == b) in case a == b:",
		"negated: list[i] > 2 → !(list[i] > 2) in if list[i] > 2 {",
		"negated: ok && a < b → !(ok && a < b) in if ok && a < b {",
		"never: list[i] > 2 → false in if list[i] > 2 {",
		"never: ok && a < b → false in if ok && a < b {",
		"number: 2 → 3 in if list[i] > 2 {",
		"number: 3 → 4 in t.n = 3",
		"returns nothing: return a + b, nil → nothing",
		"swapped: a + b → a - b in return a + b, nil",
		"swapped: ok && a < b → ok || a < b in if ok && a < b {",
		"without the first: ok && a < b → a < b in if ok && a < b {",
		"without the second: ok && a < b → ok in if ok && a < b {",
	}
	if !slices.Equal(got, want) {
		t.Errorf("mutants are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A program with all mutants in it does what it did, and what a mutant does once it is awake.
func TestAMutantSleepsUntilItIsAwakened(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("builds a program")
	}
	const program = `package main

import "os"

func main() { os.Exit(status(2, 2)) }

func status(a, b int) int {
	if a < b {
		return 7
	}
	return a + b
}
`
	src := checked(t, program)
	sites, _ := find(src, decision{file: "p/p.go", funcs: []string{"status"}})
	w := &world{perFile: map[string][]*site{"p/p.go": sites}}
	w.number()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	text, err := rewrite([]byte(program), sites)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	// The package that the mutant asks is for this module alone, so the program lies in it, as go is told.
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(root, "internal", "testing", "mutate", "asleep", "main.go"): file,
	}})
	if err != nil {
		t.Fatal(err)
	}
	laid := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(laid, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", laid, "-o", filepath.Join(dir, "asleep"), "./internal/testing/mutate/asleep")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	status := func(id int32, record string) int {
		t.Helper()
		awake := filepath.Join(t.TempDir(), "awake")
		if err := awaken(filepath.Join(dir, "asleep"), awake, id, record); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(awake)
		_ = cmd.Run() // the status is what counts
		return cmd.ProcessState.ExitCode()
	}
	if got := status(0, ""); got != 4 {
		t.Errorf("asleep it gives %d, want 4", got)
	}
	want := map[string]int{
		"negated: a < b → !(a < b) in if a < b {": 7, "never: a < b → false in if a < b {": 4, "boundary: a < b → a <= b in if a < b {": 7,
		"returns nothing: return 7 → nothing": 4, "number: 7 → 8 in return 7": 4,
		"returns nothing: return a + b → nothing": 0, "swapped: a + b → a - b in return a + b": 0,
	}
	for _, m := range w.mutants {
		key := strings.TrimPrefix(m.key, "p.status: ")
		result, known := want[key]
		delete(want, key)
		if got := status(m.id, ""); !known || got != result {
			t.Errorf("%s gives %d, want %d", key, got, result)
		}
	}
	for key := range want {
		t.Errorf("there is no mutant %s", key)
	}
	record := filepath.Join(dir, "record")
	if err := os.WriteFile(record, make([]byte, len(w.mutants)+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := status(int32(len(w.mutants)+1), record); got != 4 {
		t.Errorf("recording it gives %d, want 4", got)
	}
	reached, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range w.mutants {
		inside := strings.Contains(m.key, "return 7")
		if got := reached[m.id] != 0; got == inside {
			t.Errorf("%s: reached %v", m.key, got)
		}
	}
}

// What is one test more or less is decided by time: cheap ones first, those of the mutant's own package before others.
func TestTheCheapestTestsComeFirst(t *testing.T) {
	t.Parallel()
	units := []*unit{
		{Package: scriptPackage, Name: scriptTest + "/a", Took: 9e9}, {Package: scriptPackage, Name: scriptTest + "/b", Took: 1e9},
		{Package: scriptPackage, Name: "TestModel", Took: 1e9}, {Package: "correlate", Name: "TestX", Took: 5e9},
		{Package: "trails", Name: "TestSlow", Took: 3e9}, {Package: "trails", Name: "TestA", Took: 1e9}, {Package: "trails", Name: "TestB", Took: 1e9},
	}
	var got []string
	for _, batch := range batches("trails", units) {
		got = append(got, batch[0].Package+" "+pattern(batch))
	}
	want := []string{
		"trails ^(TestA|TestB)$", "trails ^(TestSlow)$", "correlate ^(TestX)$",
		"cmd/git-trace ^TestScripts$/^(b)$", "cmd/git-trace ^TestScripts$/^(a)$", "cmd/git-trace ^(TestModel)$",
	}
	if !slices.Equal(got, want) {
		t.Errorf("batches are %q, want %q", got, want)
	}
}

func TestASampleStaysWhenOtherCodeChanges(t *testing.T) {
	t.Parallel()
	var all []*mutant
	for key := range strings.SplitSeq("abcdefghijklmnopqrstuvwxyz", "") {
		all = append(all, &mutant{key: key})
	}
	keys := func(ms []*mutant) string {
		var b bytes.Buffer
		for _, m := range ms {
			b.WriteString(m.key)
		}
		return b.String()
	}
	five := keys(choose(all, options{sample: 5, seed: "1"}))
	if few := keys(choose(all, options{sample: 3, seed: "1"})); !strings.HasPrefix(five, few) || len(few) != 3 {
		t.Errorf("three are %s, five are %s", few, five)
	}
	if other := keys(choose(all, options{sample: 5, seed: "2"})); other == five {
		t.Errorf("another seed gives the same sample %s", other)
	}
	without := slices.DeleteFunc(slices.Clone(all), func(m *mutant) bool { return !strings.Contains(five, m.key) && m.key < "n" })
	if got := keys(choose(without, options{sample: 5, seed: "1"})); got != five {
		t.Errorf("with less code the sample is %s, was %s", got, five)
	}
}

func TestWhatIsSaidOfSurvivors(t *testing.T) {
	t.Parallel()
	got, err := readAccepted("# why\n\na: b\n= the same either way\nc: d\n- only a disk that fails shows it\n")
	if err != nil || len(got) != 2 || !got["a: b"].equivalent || got["c: d"].equivalent || got["c: d"].reason != "only a disk that fails shows it" {
		t.Errorf("read %v, %v", got, err)
	}
	for _, bad := range []string{"a: b\n", "= reason\n", "a: b\nc: d\n= reason\n"} {
		if _, err := readAccepted(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	verdicts := []verdict{{Key: "a: b", Package: "p", Status: survived}, {Key: "c: d", Package: "p", Status: survived}, {Key: "e", Package: "p", Status: killed}, {Key: "f", Package: "q", Status: unreached}}
	var out bytes.Buffer
	if ratio := report(&out, verdicts, got); ratio < 33.3 || ratio > 33.4 {
		t.Errorf("ratio is %.2f\n%s", ratio, out.String())
	}
	if !strings.Contains(out.String(), "only a disk that fails shows it") {
		t.Errorf("no reason in\n%s", out.String())
	}
}

func TestTheMarkerHasRoomForAPath(t *testing.T) {
	t.Parallel()
	if len(active.Blank) < 200 {
		t.Errorf("the marker has %d bytes", len(active.Blank))
	}
}
