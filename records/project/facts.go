package project

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records/language"
)

// maxDependencies limits the number of dependencies that are kept. A lock file may list thousands.
const maxDependencies = 200

// Facts holds the facts about the project that a conversation has shown so far. The zero value is ready for use; Facts
// can be stored as JSON.
type Facts struct {
	Languages    map[string]int `json:"languages,omitempty"` // a weighted count of the touched files of each language
	Dependencies []string       `json:"dependencies,omitempty"`
}

// Read records that a file was read.
func (f *Facts) Read(name string) { f.touch(name, 1) }

// Wrote records that a file was written, which says more about the project than reading.
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

// Ran records the packages that a shell command installs by name.
func (f *Facts) Ran(command string) {
	for _, name := range installed(command) {
		f.add(name)
	}
}

// Saw records the dependencies in the content of a manifest; it ignores other files.
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

// Ecosystem returns the languages, the most touched first.
func (f *Facts) Ecosystem() []string {
	return slices.SortedFunc(maps.Keys(f.Languages), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.Languages[b], f.Languages[a]), cmp.Compare(a, b))
	})
}

// Sorted returns the dependencies, sorted by name.
func (f *Facts) Sorted() []string { return slices.Sorted(slices.Values(f.Dependencies)) }
