package language_test

import (
	"testing"

	"github.com/git-trace/git-trace/records/language"
)

func TestTheLanguageOfAFile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"/src/main.go": {"Go", "go"}, "a.PY": {"Python", "python"}, `C:\src\App.tsx`: {"TypeScript", "typescript"},
		"sub/Dockerfile": {"Dockerfile", "dockerfile"}, "Makefile": {"Makefile", "makefile"}, "x.yml": {"YAML", "yaml"},
		"x.test.js": {"JavaScript", "javascript"}, "x.h": {"C or C++", "c"}, "a.proto": {"Protocol Buffers", "protobuf"},
		"go.mod": {"Go modules", ""}, "CMakeLists.txt": {"CMake", "cmake"}, "README": {}, "": {}, "a.unknown": {},
		".gitignore": {}, ".go": {},
	} {
		found, ok := language.Of(name)
		if have := [2]string{found.Name, found.Recorded}; have != want || ok != (want[0] != "") {
			t.Errorf("%q is %q, want %q", name, have, want)
		}
	}
	for name, want := range map[string]bool{"a.go": true, "a.sql": true, "a.json": false, "a.md": false, "a.html": false} {
		if found, _ := language.Of(name); found.Written != want {
			t.Errorf("a project is written in %s: %v", found.Name, found.Written)
		}
	}
}
