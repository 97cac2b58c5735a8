package web

import (
	"strings"
	"testing"
)

func show(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Marked {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestChangedWordsAreMarked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, wantA, wantB string }{
		{"return nil", "return err", "return [nil]", "return [err]"},
		{"f(a, b)", "f(a, c, b)", "f(a, b)", "f(a, [c, ]b)"},
		{"same", "same", "same", "same"},
		{"nothing alike", "= 7", "nothing alike", "= 7"},
		{"", "new", "", "new"},
		{"größe = 1", "größe = 2", "größe = [1]", "größe = [2]"},
	} {
		a, b := changed(c.a, c.b)
		if show(a) != c.wantA || show(b) != c.wantB {
			t.Errorf("%q, %q: %q, %q", c.a, c.b, show(a), show(b))
		}
	}
}

// Lines of files that look like headers are lines; what is no diff at all is left out.
func TestAPatchIsRead(t *testing.T) {
	t.Parallel()
	list := readPatch([]byte("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ func\n" +
		"--- a/y\n+diff --git a/z b/z\n same\n\\ No newline at end of file\n" +
		"diff --git \"a/t\\tab\" \"b/t\\tab\"\nnew file mode 100644\n--- /dev/null\n+++ \"b/t\\tab\"\n@@ -0,0 +1 @@\n+one\n" +
		"diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n"))
	if len(list) != 3 {
		t.Fatalf("%d files", len(list))
	}
	x, tab, renamed := list[0], list[1], list[2]
	if x.Path != "x" || x.Added != 1 || x.Removed != 1 || x.Hunks[0].Rows[0].text != "-- a/y" || x.Hunks[0].Rows[2].New != 2 {
		t.Errorf("%+v", x)
	}
	if tab.Path != "t\tab" || tab.Note != "new" || tab.Added != 1 {
		t.Errorf("%+v", tab)
	}
	if renamed.Path != "new" || renamed.OldPath != "old" || renamed.Note != "renamed" {
		t.Errorf("%+v", renamed)
	}
	for _, odd := range []string{"", "nonsense", "@@ -1 +1 @@\n+x\n", "diff --git\n@@\n@@ x y @@\n+\n-\n", "diff --git a b\n+++ \"\n"} {
		readPatch([]byte(odd))
	}
}
