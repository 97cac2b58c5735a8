package dataset_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/testing/talk"
	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/serve/dataset"
	"github.com/git-trace/git-trace/serve/dataset/shards"
	"github.com/git-trace/git-trace/view"
)

// tables writes the tables of a repository, and returns their rows.
func tables(t *testing.T, k *talk.Talk, hide *dataset.Anonymiser, by ...string) map[string][]map[string]any {
	t.Helper()
	r := k.Reader()
	from := dataset.Source{Name: "shop", Repo: k.Repo, Known: r, Hide: hide, Lines: stats.Source{
		Source: graph.Source{Log: r.Log(), Searcher: r.Searcher(), AtOnce: view.SearchBatch}, Search: r.Searcher()}}
	o := shards.Options{Dir: t.TempDir(), Ext: "jsonl", Size: 1 << 20, By: by, Name: "shop", Key: dataset.ShortDigest("shop"),
		Source: dataset.SourceName(hide, "state")}
	set, err := shards.Begin(o)
	k.Check(err)
	defer func() { _ = set.Close() }()
	out, err := dataset.Write(t.Context(), from, set)
	if err != nil || len(out.LeftOut) > 0 {
		t.Fatal(out, err)
	}
	m, err := set.Finish()
	k.Check(err)
	k.Check(set.Columns(dataset.Tables()))
	k.Check(dataset.Card(o.Dir, o.Ext, hide != nil))
	if card, err := os.ReadFile(filepath.Join(o.Dir, "README.md")); err != nil || !strings.Contains(string(card), "conversations") {
		t.Errorf("%s, %v", card, err)
	}
	rows, count := map[string][]map[string]any{}, int64(0)
	k.Check(filepath.WalkDir(o.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".jsonl" {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := ""
		for part := range strings.SplitSeq(filepath.ToSlash(strings.TrimPrefix(path, o.Dir)), "/") {
			for _, table := range dataset.Tables() {
				if strings.HasPrefix(part, table.Name) && name == "" {
					name = table.Name
				}
			}
		}
		lines := bufio.NewScanner(bytes.NewReader(raw))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var row map[string]any
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				return err
			}
			rows[name] = append(rows[name], row)
		}
		return nil
	}))
	for _, f := range m.Files {
		count += f.Rows
	}
	all := 0
	for _, list := range rows {
		all += len(list)
	}
	if int64(all) != count || all == 0 {
		t.Errorf("%d rows, the manifest says %d", all, count)
	}
	return rows
}

func TestTheTablesOfARepositoryAreWritten(t *testing.T) {
	t.Parallel()
	k := talk.Server(t)
	k.Commit("server: say what it does")
	k.Anchor()
	k.Write("server.go", "package server\n")
	k.Commit("server: less")
	k.Anchor()
	rows := tables(t, k, nil)
	for name, least := range map[string]int{"conversations": 1, "prompts": 3, "steps": 8, "calls": 6, "patches": 5, "commits": 5,
		"lines": 3, "lives": 2} {
		if len(rows[name]) < least {
			t.Errorf("%d rows of %s: %+v", len(rows[name]), name, rows[name])
		}
	}
	text, err := json.Marshal(rows)
	k.Check(err)
	for _, word := range []string{"write a server with a retry limit", "server.go", "claude-code", string(k.Trace), "shop"} {
		if !bytes.Contains(text, []byte(word)) {
			t.Errorf("%q is missing", word)
		}
	}
	parted := tables(t, k, nil, dataset.Partitions...)
	for name := range rows {
		if len(parted[name]) != len(rows[name]) {
			t.Errorf("%s: %d rows of %d in parts", name, len(parted[name]), len(rows[name]))
		}
	}
	hidden := tables(t, k, dataset.NewAnonymiser([]byte("a key of the test")))
	text, err = json.Marshal(hidden)
	k.Check(err)
	for _, word := range []string{"retry limit", "server.go", string(k.Trace), "shop", "a@example.com"} {
		if bytes.Contains(text, []byte(word)) {
			t.Errorf("%q is told", word)
		}
	}
}

func TestARepositoryHasAName(t *testing.T) {
	k := talk.Server(t)
	name, err := dataset.RepositoryName(t.Context(), k.Repo)
	if err != nil || name == "" {
		t.Error(name, err)
	}
	k.Git("remote", "add", "origin", "https://user:secret@example.com/shop/server.git")
	if name, err = dataset.RepositoryName(t.Context(), k.Repo); err != nil || strings.Contains(name, "secret") || !strings.Contains(name, "shop/server") {
		t.Error(name, err)
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	one, err := dataset.OwnAnonymiser()
	k.Check(err)
	again, err := dataset.OwnAnonymiser()
	k.Check(err)
	if one.Hash("name", "x") != again.Hash("name", "x") || one.Hash("name", "x") == one.Hash("path", "x") {
		t.Error("the key changes")
	}
	for text, want := range map[string]int64{"500000": 500000, "64M": 64 << 20, "1G": 1 << 30, "x": 0, "-1": 0, "": 0} {
		if n, err := dataset.ShardSize(text); n != want && err == nil {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
}
