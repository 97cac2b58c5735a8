package vector_test

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// parse reads a vector; the tests write owners as String does.
func parse(t *testing.T, text string) vector.Vector {
	t.Helper()
	v, err := vector.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// text makes a content of lines.
func text(lines ...string) [][]byte {
	return linediff.Split([]byte(strings.Join(lines, "\n") + "\n"))
}

// content is lines with their owners.
func content(t *testing.T, lines [][]byte, owners string) vector.Content {
	t.Helper()
	v := parse(t, owners)
	if v.Len() != len(lines) {
		t.Fatalf("%d owners for %d lines", v.Len(), len(lines))
	}
	return vector.Content{Lines: lines, Owners: v}
}

var human = vector.ParseOwner("human")
