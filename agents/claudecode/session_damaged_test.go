package claudecode_test

import (
	"testing"

	"github.com/git-trace/git-trace/agents/claudecode"
	"github.com/git-trace/git-trace/agents/sessionfile/sessiontest"
)

func TestADamagedSessionGivesASoundRecord(t *testing.T) {
	t.Parallel()
	sessiontest.Suite{Agent: claudecode.New(environment(nil)), Names: []string{"*.jsonl"}}.Damaged(t)
}
