package sqlitefile_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/sqlitefile"
)

// What the index gives for a text is what a walk through all rows finds.
func TestTheIndexOfAColumnGivesItsTextsInOrder(t *testing.T) {
	t.Parallel()
	db, err := sqlitefile.Open(filepath.Join("..", "..", "testdata", "sessions", "cursor", "state.vscdb"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	table, found, err := db.Table("cursorDiskKV")
	if err != nil || !found {
		t.Fatal(found, err)
	}
	all, rows := []string{}, map[string]int64{}
	err = table.Each(func(row *sqlitefile.Row) error {
		text, err := row.Text(0)
		all, rows[text] = append(all, text), row.ID
		return err
	})
	if err != nil || len(all) < 100 {
		t.Fatalf("%d rows, %v", len(all), err)
	}
	slices.Sort(all)
	prefixes := []string{"", "a", "agentKv:", "agentKv:039", "bubbleId:", "composerData:", "zoo:", "zoo:059", "zoo:06", "zz", "B"}
	for _, prefix := range append(prefixes, all...) {
		var got, want []string
		err := table.Prefix(prefix, func(text string, id int64) error {
			if rows[text] != id {
				t.Errorf("%s is row %d, not %d", text, rows[text], id)
			}
			got = append(got, text)
			return nil
		})
		for _, text := range all {
			if strings.HasPrefix(text, prefix) {
				want = append(want, text)
			}
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %d, %v; want %d", prefix, len(got), err, len(want))
		}
	}
	stop := errors.New("stop here")
	if err := table.Prefix("zoo:", func(string, int64) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error of the caller is %v", err)
	}
}

func TestATableWithoutAnIndexOfItsOwnSaysSo(t *testing.T) {
	t.Parallel()
	db, err := sqlitefile.Open(filepath.Join("..", "..", "testdata", "sessions", "goose", "sessions.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	table, found, err := db.Table("messages")
	if err != nil || !found {
		t.Fatal(found, err)
	}
	if err := table.Prefix("", func(string, int64) error { return nil }); !errors.Is(err, sqlitefile.ErrNoIndex) {
		t.Errorf("got %v", err)
	}
}
