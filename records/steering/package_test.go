package steering_test

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/records/treetrace"
)

// A package is invented if its registry says that it does not have it, the agent named it, nobody else did, and no
// later call installed it.
func TestPackagesThatNoRegistryHasAreFound(t *testing.T) {
	t.Parallel()
	const npm = "npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/left-padd - Not found\n" +
		"npm error 404\nnpm error 404  'left-padd@*' is not in this registry."
	write := map[string]string{"file_path": "package.json", "content": `{"dependencies": {"left-padd": "^1.0.0"}}`}
	for name, test := range map[string]struct {
		talk *talk
		want string // "" if there must be none
	}{
		"npm":   {newTalk("a").says("pad it").failing("npm install left-padd", npm), "left-padd"},
		"a tag": {newTalk("a").says("pad it").failing("npm i left-padd@latest", strings.Replace(npm, "@*", "@latest", 1)), "left-padd"},
		"a scope": {newTalk("a").says("pad it").failing("npm i @acme/pad",
			"npm ERR! 404  '@acme/pad@*' is not in the npm registry."), "@acme/pad"},
		"pnpm": {newTalk("a").says("pad it").failing("pnpm add left-padd",
			" ERR_PNPM_FETCH_404  GET https://registry.npmjs.org/left-padd: Not Found - 404\n\nleft-padd is not in the npm registry, or you have no permission to fetch it."), "left-padd"},
		"yarn": {newTalk("a").says("pad it").failing("yarn add left-padd", `error Couldn't find package "left-padd" on the "npm" registry.`), "left-padd"},
		"pip": {newTalk("a").says("pad it").failing("pip install leftpadd",
			"ERROR: Could not find a version that satisfies the requirement leftpadd (from versions: none)\nERROR: No matching distribution found for leftpadd"), "leftpadd"},
		"cargo": {newTalk("a").says("pad it").failing("cargo add leftpadd", "error: the crate `leftpadd` could not be found in registry index."), "leftpadd"},
		"go": {newTalk("a").says("pad it").failing("go get example.com/nobody/pad@latest",
			"go: module example.com/nobody/pad: reading https://proxy.golang.org/example.com/nobody/pad/@v/list: 404 Not Found"), "example.com/nobody/pad"},
		"gem":                             {newTalk("a").says("pad it").failing("gem install leftpadd", "ERROR:  Could not find a valid gem 'leftpadd' (>= 0) in any repository"), "leftpadd"},
		"a manifest that the agent wrote": {newTalk("a").says("pad it").call("Write", write, "", "").failing("npm install", npm), "left-padd"},

		"a manifest of others":      {newTalk("a").says("build it").failing("npm install", npm), ""},
		"the person named it":       {newTalk("a").says("use left-padd").failing("npm install left-padd", npm), ""},
		"it was installed later":    {newTalk("a").says("pad it").failing("npm install left-padd", npm).runs("npm install left-padd"), ""},
		"the name was only printed": {newTalk("a").says("pad it").failing("npm install left-padd", npm).runs("echo left-padd"), "left-padd"},
		"a version that is not there": {newTalk("a").says("pad it").failing("pip install six==99",
			"ERROR: Could not find a version that satisfies the requirement six==99 (from versions: 0.9.0, 1.0)\nERROR: No matching distribution found for six==99"), ""},
		"no network": {newTalk("a").says("pad it").failing("pip install requests",
			"Retrying: Failed to establish a new connection: [Errno -2]\nERROR: Could not find a version that satisfies the requirement requests (from versions: none)"), ""},
		"a private module": {newTalk("a").says("pad it").failing("go get github.com/acme/pad",
			"go: module github.com/acme/pad: reading https://proxy.golang.org/github.com/acme/pad/@v/list: 404 Not Found\nfatal: could not read Username for 'https://github.com'"), ""},
		"a log of it that was read": {newTalk("a").says("why?").runs("cat npm-debug.log"), ""},
	} {
		d := test.talk.document(t)
		list := d.Hallucinations.List
		switch f := has(d, treetrace.HallucinatedPath, "node_001"); {
		case test.want == "" && (f != nil || len(list) > 0):
			t.Errorf("%s: %+v, %+v", name, f, list)
		case test.want != "" && (f == nil || len(list) != 1 || list[0].Reference != test.want ||
			list[0].Category != treetrace.HallucinatedPackage || list[0].EvalCandidate.Type != "import_existence_check"):
			t.Errorf("%s: %+v, %+v", name, f, list)
		}
	}
	d := newTalk("a").says("pad it").call("Write", write, "", "").failing("npm install", npm).document(t)
	if len(d.Lessons) == 0 || !d.Hallucinations.ManifestSeen {
		t.Errorf("%+v, %v", d.Lessons, d.Hallucinations.ManifestSeen)
	}
	raw, err := treetrace.HallucinationsFile(d)
	if err != nil || !strings.Contains(string(raw), `"hallucinated_import_or_package": 1`) {
		t.Errorf("%v: %s", err, raw)
	}
}

