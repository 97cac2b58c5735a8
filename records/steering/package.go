package steering

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/records/treetrace"
)

// absent matches messages of package managers about packages that are not in their registry. Messages about a missing
// version or an unreachable registry do not count.
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

// unanswered lists messages about a registry that was unreachable or required a login.
var unanswered = []string{
	"failed to establish a new connection", "temporary failure in name resolution", "could not resolve host",
	"enotfound", "eai_again", "etimedout", "econnrefused", "network is unreachable", "offline", "no such host",
	"connection refused", "read timed out", "certificate verify failed", "requires a different python",
	"could not read username", "authentication failed", "401",
}

// absentPackage returns the package that a registry lacks, according to a call's output.
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

// withoutVersion returns a package's name without its version: left-padd@^1.0.0, @scope/x@latest.
func withoutVersion(name string) string {
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		return name[:i]
	}
	return name
}

// inventedPackages finds packages that do not exist in a registry. The registry must have reported it, and no later
// call may have installed the package. The agent's command or edit must have named it, and the person must not.
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

// packageWords returns the words of a command or a manifest that may be names of packages.
func packageWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\r\"'`,:=<>~^()[]{};", r) })
}

// installedLater reports whether a later call installed a package.
func (c *conversation) installedLater(failed *call, name string) bool {
	at := slices.Index(c.all, failed)
	return slices.ContainsFunc(c.all[at+1:], func(one *call) bool {
		return one.succeeded() && slices.ContainsFunc(simpleCommands(one.command), func(words []string) bool {
			return installs(words) && slices.ContainsFunc(words, func(word string) bool { return withoutVersion(word) == name })
		})
	})
}

// `installs` reports whether a command installs packages.
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
	if strings.HasPrefix(name, "@") { // a registry hides the private packages of a scope from other users
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
