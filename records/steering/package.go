package steering

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/records/treetrace"
)

// absent are messages of package managers about a package that is not in their registry. A missing version, or a
// registry that did not answer, does not count.
var absent = sync.OnceValue(func() []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, expression := range []string{
		`npm (?:error|ERR!) 404 +'([^'\n]+)' is not in (?:this|the npm) registry`,
		`(?m)^(?:ERR_PNPM_FETCH_404 )?([@\w./-]+) is not in the npm registry`,
		`Couldn't find package "([^"\n]+)" on the "npm" registry`,
		`satisfies the requirement ([\w.-]+)[^\n]*\(from versions: none\)`,
		`Because (\S+) was not found in the package registry`,
		`Could not find a matching version of package ([\w./-]+)`, // composer
		"the crate `([^`\n]+)` could not be found in registry",
		"no matching package named `([^`\n]+)` found",
		`go: (?:module )?([\w.-]+\.[a-z]+/[^\s@:]+)\S*: reading https?://\S+: (?:404|410)`,
		`Could not find a valid gem '([^'\n]+)'`,
		`Unable to find package (\S+?)\. No packages exist with this id`,
	} {
		out = append(out, regexp.MustCompile(expression))
	}
	return out
})

// unanswered are messages about a registry that was not reached, or that wanted a login.
var unanswered = []string{
	"failed to establish a new connection", "temporary failure in name resolution", "could not resolve host",
	"enotfound", "eai_again", "etimedout", "econnrefused", "network is unreachable", "offline", "no such host",
	"connection refused", "read timed out", "certificate verify failed", "requires a different python",
	"could not read username", "authentication failed", "401",
}

// absentPackage returns the package that a registry does not have, by the output of a call.
func absentPackage(output string) (string, bool) {
	const most = 16 << 10
	if len(output) > most {
		output = output[:most]
	}
	if containsAny(strings.ToLower(output), unanswered...) {
		return "", false
	}
	for _, find := range absent() {
		if m := find.FindStringSubmatch(output); m != nil {
			return withoutVersion(oneLine(m[1], 120)), true
		}
	}
	return "", false
}

// withoutVersion returns a package without its version: left-padd@^1.0.0, @scope/x@latest.
func withoutVersion(name string) string {
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		return name[:i]
	}
	return name
}

// inventedPackages finds packages that do not exist in a registry. The registry reported it, and no later call
// installed the package. The agent's command or edit named it, and the person did not.
func (a *analysis) inventedPackages(c *conversation) {
	wrote := map[string]bool{}
	for _, t := range c.everyTurn() {
		for _, one := range t.calls {
			for i := range one.edits {
				if isManifest(c.places.relative(one.edits[i].Path)) {
					a.doc.Hallucinations.ManifestSeen = true
					for _, word := range packageWords(one.edits[i].New) {
						wrote[word] = true
					}
				}
			}
			if isManifest(one.file) && one.succeeded() {
				a.doc.Hallucinations.ManifestSeen = true
			}
			if one.command == "" || !one.failed() {
				continue
			}
			name, found := absentPackage(one.output)
			byAgent := found && (wrote[name] || slices.ContainsFunc(packageWords(one.command),
				func(word string) bool { return withoutVersion(word) == name }))
			byPerson := func(text string) bool { return strings.Contains(text, name) }
			if byAgent && !c.prompted(t, byPerson) && !c.installedLater(one, name) {
				a.inventedPackage(t, one, name)
			}
		}
	}
}

// packageWords returns the words of a command or a manifest that may be packages.
func packageWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\r\"'`,:=<>~^()[]{};", r) })
}

// installedLater reports whether a later call that names a package ran well.
func (c *conversation) installedLater(failed *call, name string) bool {
	at := slices.Index(c.all, failed)
	return slices.ContainsFunc(c.all[at+1:], func(one *call) bool {
		return one.succeeded() && slices.ContainsFunc(simpleCommands(one.command), func(words []string) bool {
			return installs(words) && slices.ContainsFunc(words, func(word string) bool { return withoutVersion(word) == name })
		})
	})
}

// installs recognises a command of a package manager.
func installs(words []string) bool {
	switch words[0] {
	case "npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "poetry", "pipenv", "cargo", "go", "gem", "bundle", "composer",
		"dotnet", "python", "python3":
		return slices.ContainsFunc(words, func(word string) bool {
			return slices.Contains([]string{"install", "i", "add", "get", "require"}, word)
		})
	}
	return false
}

func (a *analysis) inventedPackage(t *turn, c *call, name string) {
	confidence := 0.9
	if strings.HasPrefix(name, "@") { // a registry hides the private packages of a scope from strangers
		confidence = 0.7
	}
	evidence := oneLine(c.command, 80) + ": the registry does not have " + name
	a.fail(failure{
		kind: treetrace.HallucinatedPath, turn: t, confidence: confidence, subject: name, aPackage: true, evidence: evidence,
	})
	a.missing(t, treetrace.HallucinatedPackage, name, evidence, "", treetrace.ReferenceCheck{
		Type: "import_existence_check", Task: "Check that a package exists before it is installed or imported.", Target: name,
	})
}
