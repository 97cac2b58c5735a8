package dataset

import "testing"

// The manifest of a data set without names says what its rows are made of by a keyed hash: by an open one, whoever has
// the repository could tell that it is this one.
func TestADataSetWithoutNamesDoesNotTellItsRepositoryByAnOpenHash(t *testing.T) {
	t.Parallel()
	one, other := NewAnonymiser([]byte("one")), NewAnonymiser([]byte("other"))
	const state = `["HEAD"]`
	if got := SourceName(nil, state); got != ShortDigest(state) {
		t.Errorf("with names: %s", got)
	}
	if a := SourceName(one, state); a == SourceName(nil, state) || a == SourceName(other, state) || a != SourceName(one, state) {
		t.Errorf("without names: %s", a)
	}
}
