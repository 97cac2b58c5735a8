package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// duckdbHome is where .ci/run installs @duckdb/node-api: $GITTRACE_DUCKDB, else git-trace-duckdb in the user's cache.
func duckdbHome(t *testing.T) string {
	t.Helper()
	testenv.Needs(t, "node")
	dir := os.Getenv("GITTRACE_DUCKDB")
	if cache, err := os.UserCacheDir(); dir == "" && err == nil {
		dir = filepath.Join(cache, "git-trace-duckdb")
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@duckdb", "node-api")); err != nil {
		testenv.Lacks(t, "DuckDB is not here: npm install --prefix "+dir+" @duckdb/node-api")
	}
	return dir
}

const askDuckDB = `
import { DuckDBInstance } from '@duckdb/node-api';
const asked = JSON.parse(await new Response(process.stdin).text());
const db = await (await DuckDBInstance.create(':memory:')).connect();
const out = [];
for (const sql of asked) {
  const begun = performance.now();
  const rows = (await db.runAndReadAll(sql)).getRowObjectsJson();
  out.push({ ms: performance.now() - begun, rows });
}
console.log(JSON.stringify(out));
`

type answered struct {
	MS   float64          `json:"ms"`
	Rows []map[string]any `json:"rows"`
}

// duckdb runs statements one after the other.
func duckdb(t *testing.T, home string, statements ...string) []answered {
	t.Helper()
	script := filepath.Join(home, fmt.Sprintf("ask-%d.mjs", os.Getpid())) // node looks for packages from where it lies
	if err := os.WriteFile(script, []byte(askDuckDB), 0o644); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Remove(script) }()
	asked, err := json.Marshal(statements)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", script)
	cmd.Stdin = bytes.NewReader(asked)
	var says bytes.Buffer
	cmd.Stderr = &says
	raw, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, says.String())
	}
	var out []answered
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

var sqlBlock = regexp.MustCompile("(?s)```sql\n(.*?)```")

// fleetQueries are the statements of docs/fleet.md: the views, over a directory, and the queries by their names.
func fleetQueries(t *testing.T, data, repo string) (views []string, queries map[string]string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	queries = map[string]string{}
	for _, m := range sqlBlock.FindAllStringSubmatch(string(page), -1) {
		name, body, named := strings.Cut(strings.TrimPrefix(m[1], "-- "), "\n")
		if named && strings.HasPrefix(m[1], "-- ") {
			queries[name] = body
			continue
		}
		for statement := range strings.Lines(m[1]) {
			statement = strings.ReplaceAll(statement, "'fleet/", "'"+data+"/")
			if repo != "" {
				statement = strings.Replace(statement, ";", " WHERE repo = '"+repo+"';", 1)
			}
			views = append(views, statement)
		}
	}
	return views, queries
}

// statsOf is what git trace stats says, as JSON.
type statsOf struct {
	Lines struct{ Commits, Added, AI, Human, Unknown int }
	Cost  struct {
		USD     float64
		Unknown int
	}
	Groups []struct {
		Key              map[string]*string
		Contributor      *string
		Added, AI, Human int
		Unknown          int
		CostUSD          *float64 `json:"cost_usd"`
		Survival         []struct{ Days, Written, Alive int }
	}
}

type fleet struct {
	t       *testing.T
	program string
	data    string
}

func (f *fleet) run(dir string, args ...string) []byte {
	f.t.Helper()
	cmd := exec.Command(f.program, args...)
	cmd.Dir = dir
	var says bytes.Buffer
	cmd.Stderr = &says
	out, err := cmd.Output()
	if err != nil {
		f.t.Fatalf("%s: %v: %v\n%s", dir, args, err, says.String())
	}
	return out
}

func (f *fleet) stats(dir string, args ...string) *statsOf {
	f.t.Helper()
	s := &statsOf{}
	if err := json.Unmarshal(f.run(dir, append([]string{"stats", "--json"}, args...)...), s); err != nil {
		f.t.Fatal(err)
	}
	return s
}

// export writes a repository into the data set, and gives its name.
func (f *fleet) export(dir string) string {
	f.t.Helper()
	f.run(dir, "import", "--from", "opentraces", filepath.Join(dir, ".git", "said.jsonl"))
	out := f.run(dir, "export", "--format", "parquet", "--partition", "repo,month", f.data)
	name, _, _ := strings.Cut(string(out), ":")
	return name
}

// line is a row of an answer as text, in the order of the columns that are named.
func line(row map[string]any, columns ...string) string {
	var out []string
	for _, column := range columns {
		out = append(out, fmt.Sprint(row[column]))
	}
	return strings.Join(out, " ")
}

func or(text *string) string {
	if text == nil {
		return "<nil>"
	}
	return *text
}

