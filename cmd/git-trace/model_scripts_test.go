package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// What the model found stays as scripts.
func TestModelFindings(t *testing.T) {
	t.Parallel()
	params := scriptParams("main")
	params.Dir = "../../testdata/model"
	testscript.Run(t, params)
}

func TestModelFindingsInLinkedWorktree(t *testing.T) {
	t.Parallel()
	params := scriptParams("linked")
	params.Dir = "../../testdata/model"
	testscript.Run(t, params)
}
