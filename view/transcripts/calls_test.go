package transcripts

import (
	"testing"
	"time"

	"github.com/git-trace/git-trace/records"
)

// The steps of subagents are read where they were started, or last, whenever they were made. A call has ended when its own
// conversation goes on.
func TestACallEndsWhenItsOwnConversationGoesOn(t *testing.T) {
	t.Parallel()
	side := records.CallSubagent
	first := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		chains  []*records.CallType // of each step
		minutes []int               // at which it was made
		want    int                 // at which the call of the first step has ended, 0 for never
	}{
		"the next step":                     {[]*records.CallType{nil, nil}, []int{1, 4}, 4},
		"a subagent's step, then the next":  {[]*records.CallType{nil, &side, nil}, []int{1, 2, 4}, 4},
		"a subagent's step":                 {[]*records.CallType{nil, &side}, []int{1, 2}, 0},
		"a step that was made before it":    {[]*records.CallType{&side, &side}, []int{4, 1}, 0},
		"another subagent's after it":       {[]*records.CallType{&side, &side}, []int{1, 4}, 4},
		"the conversation's, for subagents": {[]*records.CallType{&side, nil}, []int{1, 4}, 0},
	} {
		tr := &Transcript{open: map[int][]*Call{}, late: map[string]*Call{}}
		for i, chain := range tt.chains {
			step := &records.Step{CallType: chain}
			if i == 0 {
				step.ToolCalls = []records.ToolCall{{ToolCallID: "call", ToolName: "Write"}}
				step.Observations = []records.Observation{{SourceCallID: "call"}}
			}
			tr.hearCalls(step, first.Add(time.Duration(tt.minutes[i])*time.Minute))
		}
		want := time.Time{}
		if tt.want > 0 {
			want = first.Add(time.Duration(tt.want) * time.Minute)
		}
		if got := tr.calls[0].Ended; !got.Equal(want) {
			t.Errorf("%s: ended at %v, want %v", name, got, want)
		}
	}
}

// A command that may write makes what a person typed meanwhile nobody's, where no hook told of it.
func TestWhichCommandsOnlyRead(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"ls -la src | head -3":                              true,
		"git status --short 2>/dev/null && git diff --stat": true,
		"cd sub; grep -rn 'a > b' . 2>&1":                   true,
		"LANG=C sort names | uniq -c":                       true,
		"find . -name '*.go'":                               true,
		"sed -n 1,20p a.go":                                 true,
		"git -C sub log -3":                                 true,
		"echo done":                                         true,
		"find . -name '*.o' -delete":                        false,
		"sed -i s/a/b/ a.go":                                false,
		"cat a > b":                                         false,
		"grep x a | tee b":                                  false,
		"npm run format":                                    false,
		"make -s test":                                      false,
		"git checkout -- a.go":                              false,
		"echo $(touch a)":                                   false,
		"ls && python3 fix.py":                              false,
		"sort -o a a":                                       false,
	} {
		if got := readsOnly(command); got != want {
			t.Errorf("%q only reads: %v, want %v", command, got, want)
		}
	}
}
