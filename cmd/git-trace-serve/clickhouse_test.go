package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// A cluster of two shards, filled with three repositories, answers the questions of docs/fleet.md as DuckDB does.
func TestAClusterOfTwoShardsSaysWhatDuckDBSays(t *testing.T) {
	if !testenv.Long() {
		t.Skip("only in the full form")
	}
	testenv.Needs(t, "clickhouse-server", "clickhouse-client")
	home := duckdbHome(t)
	program, dir := built(t)
	f := &fleet{t: t, program: program, data: filepath.Join(dir, "data")}
	for n := range 3 {
		repo := filepath.Join(dir, fmt.Sprintf("repo%d", n))
		makeFleetRepo(t, repo, uint64(n), 40+20*n, 400)
		f.export(repo)
		f.run(repo, "export", "--format", "jsonl", filepath.Join(dir, "lines"))
	}
	cmd := exec.Command("sh", "../../packaging/fleet/clickhouse.sh", filepath.Join(dir, "lines"))
	var says strings.Builder
	cmd.Stderr = &says
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, says.String())
	}
	t.Log(says.String())
	answers := map[string][]string{} // by the names of the questions, rows
	name := ""
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		if of, is := strings.CutPrefix(line, "-- "); is {
			name = of
			continue
		}
		answers[name] = append(answers[name], line)
	}
	views, queries := fleetQueries(t, f.data, "")
	for name, columns := range map[string][]string{
		"share by month":                {"month", "added", "ai", "human", "unknown"},
		"share by model":                {"owner", "model", "added"},
		"share by directory":            {"directory", "added", "ai"},
		"survival by agent":             {"owner", "agent", "days", "written", "alive"},
		"cost per surviving line":       {"agent", "cost_usd", "unpriced", "alive", "usd_per_line"},
		"prompts behind reverted lines": {"repo", "trace_id", "prompt", "reverted", "text"},
	} {
		got := duckdb(t, home, append(views, queries[name])...)[len(views)]
		var want []string
		for _, row := range got.Rows {
			var cells []string
			for _, column := range columns {
				cells = append(cells, cellOf(row[column]))
			}
			want = append(want, strings.Join(cells, " | "))
		}
		var have []string
		for _, row := range answers[name] {
			var cells []string
			for cell := range strings.SplitSeq(row, "\t") {
				cells = append(cells, cellOf(cell))
			}
			have = append(have, strings.Join(cells, " | "))
		}
		if len(want) == 0 {
			t.Errorf("%s: DuckDB has no row", name)
		}
		same(t, name, have, want)
	}
}

// cellOf writes a value as both engines can: numbers in seven digits, a null as ClickHouse writes it.
func cellOf(value any) string {
	text := fmt.Sprint(value)
	if value == nil {
		return `\N`
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(n, 'g', 7, 64)
	}
	return text
}
