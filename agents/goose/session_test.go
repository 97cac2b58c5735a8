package goose_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/goose"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
	"github.com/git-trace/git-trace/records"
)

func suite() sessiontest.Suite {
	return sessiontest.Suite{Agent: goose.New(capability.Env{Home: "/home/dev"}), Names: []string{"*.jsonl"}}
}

func database() sessiontest.Suite {
	return sessiontest.Suite{Agent: goose.New(capability.Env{Home: "/home/dev"}), Names: []string{"*.db"}, Whole: true, Refuses: true}
}

func TestSessionsGiveTheirRecords(t *testing.T) {
	t.Parallel()
	suite().Golden(t)
	database().Golden(t)
}

func TestADamagedSessionGivesASoundRecord(t *testing.T) {
	t.Parallel()
	suite().Damaged(t)
	database().Damaged(t)
}

func TestASessionThatGrowsGivesTheRecordOfOneReading(t *testing.T) {
	t.Parallel()
	suite().Growing(t)
}

func FuzzSession(f *testing.F) { suite().Fuzz(f, "20250810_120000.jsonl") }

func FuzzDatabase(f *testing.F) { database().Fuzz(f, "sessions.db") }

func TestSessionsAreFoundByTheirDirectory(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.CopyFS(filepath.Join(home, ".local", "share", "goose", "sessions"), os.DirFS(suite().Sessions())); err != nil {
		t.Fatal(err)
	}
	agent := goose.New(capability.Env{Home: home})
	for place, want := range map[string][]string{
		"": {"20260515_1", "20260516_1", "20250810_120000"}, "/home/dev/shop": {"20260516_1", "20250810_120000"},
		"/home/dev/other": {"20260515_1"}, "/home/dev/none": nil,
	} {
		found, err := agent.Discoverer.ProjectSessions(place, time.Time{})
		if err != nil || len(found) != len(want) {
			t.Fatalf("in %q: %+v, %v", place, found, err)
		}
		for i, one := range found {
			if one.ID != want[i] {
				t.Errorf("in %q: %s in the place of %s", place, one.ID, want[i])
			}
			if _, err := agent.Parser.Parse(t.Context(), one.Path, capability.ParseOptions{Session: one.ID}, &records.Collector{}); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := agent.Parser.Parse(t.Context(), filepath.Join(suite().Sessions(), "sessions.db"),
		capability.ParseOptions{Session: "nobody"}, &records.Collector{}); err == nil {
		t.Error("a session that is not there is read")
	}
}
