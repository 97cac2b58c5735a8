package main

import (
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/rogpeppe/go-internal/testscript"
)

// What the model found stays as scripts.
func TestModelFindings(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	params := scriptParams(t, "main")
	params.Dir = "../../testdata/model"
	params.Setup = func(env *testscript.Env) error {
		holdEvidence(env, filepath.Join(evidenceDir, "model"))
		return setUpScript(env, "main")
	}
	testscript.Run(t, params)
}

func TestModelFindingsInLinkedWorktree(t *testing.T) {
	t.Parallel()
	if !testenv.Long() {
		t.Skip("GITTRACE_LONG=1 runs it")
	}
	params := scriptParams(t, "linked")
	params.Dir = "../../testdata/model"
	testscript.Run(t, params)
}
