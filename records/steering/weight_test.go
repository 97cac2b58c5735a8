package steering_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records/steering"
)

// A conversation that was taken in leaves no more than its part of the document: of 100 KB of outputs nothing stays.
func TestATakenInConversationLeavesLittle(t *testing.T) {
	b, err := steering.New(steering.Options{})
	if err != nil {
		t.Fatal(err)
	}
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	add := func(n int) {
		talk := newTalk(fmt.Sprintf("session-%d", n)).says("Fix the basket. Don't touch vendor.")
		for i := range 5 {
			talk.failing(fmt.Sprintf("make part%d", i), strings.Repeat(fmt.Sprintf("error %d of %d\n", i, n), 1500))
		}
		b.Add(&steering.Conversation{Record: talk.r})
	}
	add(0)
	before := held()
	const n = 200
	for i := range n {
		add(i + 1)
	}
	if each := (held() - before) / n; each > 8<<10 {
		t.Errorf("a conversation leaves %d bytes", each)
	} else {
		t.Logf("a conversation leaves %d bytes", each)
	}
	if d := b.Document(); len(d.Nodes) != n+1 {
		t.Errorf("there are %d nodes", len(d.Nodes))
	}
}
