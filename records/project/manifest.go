package project

import (
	"path"
	"strings"

	"github.com/git-trace/git-trace/records/rawjson"
)

// maxManifest is the greatest size of a manifest, in bytes.
const maxManifest = 256 << 10

// Manifest reports whether a file with this name lists the dependencies of a project.
func Manifest(name string) bool {
	switch path.Base(strings.ReplaceAll(name, `\`, "/")) {
	case "package.json", "go.mod", "Cargo.toml", "pyproject.toml", "requirements.txt", "requirements-dev.txt":
		return true
	}
	return false
}

// manifest returns the direct dependencies in a manifest.
func manifest(name, content string) []string {
	if len(content) > maxManifest {
		return nil
	}
	switch name {
	case "package.json":
		return fromPackageJSON(content)
	case "go.mod":
		return fromGoMod(content)
	case "Cargo.toml":
		return fromCargo(content)
	case "pyproject.toml":
		return fromPyproject(content)
	case "requirements.txt", "requirements-dev.txt":
		return fromRequirements(content)
	}
	return nil
}

func fromPackageJSON(content string) []string {
	var names []string
	d := rawjson.NewDecoder([]byte(content))
	for d.Open(); d.Member(); {
		if key := string(d.Key()); key != "dependencies" && key != "devDependencies" && key != "peerDependencies" {
			continue
		}
		for d.Open(); d.Member(); {
			if name := plainName(string(d.Key())); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

func fromGoMod(content string) []string {
	var names []string
	inside := false
	for line := range strings.Lines(content) {
		if strings.Contains(line, "// indirect") {
			continue
		}
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 2 && words[0] == "require" && words[1] == "(":
			inside = true
		case len(words) == 1 && words[0] == ")":
			inside = false
		case len(words) == 3 && words[0] == "require":
			names = appendName(names, goName(words[1]))
		case inside && len(words) == 2:
			names = appendName(names, goName(words[0]))
		}
	}
	return names
}

func fromRequirements(content string) []string {
	var names []string
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		if line == "" || strings.ContainsAny(line[:1], "#-./") || strings.Contains(line, "://") {
			continue
		}
		names = appendName(names, pythonName(line))
	}
	return names
}

func appendName(names []string, name string) []string {
	if name == "" {
		return names
	}
	return append(names, name)
}
