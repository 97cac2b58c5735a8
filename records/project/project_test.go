package project_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records/project"
)

func TestTheLanguageOfAFile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"/src/main.go": "go", "a.PY": "python", `C:\src\App.tsx`: "typescript", "Dockerfile": "dockerfile", "Makefile": "makefile",
		"x.yml": "yaml", "README": "", "": "", "a.unknown": "", ".gitignore": "", "lib.rs": "rust", "x.test.js": "javascript",
	} {
		if got := project.Language(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

func TestTheEcosystemIsWhatWasTouchedMost(t *testing.T) {
	t.Parallel()
	var facts project.Facts
	facts.Read("a.py")
	facts.Read("b.py")
	facts.Wrote("main.go")
	facts.Wrote("README.md")
	facts.Read("x.json")
	facts.Read("z.rs")
	facts.Read("y.rb")
	if got := facts.Ecosystem(); !slices.Equal(got, []string{"go", "python", "ruby", "rust"}) {
		t.Errorf("got %q", got)
	}
}

func TestDependenciesThatACommandInstalls(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, command, want string }{
		{"npm with versions", "npm install react@18 @types/node@20 --save-dev", "@types/node react"},
		{"npm without names", "npm install", ""},
		{"pip with extras and a file", `pip install "requests[socks]>=2" -r requirements.txt flask==3.0`, "flask requests"},
		{"pip as a module, after another command", "cd app && python3 -m pip install numpy; echo done", "numpy"},
		{"uv", "uv add httpx && uv pip install ruff", "httpx ruff"},
		{"go get", "go get github.com/a/b@v1.2.3 ./...", "github.com/a/b"},
		{"cargo, with an assignment before", "RUSTFLAGS=-g cargo add serde --features derive", "serde"},
		{"what only a shell can expand", "npm install $PKG `cat x`", ""},
		{"a local path or an address", "pip install . ./x git+https://host/x.git", ""},
		{"output to a file", "npm install zod > log.txt 2>&1", "zod"},
		{"a word in another command", "echo pip install x && grep add file", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var facts project.Facts
			facts.Ran(test.command)
			if got := strings.Join(facts.Sorted(), " "); got != test.want {
				t.Errorf("%q installs %q, want %q", test.command, got, test.want)
			}
		})
	}
}

func TestDependenciesOfAManifest(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, file, content, want string }{
		{"package.json", "/x/package.json", `{"name":"a","dependencies":{"zod":"^3"},"devDependencies":{"vitest":"1"},"scripts":{"x":"y"}}`, "vitest zod"},
		{"a broken package.json", "package.json", `{"dependencies":{"zod":"^3",`, "zod"},
		{"go.mod", "go.mod", "module m\nrequire github.com/one/x v1\nrequire (\n\tgithub.com/a/b v1.0.0\n\tgithub.com/c/d v1 // indirect\n)\n", "github.com/a/b github.com/one/x"},
		{"Cargo.toml", "Cargo.toml", "[package]\nname = \"x\"\n[dependencies]\nserde = \"1\"\n# no = 1\ntokio = { version = \"1\" }\n[profile.dev]\nopt = 1\n", "serde tokio"},
		{"pyproject.toml", "pyproject.toml", "[project]\ndependencies = [\n  \"httpx>=0.2\",\n  'rich',\n]\n[tool.poetry.dependencies]\npython = \"^3.11\"\nflask = \"3\"\n", "flask httpx rich"},
		{"tables of Cargo.toml", "Cargo.toml", "[dependencies.serde]\nversion = \"1\"\nfeatures = [\n  \"derive\",\n]\n[dependencies]\nrand.version = \"1\"\n\"a-b\" = '1'\n[workspace]\ndependencies = { tokio = { version = \"1\" } }\n[[bin]]\nname = \"x\"\n", "a-b rand serde tokio"},
		{"a text of several lines holds no dependency", "Cargo.toml", "[package]\ndescription = \"\"\"\n[dependencies]\nno = 1\n\"\"\"\n[dev-dependencies]\nyes = \"1\"\n", "yes"},
		{"groups of Poetry", "pyproject.toml", "[tool.poetry.group.dev]\noptional = true\n[tool.poetry.group.dev.dependencies]\npytest = \"8\"\n", "pytest"},
		{"a list with comments and brackets", "pyproject.toml", "[project]\ndependencies = [ # all\n  \"uvicorn[standard]>=0.2\", # the server\n  \"rich\"]\n[build-system]\nrequires = [\"setuptools\"]\n", "rich uvicorn"},
		{"what stands before an error counts", "Cargo.toml", "[dependencies]\nserde = \"1\"\n<<<<<<< HEAD\nno = \"1\"\n", "serde"},
		{"pyproject.toml on one line", "pyproject.toml", "dependencies = [\"a\", \"b>1\"]\nx = [\"c\"]\n", "a b"},
		{"requirements.txt", "requirements.txt", "# c\n-r other.txt\nnumpy==1.0\n\nscipy ; python_version > '3'\nhttps://x/y.whl\n", "numpy scipy"},
		{"another file", "main.go", "require x", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var facts project.Facts
			facts.Saw(test.file, test.content)
			if got := strings.Join(facts.Sorted(), " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func FuzzFacts(f *testing.F) {
	f.Add("npm install a && pip install b[c]", "package.json", `{"dependencies":{"x":1}}`)
	f.Add("go get x.y/z", "pyproject.toml", "dependencies = [\n\"a\"]\n]")
	f.Fuzz(func(t *testing.T, command, name, content string) {
		var facts project.Facts
		facts.Ran(command)
		facts.Saw(name, content)
		facts.Wrote(name)
		if len(facts.Sorted()) > 200 {
			t.Error("no limit")
		}
		for _, dependency := range facts.Sorted() {
			if strings.ContainsAny(dependency, " \n\x1b\"") || dependency == "" {
				t.Errorf("%q is taken for a dependency", dependency)
			}
		}
	})
}
