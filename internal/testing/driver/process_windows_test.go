package driver

import "testing"

// noneMarked cannot tell what is left running.
func noneMarked(*testing.T, *Result) {}
