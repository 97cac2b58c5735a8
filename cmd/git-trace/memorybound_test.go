package main

import "testing"

// A command that reads ends when collection after collection leaves more than there may be, and not before.
func TestMemoryIsOutgrownByWhatIsNeeded(t *testing.T) {
	t.Parallel()
	o := outgrown{most: 100}
	for i := range 3 * mostOutgrown {
		if o.by(101 - uint64(i%mostOutgrown/(mostOutgrown-1))) {
			t.Fatalf("collection %d ends it", i)
		}
	}
	for i := range mostOutgrown {
		if got := o.by(101); got != (i == mostOutgrown-1) {
			t.Errorf("collection %d: %v", i, got)
		}
	}
}
