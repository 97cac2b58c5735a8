package project

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records/language"
)

// maxDependencies is the number of dependencies that are kept. A lock file that somebody reads is not a list of
// dependencies.
const maxDependencies = 200

// Facts holds the facts that are known so far about a conversation. Its zero value is ready; it can be stored as JSON.
type Facts struct {
	Languages    map[string]int `json:"languages,omitempty"` // how often a file of the language was touched
	Dependencies []string       `json:"dependencies,omitempty"`
}

// Read notes that a file was read.
func (f *Facts) Read(name string) { f.touch(name, 1) }

// Wrote notes that a file was written; that says more of the project than reading.
func (f *Facts) Wrote(name string) { f.touch(name, 3) }

func (f *Facts) touch(name string, weight int) {
	found, _ := language.Of(name)
	if !found.Written {
		return
	}
	if f.Languages == nil {
		f.Languages = map[string]int{}
	}
	f.Languages[found.Recorded] += weight
}

// Ran notes the packages that a shell command installs by name.
func (f *Facts) Ran(command string) {
	for _, name := range installed(command) {
		f.add(name)
	}
}

// Saw notes the dependencies in the content of a manifest; it ignores other files.
func (f *Facts) Saw(name, content string) {
	for _, dependency := range manifest(path.Base(strings.ReplaceAll(name, `\`, "/")), content) {
		f.add(dependency)
	}
}

func (f *Facts) add(name string) {
	if len(f.Dependencies) < maxDependencies && !slices.Contains(f.Dependencies, name) {
		f.Dependencies = append(f.Dependencies, name)
	}
}

// Ecosystem lists the languages, the most touched first.
func (f *Facts) Ecosystem() []string {
	return slices.SortedFunc(maps.Keys(f.Languages), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.Languages[b], f.Languages[a]), cmp.Compare(a, b))
	})
}

// Sorted lists the dependencies by name.
func (f *Facts) Sorted() []string { return slices.Sorted(slices.Values(f.Dependencies)) }
