package applypatch_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/agents/applypatch"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

func TestAPatchDeclaresItsPathsAndTexts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, patch string
		paths       []string
		edits       []events.DeclaredEdit
	}{
		{
			"an update gives a text for each hunk",
			"*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n@@ func\n-six\n+6\n*** End of File\n*** End Patch\n",
			[]string{"/work/a.txt"},
			[]events.DeclaredEdit{{Path: "/work/a.txt", Old: "one\ntwo\n", New: "one\n2\n"}, {Path: "/work/a.txt", Old: "six\n", New: "6\n"}},
		},
		{
			"a new file is all new", "*** Begin Patch\n*** Add File: /abs/n.txt\n+x\n+\n*** End Patch",
			[]string{"/abs/n.txt"}, []events.DeclaredEdit{{Path: "/abs/n.txt", New: "x\n\n"}},
		},
		{"a deleted file has no text", "*** Begin Patch\n*** Delete File: d.txt\n*** End Patch", []string{"/work/d.txt"}, nil},
		{
			"a moved file is declared under both names",
			"*** Begin Patch\n*** Update File: b.py\n*** Move to: lib/c.py\n@@\n-1\n+2\n*** End Patch",
			[]string{"/work/b.py", "/work/lib/c.py"}, []events.DeclaredEdit{{Path: "/work/lib/c.py", Old: "1\n", New: "2\n"}},
		},
		{
			"line ends of Windows are those of the patch, not of its lines",
			"*** Begin Patch\r\n*** Update File: a.txt\r\n@@\r\n-a\r\n+b\r\n*** End Patch\r\n",
			[]string{"/work/a.txt"}, []events.DeclaredEdit{{Path: "/work/a.txt", Old: "a\n", New: "b\n"}},
		},
		{"no patch declares nothing", "hello\n+x\n", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			paths, edits := applypatch.Declare(tt.patch, "/work", "/home/dev")
			if !slices.Equal(paths, tt.paths) || !reflect.DeepEqual(edits, tt.edits) {
				t.Errorf("got %q, %+v", paths, edits)
			}
		})
	}
}

func TestAHereDocumentForApplyPatchIsAPatch(t *testing.T) {
	t.Parallel()
	const patch = "*** Begin Patch\n*** Add File: x\n+1\n*** End Patch"
	tests := []struct {
		name, command, dir string
		found              bool
	}{
		{"quoted", "apply_patch <<'EOF'\n" + patch + "\nEOF", "/work", true},
		{"bare, with a line end behind it", "apply_patch <<EOF\n" + patch + "\nEOF\n", "/work", true},
		{"after cd", "cd sub && apply_patch <<\"P\"\n" + patch + "\nP", "/work/sub", true},
		{"another command follows", "apply_patch <<'EOF'\n" + patch + "\nEOF\nmake", "", false},
		{"another command comes before", "make; apply_patch <<'EOF'\n" + patch + "\nEOF", "", false},
		{"never closed", "apply_patch <<'EOF'\n" + patch, "", false},
		{"another program", "cat <<'EOF'\n" + patch + "\nEOF", "", false},
		{"no here-document", "ls -l", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, dir, found := applypatch.Command(tt.command, "/work", "/home/dev")
			if found != tt.found || found && (got != patch || dir != tt.dir) {
				t.Errorf("got %q in %q, %v", got, dir, found)
			}
		})
	}
}

func FuzzPatch(f *testing.F) {
	f.Add("*** Begin Patch\n*** Update File: a\n*** Move to: ../b\n@@\n-1\n+2\n*** End Patch\n")
	f.Add("apply_patch <<EOF\n*** Begin Patch\n*** Add File: x\n+1\n*** End Patch\nEOF")
	f.Fuzz(func(t *testing.T, text string) {
		patch, dir, found := applypatch.Command(text, "/work", "/home/dev")
		if !found {
			patch, dir = text, "/work"
		}
		paths, edits := applypatch.Declare(patch, dir, "/home/dev")
		for _, path := range paths {
			if payload.AbsPath(path) != path {
				t.Errorf("%q is not a clean absolute path", path)
			}
		}
		for _, edit := range edits {
			if !slices.Contains(paths, edit.Path) {
				t.Errorf("a text for %q, which is not declared", edit.Path)
			}
		}
	})
}
