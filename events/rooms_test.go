package events

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The rooms of this package, by the beginning of a file's name, and the rooms that each may use.
var rooms = map[string][]string{
	"log":    {}, // every other file: what hooks append and read
	"check":  {"log"},
	"copy":   {"log", "check"},
	"verify": {"log", "check", "copy"},
	"repair": {"log", "copy"},
}

// doors are the only uses of other rooms, each with its reason.
var doors = map[string][]string{
	// Where the file is gone, the first append makes it of the seal.
	"log to copy": {"copySound"},
}

func roomOf(file string) string {
	name := strings.TrimSuffix(path.Base(filepath.ToSlash(file)), ".go")
	if first, _, _ := strings.Cut(name, "_"); rooms[first] != nil && first != "log" {
		return first
	}
	return "log"
}

// elsewhere gives an empty package for every import: uses of this one's names are found without what others hold.
type elsewhere struct{}

func (elsewhere) Import(at string) (*types.Package, error) {
	p := types.NewPackage(at, path.Base(at))
	p.MarkComplete()
	return p, nil
}

func TestTheRoomsOfTheLogUseOnlyTheirDoors(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_other.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: elsewhere{}, Error: func(error) {}}
	pkg, _ := conf.Check("events", set, files, info) // what is said of other packages is not known here
	used := map[string]map[string]bool{}
	for id, object := range info.Uses {
		from, to := roomOf(set.Position(id.Pos()).Filename), ""
		if object.Pkg() == pkg && object.Pos().IsValid() {
			to = roomOf(set.Position(object.Pos()).Filename)
		}
		if to == "" || to == from || slices.Contains(rooms[from], to) {
			continue
		}
		way := from + " to " + to
		if used[way] == nil {
			used[way] = map[string]bool{}
		}
		used[way][object.Name()] = true
	}
	for way, names := range used {
		if got := slices.Sorted(maps.Keys(names)); !slices.Equal(got, doors[way]) {
			t.Errorf("%s: uses %q, has doors for %q", way, got, doors[way])
		}
	}
	for way := range doors {
		if used[way] == nil {
			t.Errorf("nothing goes from %s any more", way)
		}
	}
}