// A package that the agent's lines import is held against the manifests of that moment, and of the end.
func TestImportsAreHeldAgainstManifests(t *testing.T) {
	t.Parallel()
	const lost = "Exit code 1\nError: Cannot find module 'left-padd'\nRequire stack:\n- /srv/app/src/a.js"
	wrote := func(path, text string) *talk {
		return newTalk("a").says("pad the names").call("Write", map[string]string{"file_path": path, "content": text}, "", "File created successfully")
	}
	js := func() *talk { return wrote("src/a.js", "const pad = require('left-padd')\n") }
	for name, test := range map[string]struct {
		talk       *talk
		files, end map[string]string // by their path; end is nil if nothing changes
		want       int
	}{
		"no manifest declares it":          {js().failing("node src/a.js", lost), map[string]string{"package.json": `{"dependencies":{"express":"^4"}}`}, nil, 1},
		"a manifest above declares it":     {js().failing("node src/a.js", lost), map[string]string{"package.json": `{"dependencies":{"left-padd":"^1"}}`}, nil, 0},
		"a manifest beside it declares it": {js().failing("node src/a.js", lost), map[string]string{"package.json": `{}`, "src/package.json": `{"devDependencies":{"left-padd":"^1"}}`}, nil, 0},
		"it is declared in the end":        {js().failing("node src/a.js", lost), map[string]string{"package.json": `{}`}, map[string]string{"package.json": `{"dependencies":{"left-padd":"^1"}}`}, 0},
		"it is installed later":            {js().failing("node src/a.js", lost).runs("npm install left-padd"), map[string]string{"package.json": `{}`}, nil, 0},
		"there is no manifest":             {js().failing("node src/a.js", lost), map[string]string{"README": "left"}, nil, 0},
		"packages of the repository":       {js().failing("node src/a.js", lost), map[string]string{"package.json": `{"workspaces":["packages/*"]}`}, nil, 0},
		"somebody else's line imports it":  {newTalk("a").says("run it").failing("node src/a.js", lost), map[string]string{"package.json": `{}`}, nil, 0},
		"the person named it":              {newTalk("a").says("use left-padd").call("Write", map[string]string{"file_path": "src/a.js", "content": "import p from 'left-padd'\n"}, "", "ok").failing("node src/a.js", lost), map[string]string{"package.json": `{}`}, nil, 0},
		"a file of the project":            {wrote("src/a.js", "require('./b')\n").failing("node src/a.js", "Error: Cannot find module './b'"), map[string]string{"package.json": `{}`}, nil, 0},
		"Python":                           {wrote("a.py", "import requestz\n").failing("python a.py", "ModuleNotFoundError: No module named 'requestz'"), map[string]string{"requirements.txt": "requests==2\n"}, nil, 1},
		"another name of the module":       {wrote("a.py", "from PIL import Image\n").failing("python a.py", "ModuleNotFoundError: No module named 'PIL'"), map[string]string{"pyproject.toml": "dependencies = [\"Pillow>=9\"]\n"}, nil, 0},
		"a longer name of the package":     {wrote("a.py", "import yaml\n").failing("python a.py", "ModuleNotFoundError: No module named 'yaml'"), map[string]string{"requirements.txt": "PyYAML\n"}, nil, 0},
		"a module of the project":          {wrote("tools/a.py", "import helpers\n").failing("python tools/a.py", "ModuleNotFoundError: No module named 'helpers'"), map[string]string{"pyproject.toml": "[project]\n", "src/helpers": "dir"}, nil, 0},
		"Go":                               {wrote("a.go", "import (\n\t\"github.com/x/y/z\"\n)\n").failing("go build ./...", "a.go:4:2: no required module provides package github.com/x/y/z; to add it:"), map[string]string{"go.mod": "module m\n\nrequire github.com/x/other v1\n"}, nil, 1},
		"Go, below a module":               {wrote("a.go", "import \"github.com/x/y/z\"\n").failing("go build ./...", "a.go:4:2: no required module provides package github.com/x/y/z; to add it:"), map[string]string{"go.mod": "module m\n\nrequire github.com/x/y v1\n"}, nil, 0},
		"Rust":                             {wrote("src/main.rs", "use serd::de;\n").failing("cargo build", "error[E0432]: unresolved import `serd`"), map[string]string{"Cargo.toml": "[dependencies]\nserde = \"1\"\n"}, nil, 1},
		"Rust, a dash in the name":         {wrote("src/main.rs", "use tokio_util::x;\n").failing("cargo build", "error[E0432]: unresolved import `tokio_util`"), map[string]string{"Cargo.toml": "[dependencies]\ntokio-util = \"1\"\n"}, nil, 0},
	} {
		at := func(call string, path string) (string, bool) {
			text, there := test.files[path]
			if call == "" && test.end != nil {
				text, there = test.end[path]
			}
			return text, there
		}
		known := &steering.Known{
			There: func(call string, _ int, path string) (bool, string) { _, there := at(call, path); return there, "tree" },
			Read: func(call string, _ int, path string) ([]byte, string) {
				if text, there := at(call, path); there {
					return []byte(text), "tree"
				}
				return nil, ""
			},
		}
		d := document(t, steering.Conversation{Record: test.talk.r, Known: known})
		found := 0
		for _, h := range d.Hallucinations.List {
			if h.Category == treetrace.HallucinatedPackage && h.CheckedAt == "tree" {
				found++
			}
		}
		if found != test.want || !d.Hallucinations.ManifestSeen && test.want > 0 {
			t.Errorf("%s: %+v", name, d.Hallucinations)
		}
	}
}
