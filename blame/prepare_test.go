package blame

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/trails"
)

// What is read beside git ends when git does. What was found until then of a file that got another name is not an
// answer.
func TestWhatIsCutOffIsNoAnswer(t *testing.T) {
	t.Parallel()
	w := recording.New(t)
	var text, rewritten strings.Builder
	for i := range 10 {
		fmt.Fprintf(&text, "base %d\n", i)
		if i < 6 {
			fmt.Fprintf(&rewritten, "rewritten by hand %d\n", i)
		} else {
			fmt.Fprintf(&rewritten, "base %d\n", i)
		}
	}
	w.Write("a.txt", text.String())
	w.Commit("base")
	w.Anchor()
	w.Edit("S1", "a.txt", text.String()+"the line of an agent\n")
	w.Git("mv", "a.txt", "b.txt")
	content := []byte(rewritten.String() + "the line of an agent\n")
	w.Write("b.txt", string(content))
	for after := range 40 {
		cut, end := context.WithTimeout(t.Context(), time.Duration(after)*500*time.Microsecond)
		lines, err := trails.Pending(cut, w.Repo, nil, nil, "b.txt", content)
		end()
		if err == nil && lines.Vector.At(10).Kind != events.OwnerAI {
			t.Errorf("cut off after %d half milliseconds: a line by %s", after, lines.Vector.At(10).Kind)
		}
		e := NewEvidence(w.Repo, anchorsOf{}, nil)
		ending, end := context.WithTimeout(t.Context(), time.Duration(after)*500*time.Microsecond)
		e.Prepare(ending, gitblame.Likely{Path: "b.txt", Content: content})
		end()
		got, err := e.Uncommitted(t.Context(), "b.txt", content, []int{1, 11})
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Kind != events.OwnerHuman || got[1].Kind != events.OwnerAI {
			t.Errorf("cut off after %d half milliseconds: lines by %s and %s", after, got[0].Kind, got[1].Kind)
		}
	}
}
