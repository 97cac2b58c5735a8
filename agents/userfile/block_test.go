package userfile_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/userfile"
)

var codex = userfile.Marked("codex-cli")

const (
	beginCodex = "# >>> git-trace codex-cli >>>\n"
	endCodex   = "# <<< git-trace codex-cli <<<\n"
)

func TestABlockComesAndGoesWithoutATrace(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		before   []byte
		put, top string
	}{
		"no file":    {nil, beginCodex + "a\n" + endCodex, beginCodex + "/a\n" + endCodex},
		"empty":      {[]byte{}, "\n" + beginCodex + "a\n" + strings.TrimSuffix(endCodex, "\n"), beginCodex + "/a\n" + strings.TrimSuffix(endCodex, "\n")},
		"lines":      {[]byte("x\n"), "x\n" + beginCodex + "a\n" + endCodex, beginCodex + "/a\n" + endCodex + "x\n"},
		"no newline": {[]byte("x"), "x\n" + beginCodex + "a\n" + strings.TrimSuffix(endCodex, "\n"), beginCodex + "/a\n" + endCodex + "x"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			put, err := codex.Put(c.before, []byte("a\n"))
			if err != nil || string(put) != c.put {
				t.Errorf("put at the end: %q, %v; want %q", put, err, c.put)
			}
			again, err := codex.Put(put, []byte("b\nc\n"))
			if want := strings.Replace(c.put, "a\n", "b\nc\n", 1); err != nil || string(again) != want {
				t.Errorf("put anew: %q, %v; want %q", again, err, want)
			}
			if got := codex.Inner(again); string(got) != "b\nc\n" {
				t.Errorf("the block holds %q", got)
			}
			top, err := codex.Ignore(c.before, "a")
			if err != nil || string(top) != c.top {
				t.Errorf("put at the top: %q, %v; want %q", top, err, c.top)
			}
			for _, with := range [][]byte{put, again, top} {
				rest, err := codex.Take(with)
				if err != nil || string(rest) != string(c.before) || (rest == nil) != (c.before == nil) {
					t.Errorf("taken out of %q: %q, %v; want %q", with, rest, err, c.before)
				}
			}
			if other, err := userfile.Marked("").Take(put); err != nil || string(other) != c.put {
				t.Errorf("the block of another name was touched: %q, %v", other, err)
			}
		})
	}
}

func TestDamagedMarksAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\n" + beginCodex + "b\n", endCodex, beginCodex + beginCodex + endCodex} {
		if _, err := codex.Put([]byte(text), nil); !errors.Is(err, userfile.ErrDamaged) {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := codex.Ignore([]byte(text), "x"); !errors.Is(err, userfile.ErrDamaged) {
			t.Errorf("%q: %v", text, err)
		}
		if inner := codex.Inner([]byte(text)); inner != nil {
			t.Errorf("%q holds %q", text, inner)
		}
	}
}

// Git is asked what the lines mean, with names that a pattern would read otherwise.
func TestAnIgnoreFileHidesTheseFilesAndNoOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q")
	names := []string{"plain", "a*b?[c]", `a\b`, "trailing  ", "#hash", "!bang", "kept"}
	for _, name := range append(names, "axbyc", "trailing", filepath.Join("sub", "plain")) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), "", 0o600)
	}
	file, err := userfile.Exclude(filepath.Join(dir, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := userfile.Marked("").Ignore(append(file.Data, "!/kept\n"...), names...)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Replace(data); err != nil {
		t.Fatal(err)
	}
	want := "axbyc\x00kept\x00sub/plain\x00trailing\x00"
	if got := git("ls-files", "-z", "--others", "--exclude-standard"); got != want {
		t.Errorf("git sees %q, want %q", got, want)
	}
}

func FuzzABlockIsTakenOutAsItWasPutIn(f *testing.F) {
	for _, seed := range []string{"", "a", "a\n", "\n", beginCodex, endCodex, beginCodex + endCodex} {
		f.Add([]byte(seed), []byte("x\n"))
	}
	f.Fuzz(func(t *testing.T, doc, inner []byte) {
		if start, _, err := codex.Find(doc); err != nil || start >= 0 {
			return
		}
		if start, _, err := codex.Find(inner); err != nil || start >= 0 || len(inner) > 0 && inner[len(inner)-1] != '\n' {
			return
		}
		put, err := codex.Put(doc, inner)
		if err != nil {
			t.Fatal(err)
		}
		if got := codex.Inner(put); string(got) != string(inner) {
			t.Errorf("%q holds %q", put, got)
		}
		if rest, err := codex.Take(put); err != nil || string(rest) != string(doc) {
			t.Errorf("%q comes back as %q, %v", doc, rest, err)
		}
	})
}
