package gitfacts

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// Random histories have merges, several roots, equal dates and clocks that went back.
func TestAMergeBaseIsGits(t *testing.T) {
	t.Parallel()
	near, asked := 0, 0
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		git(t, dir, "init", "-q", "-b", "main")
		var stream bytes.Buffer
		const commits = 60
		for n := 1; n <= commits; n++ {
			at := 1_700_000_000 + n/3
			if rng.IntN(8) == 0 {
				at -= rng.IntN(40)
			}
			fmt.Fprintf(&stream, "commit refs/heads/b%d\nmark :%d\ncommitter A <a@b> %d +0000\ndata 1\nx\n", n, n, at)
			if n > 2 && rng.IntN(20) > 0 {
				first := max(1, n-1-rng.IntN(6))
				fmt.Fprintf(&stream, "from :%d\n", first)
				if other := max(1, n-1-rng.IntN(12)); rng.IntN(3) == 0 && other != first {
					fmt.Fprintf(&stream, "merge :%d\n", other)
				}
			}
			fmt.Fprintf(&stream, "M 100644 inline f\ndata 3\n%03d\n", n)
		}
		cmd := exec.Command("git", "fast-import", "--quiet")
		cmd.Dir, cmd.Stdin = dir, &stream
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		repo, err := refs.Discover(dir)
		if err != nil {
			t.Fatal(err)
		}
		objects := repo.Objects()
		g := NewGit(t.Context(), repo, objects)
		ids := make([]string, commits+1)
		for n := 1; n <= commits; n++ {
			ids[n] = git(t, dir, "rev-parse", fmt.Sprintf("b%d", n))
		}
		for range 150 {
			a, b := ids[1+rng.IntN(commits)], ids[1+rng.IntN(commits)]
			cmd := exec.Command("git", "merge-base", a, b)
			cmd.Dir = dir
			raw, _ := cmd.Output() // status 1 where there is none
			want := strings.TrimSpace(string(raw))
			base, found := g.MergeBase(parse(t, a), parse(t, b))
			if found != (want != "") || found && base.String() != want {
				t.Errorf("seed %d, %s and %s: %s, git says %s", seed, a, b, base, want)
			}
			asked++
			if _, _, known := g.nearBase(parse(t, a), parse(t, b)); known {
				near++
			}
		}
		for _, name := range []string{"shallow", "info/grafts"} {
			file := filepath.Join(repo.CommonDir, name)
			if err := os.WriteFile(file, nil, 0o666); err != nil {
				t.Fatal(err)
			}
			if _, _, known := g.nearBase(parse(t, ids[1]), parse(t, ids[1])); known {
				t.Errorf("it goes by itself where %s is", name)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		if err := objects.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if near < asked*3/4 {
		t.Errorf("git was needed for %d of %d", asked-near, asked)
	}
}