func same(t *testing.T, what string, have, want []string) {
	t.Helper()
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("%s: the tables say\n%s\nand stats\n%s", what, strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

// The queries of docs/fleet.md, over each repository of a fleet, give what git trace stats says of it.
func TestTheFleetSaysWhatStatsSays(t *testing.T) {
	home := duckdbHome(t)
	program, dir := built(t)
	f := &fleet{t: t, program: program, data: filepath.Join(dir, "data")}
	var all statsOf
	for n := range testenv.Pick(2, 3, 12) {
		repo := filepath.Join(dir, fmt.Sprintf("repo%d", n))
		makeFleetRepo(t, repo, uint64(n), 40+20*n, 400)
		name := f.export(repo)
		f.equal(home, repo, name)
		s := f.stats(repo)
		all.Lines.Added += s.Lines.Added
		all.Lines.AI += s.Lines.AI
		all.Cost.USD += s.Cost.USD
	}
	views, queries := fleetQueries(t, f.data, "")
	got := duckdb(t, home, append(views, "SELECT sum(lines)::INT AS added, sum(CASE WHEN owner = 'ai' THEN lines END)::INT AS ai FROM lines",
		queries["prompts behind reverted lines"])...)[len(views):]
	if have, want := line(got[0].Rows[0], "added", "ai"), fmt.Sprint(all.Lines.Added, " ", all.Lines.AI); have != want {
		t.Errorf("the fleet has %s lines, and the repositories %s", have, want)
	}
	here := strings.NewReplacer("'fleet/", "'"+f.data+"/", "WHERE month = '2026-10' ", "", "'packed/", "'"+dir+"/")
	packed := here.Replace(queries["one month in one file"])
	counts := duckdb(t, home, append(views, packed, "SELECT count(*) AS n FROM lines",
		"SELECT count(*) AS n FROM '"+dir+"/lines-2026-10.parquet'")...)[len(views)+1:]
	if have, want := line(counts[1].Rows[0], "n"), line(counts[0].Rows[0], "n"); packed == "" || have != want {
		t.Errorf("one file has %s rows, and all files %s", have, want)
	}
	if len(got[1].Rows) == 0 || !strings.HasPrefix(fmt.Sprint(got[1].Rows[0]["text"]), "do what s") {
		t.Errorf("no prompt is behind reverted lines: %v", got[1].Rows)
	}
}

// A fleet in which nobody has a row answers every question, and so does a month without a row.
func TestAFleetWithoutARowAnswers(t *testing.T) {
	home := duckdbHome(t)
	program, dir := built(t)
	f := &fleet{t: t, program: program, data: filepath.Join(dir, "data")}
	repo := filepath.Join(dir, "empty")
	for _, args := range [][]string{{"init", "-q", repo}, {"-C", repo, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	f.run(repo, "export", "--format", "parquet", "--partition", "repo,month", f.data)
	views, queries := fleetQueries(t, f.data, "")
	queries["one month in one file"] = strings.ReplaceAll(queries["one month in one file"], "'packed/", "'"+dir+"/")
	if len(views) < 6 || len(queries) < 7 {
		t.Fatalf("%d views, %d queries", len(views), len(queries))
	}
	names := slices.Sorted(maps.Keys(queries))
	statements := views
	for _, name := range names {
		statements = append(statements, queries[name])
	}
	for i, got := range duckdb(t, home, statements...)[len(views):] {
		if len(got.Rows) > 0 && names[i] != "one month in one file" { // which counts
			t.Errorf("%s: %v", names[i], got.Rows)
		}
	}
}

// equal compares one repository.
func (f *fleet) equal(home, dir, name string) {
	f.t.Helper()
	views, queries := fleetQueries(f.t, f.data, name)
	names := []string{"share by month", "share by model", "share by directory", "survival by agent", "cost per surviving line"}
	statements := views
	for _, name := range names {
		statements = append(statements, queries[name])
	}
	statements = append(statements, "SELECT count(*) AS n, sum(added) AS added, sum(ai) AS ai FROM commits")
	got := duckdb(f.t, home, statements...)[len(views):]
	rows := func(n int, columns ...string) (out []string) {
		for _, row := range got[n].Rows {
			out = append(out, line(row, columns...))
		}
		return out
	}
	var want [5][]string
	for _, g := range f.stats(dir, "--by", "month").Groups {
		if g.Added > 0 {
			want[0] = append(want[0], fmt.Sprint(or(g.Key["month"]), " ", g.Added, " ", g.AI, " ", g.Human, " ", g.Unknown))
		}
	}
	for _, g := range f.stats(dir, "--by", "model").Groups {
		if g.Added > 0 {
			want[1] = append(want[1], fmt.Sprint(or(g.Contributor), " ", or(g.Key["model"]), " ", g.Added))
		}
	}
	for _, g := range f.stats(dir, "--by", "directory").Groups {
		want[2] = append(want[2], fmt.Sprint(or(g.Key["directory"]), " ", g.Added, " ", g.AI))
	}
	s := f.stats(dir, "--by", "agent", "--survival")
	for _, g := range s.Groups {
		for _, a := range g.Survival {
			if a.Written > 0 {
				want[3] = append(want[3], fmt.Sprint(or(g.Contributor), " ", or(g.Key["agent"]), " ", a.Days, " ", a.Written, " ", a.Alive))
			}
		}
		if g.CostUSD != nil {
			want[4] = append(want[4], fmt.Sprintf("%s %.4f", or(g.Key["agent"]), *g.CostUSD))
		}
	}
	same(f.t, name+": month", rows(0, "month", "added", "ai", "human", "unknown"), want[0])
	same(f.t, name+": model", rows(1, "owner", "model", "added"), want[1])
	same(f.t, name+": directory", rows(2, "directory", "added", "ai"), want[2])
	same(f.t, name+": survival", rows(3, "owner", "agent", "days", "written", "alive"), want[3])
	var cost []string
	for _, row := range got[4].Rows {
		cost = append(cost, fmt.Sprintf("%v %.4f", row["agent"], row["cost_usd"]))
	}
	same(f.t, name+": cost", cost, want[4])
	same(f.t, name+": commits", rows(5, "n", "added", "ai"), []string{fmt.Sprint(s.Lines.Commits, " ", s.Lines.Added, " ", s.Lines.AI)})
}

// A fleet of 200 repositories with 2 million patches, exported and asked. GITTRACE_FLEET=REPOSITORIES,PATCHES asks for
// another size.
func TestAFleetOfTwoMillionPatches(t *testing.T) {
	if !testenv.Long() {
		t.Skip("only in the full form")
	}
	home := duckdbHome(t)
	program, dir := built(t)
	repositories, patches := 200, 10_000
	if size := os.Getenv("GITTRACE_FLEET"); size != "" {
		if _, err := fmt.Sscanf(size, "%d,%d", &repositories, &patches); err != nil {
			t.Fatal(err)
		}
	}
	f := &fleet{t: t, program: program, data: filepath.Join(dir, "data")}
	var mu sync.Mutex
	var spent time.Duration
	var most int64
	t.Run("export", func(t *testing.T) {
		for n := range repositories {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				repo := filepath.Join(dir, fmt.Sprintf("repo%d", n))
				makeFleetRepo(t, repo, uint64(n), 200, patches)
				of := &fleet{t: t, program: program}
				of.run(repo, "import", "--from", "opentraces", filepath.Join(repo, ".git", "said.jsonl"))
				cmd := exec.Command(program, "export", "--format", "parquet", "--partition", "month", f.data)
				cmd.Dir = repo
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				mu.Lock()
				defer mu.Unlock()
				spent += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
				most = max(most, mostMemory(cmd.ProcessState))
				if err := os.RemoveAll(repo); err != nil {
					t.Fatal(err)
				}
			})
		}
	})
	t.Logf("%d repositories, %d patches: %.2f s of processor time each, git and git-trace-serve with it, at most %d MB in a process",
		repositories, repositories*patches, spent.Seconds()/float64(repositories), most>>20)
	raw, err := os.ReadFile(filepath.Join(f.data, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, figures, _ := bytes.Cut(raw, []byte("\n| table"))
	t.Logf("%s", figures)
	views, queries := fleetQueries(t, f.data, "")
	one := filepath.Join(dir, "one")
	var whole, together []string // the same views over one file a table, and what writes these
	for _, view := range views {
		whole = append(whole, strings.NewReplacer(f.data+"/", one+"/", "/**/*", "").Replace(view))
		_, table, _ := strings.Cut(view, "CREATE VIEW ")
		table, _, _ = strings.Cut(table, " ")
		together = append(together, "COPY (SELECT * FROM "+table+" ORDER BY month, repo) TO '"+one+"/"+table+".parquet' (COMPRESSION zstd)")
	}
	if err := os.Mkdir(one, 0o755); err != nil {
		t.Fatal(err)
	}
	statements := slices.Concat(views, []string{"SELECT count(*) AS n FROM patches"})
	delete(queries, "one month in one file") // it answers nothing
	names := slices.Sorted(maps.Keys(queries))
	for _, name := range names {
		statements = append(statements, queries[name])
	}
	got := duckdb(t, home, append(statements, together...)...)[len(views):]
	if have := fmt.Sprint(got[0].Rows[0]["n"]); have != fmt.Sprint(repositories*patches) {
		t.Errorf("%s patches", have)
	}
	again := duckdb(t, home, slices.Concat(whole, statements[len(views):])...)[len(views):]
	for i, name := range names {
		t.Logf("%s: %.0f ms, of one file a table %.0f ms, %d rows", name, got[i+1].MS, again[i+1].MS, len(got[i+1].Rows))
		if !reflect.DeepEqual(got[i+1].Rows, again[i+1].Rows) {
			t.Errorf("%s: one file a table gives another answer", name)
		}
	}
	for i, packed := range got[len(names)+1:] {
		t.Logf("%.0f ms: %s", packed.MS, together[i])
	}
	files, err := os.ReadDir(one)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if info, err := file.Info(); err == nil {
			t.Logf("%s: %d bytes", file.Name(), info.Size())
		}
	}
}
