package steering

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/records/treetrace"
)

// ecosystem describes how a language declares and imports packages.
type ecosystem struct {
	ends      []string // the endings of source files
	manifests []string // manifests in the directory of a source file, or above it
	missing   []*regexp.Regexp
	local     []string // the paths of the project's own modules, with % for the name
	imports   string   // an expression for a line that imports a module, with % for its name
	below     bool     // a module contains packages below its name
	within    bool     // a package may have a longer name than its module
}

var ecosystems = sync.OnceValue(func() []ecosystem {
	say := func(list ...string) (out []*regexp.Regexp) {
		for _, expression := range list {
			out = append(out, regexp.MustCompile(expression))
		}
		return out
	}
	return []ecosystem{
		{
			ends:      []string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte"},
			manifests: []string{"package.json"},
			missing: say(`Cannot find (?:module|package) '(@?[\w-][\w.-]*(?:/[\w.-]+)*)'`,
				`Failed to resolve import "(@?[\w-][\w./-]*)"`, `Could not resolve "(@?[\w-][\w./-]*)"`),
			imports: `(?:from|import|require\()\s*['"]%['"/]`,
		},
		{
			ends: []string{".py"},
			manifests: []string{"pyproject.toml", "requirements.txt", "requirements-dev.txt", "setup.py", "setup.cfg",
				"Pipfile"},
			missing: say(`(?:ModuleNotFoundError|ImportError): No module named '?(\w+)`),
			local:   []string{"%.py", "%", "src/%", "src/%.py", "lib/%", "tests/%.py"},
			imports: `(?m)^\s*(?:from|import)\s+%\b`,
			within:  true,
		},
		{
			ends: []string{".go"}, manifests: []string{"go.mod"},
			missing: say(`no required module provides package ([\w./~-]+)`,
				`cannot find module providing package ([\w./~-]+)`),
			imports: `"%"`,
			below:   true,
		},
		{
			ends: []string{".rs"}, manifests: []string{"Cargo.toml"},
			missing: say("unresolved import `(\\w+)", "undeclared (?:crate|type) or module `(\\w+)`",
				"unresolved module or unlinked crate `(\\w+)`", "can't find crate for `(\\w+)`"),
			local:   []string{"src/%.rs", "src/%"},
			imports: `\b%\b`,
		},
	}
})

// inventedImports finds packages that the agent's lines import and no manifest declares, neither at that time nor at
// the end of the conversation. A call must have failed because of the package. The person must not have named it. It
// finds nothing without a snapshot that has a manifest.
func (a *analysis) inventedImports(c *conversation) {
	if c.Known == nil || c.Known.Read == nil {
		return
	}
	done := map[string]bool{}
	for _, t := range c.everyTurn() {
		for _, one := range t.calls {
			if !one.failed() || one.command == "" {
				continue
			}
			for _, e := range ecosystems() {
				for _, name := range e.lacking(one.output) {
					file := c.importedBy(one, &e, name)
					if done[name] || file == "" ||
						c.prompted(t, func(text string) bool { return strings.Contains(text, name) }) {
						continue
					}
					done[name] = true
					a.heldAgainst(c, t, one, &e, name, file)
				}
			}
		}
	}
}

// lacking returns the packages that an output reports as missing.
func (e *ecosystem) lacking(output string) (names []string) {
	const most = 16 << 10
	output = output[:min(len(output), most)]
	for _, find := range e.missing {
		for _, m := range find.FindAllStringSubmatch(output, 10) {
			if name := packageOf(m[1]); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// packageOf returns the package of a JavaScript module: a for a/b, @s/a for @s/a/b. A Go path is returned unchanged.
func packageOf(module string) string {
	parts := strings.Split(module, "/")
	switch {
	case strings.HasPrefix(module, "@") && len(parts) > 1:
		return parts[0] + "/" + parts[1]
	case strings.Contains(parts[0], "."):
		return module
	}
	return parts[0]
}

// importedBy returns the file in which the agent imported a package before a call; "" if there is none.
func (c *conversation) importedBy(failed *call, e *ecosystem, name string) (file string) {
	find, err := regexp.Compile(strings.ReplaceAll(e.imports, "%", regexp.QuoteMeta(name)))
	if err != nil {
		return ""
	}
	for _, one := range c.all {
		if one == failed {
			return file
		}
		for i := range one.edits {
			edit := &one.edits[i]
			at := c.places.relative(edit.Path)
			if one.succeeded() && inside(at) && slices.Contains(e.ends, path.Ext(at)) && find.MatchString(edit.New) &&
				!find.MatchString(edit.Old) {
				file = at
			}
		}
	}
	return file
}

// heldAgainst searches the manifests above a file for a package, at the time of a call and at the end.
func (a *analysis) heldAgainst(c *conversation, t *turn, one *call, e *ecosystem, name, file string) {
	declared, asked := c.declares(e, one.id, c.Known.Prompts[t.step], name, file)
	if asked == "" {
		return
	}
	a.doc.Hallucinations.Verified, a.doc.Hallucinations.ManifestSeen = true, true
	if !declared {
		declared, _ = c.declares(e, "", 0, name, file)
	}
	if declared || c.installedLater(one, name) {
		return
	}
	evidence := file + " imports " + name + ", which no manifest declares: " + oneLine(one.said(), 80)
	a.fail(failure{kind: treetrace.HallucinatedPath, turn: t, confidence: 0.95, subject: name, aPackage: true,
		evidence: evidence})
	a.missing(t, treetrace.HallucinatedPackage, name, evidence, asked, treetrace.ReferenceCheck{
		Type: "import_existence_check", Task: "Check that a package is declared before it is imported.", Target: name,
	})
}

// `names` reports whether a word in a manifest names the package that contains a module.
func (e *ecosystem) names(word, module string) bool {
	plain := func(text string) string {
		return strings.NewReplacer("_", "-", ".", "-").Replace(strings.ToLower(text))
	}
	word, name := plain(word), plain(module)
	if other := otherNames[name]; e.within && other != "" {
		name = other
	}
	return word == name || e.below && strings.HasPrefix(name, word+"/") || e.within && strings.Contains(word, name)
}

// otherNames maps Python modules to packages with another name.
var otherNames = map[string]string{"cv2": "opencv", "pil": "pillow", "sklearn": "scikit-learn", "bs4": "beautifulsoup4"}

// `declares` reports whether a manifest in the directory of a file or above names a package, or whether the project
// itself contains such a module. The result `asked` is "" if there is no manifest.
func (c *conversation) declares(e *ecosystem, call string, prompt int, name, file string) (declared bool,
	asked string) {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		for _, manifest := range e.manifests {
			text, tree := c.Known.Read(call, prompt, path.Join(dir, manifest))
			if tree == "" {
				continue
			}
			asked = tree
			for line := range strings.Lines(string(text)) {
				for _, word := range packageWords(line) {
					declared = declared || e.names(word, name)
				}
			}
			declared = declared || strings.Contains(string(text), `"workspaces"`) // packages of the project are not dependencies
		}
		for _, place := range e.local {
			there, _ := c.Known.There(call, prompt, path.Join(dir, strings.ReplaceAll(place, "%", name)))
			declared = declared || there
		}
		if dir == "." {
			return declared, asked
		}
	}
}
