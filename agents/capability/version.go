package capability

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/records"
)

// Newer reports whether a dotted version number is newer than another. A part after a hyphen is ignored; a text that is
// not a version is older than any version.
func Newer(version, than string) bool {
	is, ok := numbersOf(version)
	if !ok {
		return false
	}
	other, ok := numbersOf(than)
	for i := 0; ok && i < max(len(is), len(other)); i++ {
		a, b := 0, 0
		if i < len(is) {
			a = is[i]
		}
		if i < len(other) {
			b = other[i]
		}
		if a != b {
			return a > b
		}
	}
	return !ok
}

func numbersOf(version string) ([]int, bool) {
	version, _, _ = strings.Cut(version, "-")
	var out []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}

// Untested describes, in half a sentence, the parts of a session file with which the parser was not tested; "" if there
// are none. Such a file is read like any other, because agents change little from version to version.
func (a Agent) Untested(head *records.Record) string {
	var said []string
	if v := head.Agent.Version; a.Tested != "" && v != nil && Newer(*v, a.Tested) {
		said = append(said, "written by "+a.Title+" "+*v+", newer than "+a.Tested+", the newest version that is tested")
	}
	var capture struct {
		Skipped map[string]int `json:"skipped_lines"`
	}
	if json.Unmarshal(head.Metadata["capture"], &capture) == nil && capture.Skipped["unknown"] > 0 {
		said = append(said, strconv.Itoa(capture.Skipped["unknown"])+" of its lines are of kinds that are not known")
	}
	return strings.Join(said, "; ")
}
