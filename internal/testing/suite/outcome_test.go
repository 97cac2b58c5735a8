package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// enterModule makes a module of some files and goes there.
func enterModule(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "")
}

// A package with tests of every outcome is run by the real go test.
func TestTheOutcomeOfEveryTestIsCounted(t *testing.T) {
	enterModule(t, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"a/a_test.go": `package a

import "testing"

func TestPasses(t *testing.T) { t.Run("below", func(t *testing.T) { t.Log("heard by nobody") }) }
func TestFails(t *testing.T)  { t.Error("this is why") }
func TestSkips(t *testing.T)  { t.Log("a word before"); t.Skip("no such machine") }
func TestToo(t *testing.T)    { t.Run("one", func(t *testing.T) { t.Skip("no such machine") }) }
func TestSilent(t *testing.T) { t.SkipNow() }
`,
		"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestBuilds(t *testing.T) { undefined() }\n",
		"c/c_test.go": "package c\n\nimport \"testing\"\n\nfunc TestFine(t *testing.T) {}\n",
	})
	var screen bytes.Buffer
	o, status, err := runTests(&screen, []string{"./..."})
	if err != nil || status != 1 {
		t.Fatalf("status %d, %v", status, err)
	}
	for _, want := range []string{"this is why", "undefined: undefined", "ok  \texample.com/m/c"} {
		if !strings.Contains(screen.String(), want) {
			t.Errorf("%q is not on the screen:\n%s", want, screen.String())
		}
	}
	if strings.Contains(screen.String(), "heard by nobody") {
		t.Errorf("what a test said that passed is on the screen:\n%s", screen.String())
	}
	if o.Processor <= 0 {
		t.Errorf("it took %v of processor time", o.Processor)
	}
	// The sum of two runs, through the file, is twice one.
	tally := filepath.Join(t.TempDir(), "tally")
	var total bytes.Buffer
	for range 2 {
		if err := addTo(tally, o); err != nil {
			t.Fatal(err)
		}
	}
	if err := printTotal(&total, tally); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"8 passed, 6 failed, 6 skipped", // TestPasses, its part, TestToo and TestFine; TestFails and two packages
		"     4  no such machine (TestSkips, TestToo/one, TestSkips, …)\n", "     2  no reason given (TestSilent, TestSilent)\n",
		"failed: example.com/m/a TestFails\n", "failed: example.com/m/b\n",
	} {
		if !strings.Contains(total.String(), want) {
			t.Errorf("%q is not in the sum:\n%s", want, total.String())
		}
	}
}

func TestOptionsOfGoTestFollowOurOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, tally, total, test string }{
		{"-tally f -timeout 30m ./...", "f", "", "-timeout 30m ./..."},
		{"-tally f -short ./a ./b", "f", "", "-short ./a ./b"},
		{"-tally f ./a -run T", "f", "", "./a -run T"},
		{"-run T ./a", "", "", "-run T ./a"},
		{"./a", "", "", "./a"},
		{"-total f", "", "f", ""},
		{"", "", "", ""},
	} {
		tally, total, test := options(strings.Fields(c.line))
		if got := strings.Join(test, " "); tally != c.tally || total != c.total || got != c.test {
			t.Errorf("%q: tally %q, total %q, %q for go test", c.line, tally, total, got)
		}
	}
}

func TestAScriptSaysWhyItIsSkipped(t *testing.T) {
	t.Parallel()
	const printed = "    testscript.go:609: WORK=$WORK\n        HOME=$WORK/home\n        # Amend. (0.000s)\n" +
		"        > [!variant:main] [!long] skip 'GITTRACE_LONG=1 runs it in every variant'\n        \n"
	if got := reason(printed); got != "GITTRACE_LONG=1 runs it in every variant" {
		t.Errorf("the reason is %q", got)
	}
	if got := reason("    a_test.go:3: a word before\n    a_test.go:4: no such machine\n"); got != "no such machine" {
		t.Errorf("the reason is %q", got)
	}
}

// What the tests of a program said is not lost when it dies before they end.
func TestAProgramThatDiesIsHeard(t *testing.T) {
	enterModule(t, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"d/d_test.go": `package d

import (
	"os"
	"testing"
)

func TestDies(t *testing.T) {
	t.Parallel()
	t.Run("below", func(t *testing.T) { os.Stderr.WriteString("the last word\n"); os.Exit(66) })
}
`,
	})
	var screen bytes.Buffer
	if _, status, err := runTests(&screen, []string{"./..."}); err != nil || status == 0 {
		t.Errorf("status %d, %v", status, err)
	}
	if !strings.Contains(screen.String(), "the last word") {
		t.Errorf("the screen shows %s", screen.String())
	}
}
