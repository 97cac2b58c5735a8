package main

import (
	"testing"

	"github.com/git-trace/git-trace/serve/dataset"
)

// The manifest of a data set without names says what its rows are made of by a keyed hash: by an open one, whoever has
// the repository could tell that it is this one.
func TestADataSetWithoutNamesDoesNotTellItsRepositoryByAnOpenHash(t *testing.T) {
	t.Parallel()
	one, other := dataset.NewAnonymiser([]byte("one")), dataset.NewAnonymiser([]byte("other"))
	const state = `["HEAD"]`
	if got := sourceName(nil, state); got != shortDigest(state) {
		t.Errorf("with names: %s", got)
	}
	if a := sourceName(one, state); a == sourceName(nil, state) || a == sourceName(other, state) || a != sourceName(one, state) {
		t.Errorf("without names: %s", a)
	}
}
