package project

import (
	"path"
	"strings"

	"github.com/git-trace/git-trace/records/rawjson"
)

// maxManifest is the size beyond which a file is not taken for a manifest.
const maxManifest = 256 << 10

// Manifest tells whether a file, by its name, lists the dependencies of a project.
func Manifest(name string) bool {
	switch path.Base(strings.ReplaceAll(name, `\`, "/")) {
	case "package.json", "go.mod", "Cargo.toml", "pyproject.toml", "requirements.txt", "requirements-dev.txt":
		return true
	}
	return false
}

// manifest lists the direct dependencies that a manifest names.
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
		return fromTOML(content, func(section string) bool {
			return section == "dependencies" || section == "dev-dependencies" || section == "workspace.dependencies"
		})
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

// fromTOML lists the keys of the sections that hold dependencies.
func fromTOML(content string, holds func(section string) bool) []string {
	var names []string
	inside := false
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			inside = holds(strings.Trim(line, "[] "))
			continue
		}
		key, _, found := strings.Cut(line, "=")
		if inside && found && !strings.HasPrefix(line, "#") {
			names = appendName(names, plainName(strings.Trim(strings.TrimSpace(key), `"'`)))
		}
	}
	return names
}

// fromPyproject reads the list of PEP 621 and the table of Poetry.
func fromPyproject(content string) []string {
	names := fromTOML(content, func(section string) bool {
		return section == "tool.poetry.dependencies" || strings.HasPrefix(section, "tool.poetry.group.")
	})
	inList := false
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		if rest, found := strings.CutPrefix(line, "dependencies"); found && strings.HasPrefix(strings.TrimSpace(rest), "=") {
			inList = true
			_, line, _ = strings.Cut(line, "[")
		}
		if !inList {
			continue
		}
		list, ends := strings.CutSuffix(line, "]") // an entry ends in a quote or a comma
		for entry := range strings.SplitSeq(list, ",") {
			if entry = strings.TrimSpace(entry); len(entry) > 1 && (entry[0] == '"' || entry[0] == '\'') {
				names = appendName(names, pythonName(strings.Trim(entry, `"'`)))
			}
		}
		inList = !ends
	}
	for i, name := range names {
		if name == "python" {
			return append(names[:i:i], names[i+1:]...)
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
