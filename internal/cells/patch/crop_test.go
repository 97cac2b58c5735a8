package patch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A window is a patch by itself: git applies it where its ranges say.
func TestAWindowOfAPatchIsAPatch(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	dir := t.TempDir()
	windows := 0
	for round := range 60 {
		before, after, changes := altered(rng)
		if len(changes) == 0 {
			continue
		}
		file, err := Of("a", "a", before, after, changes)
		if err != nil {
			t.Fatal(err)
		}
		c := changes[rng.IntN(len(changes))]
		line := max(c.NewStart, 1) + rng.IntN(c.NewCount+1)
		text, err := file.Draw(Style{Crop: &Crop{Line: line, Rows: 1 + rng.IntN(9)}})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.ContainsAny(text, "+-") || strings.Count(text, "\n+")+strings.Count(text, "\n-") == 0 {
			continue // unchanged lines alone are no patch
		}
		windows++
		if err := os.WriteFile(filepath.Join(dir, "a"), before, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := git(t, dir, "--- a/a\n+++ b/a\n"+text, "apply", "--unidiff-zero", "-"); err != nil {
			t.Fatalf("round %d: %s\n%s\nof\n%s", round, out, text, before)
		}
	}
	if windows < 20 {
		t.Errorf("%d windows are too few", windows)
	}
}

func TestAWindowStandsAroundItsLine(t *testing.T) {
	t.Parallel()
	var now strings.Builder
	for i := range 40 {
		fmt.Fprintf(&now, "line %d\n", i+1)
	}
	file, err := Of("", "new.txt", nil, []byte(now.String()), []Change{{0, 0, 1, 40}})
	if err != nil {
		t.Fatal(err)
	}
	leftOut := func(lines int) string { return fmt.Sprintf("… %d more\n", lines) }
	for line, want := range map[int]string{
		1:  "@@ -0,0 +1,3 @@ new.txt\n+line 1\n+line 2\n+line 3\n… 37 more\n",
		20: "@@ -0,0 +19,3 @@ new.txt\n… 18 more\n+line 19\n+line 20\n+line 21\n… 19 more\n",
		40: "@@ -0,0 +38,3 @@ new.txt\n… 37 more\n+line 38\n+line 39\n+line 40\n",
		99: "@@ -0,0 +38,3 @@ new.txt\n… 37 more\n+line 38\n+line 39\n+line 40\n",
	} {
		got, err := file.Draw(Style{Crop: &Crop{Line: line, Rows: 3, Title: "new.txt", LeftOut: leftOut}})
		if err != nil || got != want {
			t.Errorf("line %d: %v, got:\n%swant:\n%s", line, err, got, want)
		}
	}
	coloured, err := file.Draw(Style{Color: true, Crop: &Crop{Line: 1, Rows: 1}})
	if err != nil || coloured != "\x1b[36m@@ -0,0 +1 @@\x1b[m\n\x1b[32m+line 1\x1b[m\n" && coloured != "\x1b[36m@@ -0,0 +1 @@\x1b[m\n\x1b[32m+line 1\x1b[0m\n" {
		t.Errorf("%v %q", err, coloured)
	}
	same, err := Of("a", "a", []byte("x\n"), []byte("x\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := same.Draw(Style{Crop: &Crop{Line: 1, Rows: 3}}); err != nil || text != "" {
		t.Errorf("%q, %v", text, err)
	}
}
