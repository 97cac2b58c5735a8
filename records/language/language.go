package language

import (
	"cmp"
	"path"
	"strings"
	"sync"
)

// Language is the language of files with certain endings or names.
type Language struct {
	Name     string // name for people: "C or C++"
	Recorded string // the name in records: "c"; "" for texts and data
	Written  bool   // a programming language: not data, markup or prose
}

// `Of` returns the language of a file; the zero value and false if it is unknown.
func Of(file string) (Language, bool) {
	base := strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/")))
	if found, named := byName()[base]; named && !strings.HasPrefix(base, ".") {
		return found, true
	}
	found, known := byName()["."+End(base)]
	return found, known
}

// End returns the ending of a file's name that identifies its language, in lower case and without the dot; "" if there
// is none.
func End(file string) string {
	base := strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/")))
	return strings.TrimPrefix(path.Ext(strings.TrimPrefix(base, ".")), ".")
}

// byName has the languages by file names and endings.
var byName = sync.OnceValue(func() map[string]Language {
	names := map[string]Language{}
	for i, rows := range [][]row{programs, texts} {
		for _, r := range rows {
			found := Language{Name: r.name, Recorded: cmp.Or(r.recorded, strings.ToLower(r.name)), Written: i == 0}
			if r.recorded == unrecorded {
				found.Recorded = ""
			}
			for name := range strings.FieldsSeq(r.files) {
				names[name] = found
			}
		}
	}
	return names
})
