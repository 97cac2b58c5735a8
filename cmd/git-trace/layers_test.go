package main

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/git-trace/git-trace/"

// layers lists what the packages below a directory may import; the longest directory that holds a package counts.
// ARCHITECTURE.md draws them.
var layers = map[string][]string{
	"internal/cells":     {},
	"internal/exit":      {},
	"internal/cli":       {"internal/cells", "internal/exit"},
	"internal/companion": {"agents", "internal/exit", "internal/version"},
	"internal/fault":     {},
	"internal/memory":    {},
	"internal/numbers":   {},
	"internal/terminal":  {"internal/cells", "internal/exit", "internal/fault", "refs"},
	"internal/version":   {},
	"docs":               {},
	"refs":               {"internal/fault"},
	"events":             {"internal/fault", "refs", "internal/version"},
	"trails":             {"internal/fault", "refs", "events"},
	"records":            {"internal/fault", "refs", "events", "internal/numbers"},
	"agents":             {"refs", "events", "records"},
	"correlate":          {"internal/fault", "refs", "events", "trails"},
	"blame":              {"internal/fault", "refs", "events", "trails", "correlate", "internal/cells", "internal/numbers", "internal/exit"},
	"blame/gitblame":     {"internal/fault", "refs"},
	"graph":              {"refs", "events", "trails", "correlate", "internal/cells", "internal/numbers"},
	"hooks":              {"internal/fault", "refs", "events", "trails", "agents", "records", "correlate", "internal/numbers", "internal/version"},
	"view":               {"internal/fault", "refs", "events", "trails", "agents", "records", "correlate", "blame", "hooks"},
	"view/exchange":      {"view/transcripts", "refs", "agents", "records", "internal/cells", "internal/companion", "internal/exit", "internal/fault", "internal/numbers", "events"},
	"report/export":      {"view", "refs", "events", "trails", "records", "correlate", "blame", "report/span", "internal/exit", "internal/numbers", "internal/terminal", "internal/version"},
	"view/lookup":        {"view", "refs", "events", "internal/cells", "internal/exit", "internal/numbers", "trails"},
	"view/transcripts":   {"internal/fault", "refs", "events", "agents", "records", "correlate"},
	"report/stats":       {"refs", "events", "records", "correlate", "blame", "graph", "internal/numbers"},
	"report/figures":     {"refs", "events", "records", "graph", "report/stats", "view", "internal/numbers", "internal/cells"},
	"report/diff":        {"internal/fault", "refs", "events", "correlate", "blame", "internal/numbers", "internal/cells", "internal/terminal"},
	"report/why":         {"view", "refs", "events", "trails", "records", "correlate", "blame"},
	"report/check":       {"view", "refs", "events", "records", "graph", "blame", "report/diff", "internal/numbers", "internal/version"},
	"report/span":        {"refs", "events", "graph", "view", "report/stats", "report/figures", "report/diff", "internal/cells", "internal/exit", "internal/numbers", "report/show", "sharing"},
	"report/show":        {"view", "refs", "events", "agents", "records", "correlate", "blame", "graph", "report/answers", "report/figures", "report/why", "internal/cells", "internal/exit", "internal/numbers", "internal/terminal"},
	"report/shared":      {"events", "sharing", "internal/cells", "internal/numbers", "internal/terminal"},
	"report/health":      {"view", "refs", "events", "trails", "sharing", "report/answers", "report/show", "upkeep/doctor", "upkeep/keeping", "upkeep/purge", "internal/cells", "internal/numbers", "internal/terminal"},
	"report/assess":      {"view", "refs", "events", "agents", "records", "report/answers", "internal/cells", "internal/companion", "internal/numbers"},
	"report/answers":     {"refs", "events", "trails", "records", "hooks", "graph", "view", "report/why", "sharing", "upkeep/doctor", "upkeep/purge", "internal/numbers"},
	"sharing":            {"internal/fault", "refs", "events", "records", "internal/numbers", "internal/exit"},
	"upkeep/purge":       {"refs", "events", "trails", "agents", "records", "correlate", "internal/numbers", "view"},
	"upkeep/keeping":     {"view", "refs", "events", "trails", "agents", "records", "hooks", "report/answers", "upkeep/purge", "upkeep/testimony", "internal/cells", "internal/companion", "internal/exit", "internal/fault", "internal/memory", "internal/numbers", "internal/terminal"},
	"upkeep/settings":    {"refs", "agents", "hooks", "sharing", "upkeep/doctor", "upkeep/keeping", "internal/cells", "internal/exit", "internal/terminal"},
	"upkeep/intake":      {"view", "refs", "events", "agents", "records", "correlate", "upkeep/keeping", "upkeep/testimony", "internal/cells", "internal/companion", "internal/exit", "internal/numbers", "internal/terminal"},
	"upkeep/restore":     {"refs", "events", "trails", "correlate", "blame"},
	"upkeep/capsule":     {"view", "refs", "events", "trails", "agents", "records"},
	"upkeep/resume":      {"view", "refs", "events", "trails", "agents", "records"},
	"upkeep/testimony":   {"view", "refs", "events", "trails", "agents", "records", "correlate", "blame", "hooks", "upkeep/purge"},
	"upkeep/doctor":      {"refs", "events", "trails", "agents", "records", "correlate", "hooks", "upkeep/purge", "internal/cells", "internal/numbers", "internal/version"},
	"serve/web":          {"internal/fault", "refs", "events", "records", "blame", "graph", "view", "report", "sharing", "internal/cells", "internal/numbers"},
	"serve/otlp":         {"internal/fault", "records"},
	"serve/lsp":          {"refs", "records", "blame", "internal/fault", "internal/cells"},
	"serve/dataset":      {"internal/fault", "refs", "events", "agents", "records", "correlate", "graph", "report/stats", "view", "internal/numbers", "internal/companion", "internal/exit"},
	// What serves tests alone uses what it tests. No layer may use it, so nothing of it gets into the program.
	"internal/testing/talk": {"refs", "events", "records", "view", "upkeep/keeping", "internal/testing"},
	"internal/testing":      {"refs", "events", "trails", "agents", "records", "correlate", "internal/version"},
	"cmd":                   nil,
}

// notInPrograms are what the programs may not link.
const notInPrograms = "internal/testing"

func TestPackagesImportOnlyTheLayersAboveThem(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(goList(t, "GOOS=linux", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...")) {
		fields := strings.Fields(line)
		own := layerOf(fields[0])
		if own == "" {
			t.Errorf("package %s stands in no layer", fields[0])
			continue
		}
		for _, imported := range fields[1:] {
			layer := layerOf(imported)
			allowed := slices.ContainsFunc(append(layers[own], own), func(above string) bool { return standsBelow(layer, above) })
			if strings.HasPrefix(imported, module) && !allowed && (own != "cmd" || layer == notInPrograms) {
				t.Errorf("%s imports %s: %s may use only %v", fields[0], imported, own, layers[own])
			}
		}
	}
}

// layerOf gives the longest directory of layers that holds a package; empty, when none does.
func layerOf(pkg string) string {
	for dir := strings.TrimPrefix(pkg, module); dir != "."; dir = path.Dir(dir) {
		if _, is := layers[dir]; is {
			return dir
		}
	}
	return ""
}

func standsBelow(dir, above string) bool { return strings.HasPrefix(dir+"/", above+"/") }

// What shows something asks package view. View alone opens the index of events and the search for commits that no hook
// reported, so all commands tell the same.
func TestWhatShowsAsksView(t *testing.T) {
	t.Parallel()
	opened := false
	for line := range strings.Lines(goList(t, "GOOS=linux", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...")) {
		fields := strings.Fields(line)
		for _, imported := range fields[1:] {
			if imported != module+"correlate/unseen" && imported != module+"events/index" {
				continue
			}
			own := layerOf(fields[0])
			opened = opened || own == "view"
			if slices.ContainsFunc([]string{"cmd", "serve", "report", "graph"}, func(shows string) bool { return standsBelow(own, shows) }) {
				t.Errorf("%s imports %s: ask package view", fields[0], imported)
			}
		}
	}
	if !opened {
		t.Error("view opens neither: they have other names now")
	}
}

const hookPathList = "testdata/hookpath.txt"

// agentPackages are one for each agent; what they bring along is listed.
const agentPackages = module + "agents/..."

// What a hook runs must start in milliseconds: the packages that it reaches are listed, and one more has to be put
// there by hand, with a look at what it costs. HOOKPATH_ACCEPT=1 writes the list.
func TestHookPathStaysLight(t *testing.T) {
	t.Parallel()
	var reached []string
	for _, dep := range strings.Fields(goList(t, "GOOS=linux", "-deps", "../git-trace-hook")) {
		if !insideGo(dep) && !lists([]string{agentPackages}, dep) {
			reached = append(reached, dep)
		}
	}
	reached = append(reached, agentPackages)
	slices.Sort(reached)
	if os.Getenv("HOOKPATH_ACCEPT") != "" {
		if err := os.WriteFile(hookPathList, []byte(strings.Join(reached, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(hookPathList)
	if err != nil {
		t.Fatal(err)
	}
	listed := strings.Fields(string(text))
	for _, dep := range reached {
		if !slices.Contains(listed, dep) {
			t.Errorf("the hook path grew: it reaches %s", dep)
		}
	}
	for _, dep := range listed {
		if !slices.Contains(reached, dep) {
			t.Errorf("%s is listed in %s and no longer reached", dep, hookPathList)
		}
	}
}

// insideGo tells packages that the standard library keeps to itself, and that change with its version.
func insideGo(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return first == "runtime" || first == "internal" || first == "vendor" ||
		!strings.Contains(first, ".") && strings.Contains(path, "/internal/")
}

// lists tells whether a package is in a list; "x/..." there stands for all below x.
func lists(list []string, path string) bool {
	return slices.ContainsFunc(list, func(item string) bool {
		above, all := strings.CutSuffix(item, "...")
		return item == path || all && strings.HasPrefix(path, above)
	})
}

// unguarded starts a goroutine past the door of package fault.
var unguarded = regexp.MustCompile(`^\s*go [a-zA-Z.]+\(|\bgo func\(|\.Go\([^)]|AfterFunc\(`)

// A panic in a goroutine is told as an error, too, and a hook stays silent.
func TestGoroutinesComeToTheDoor(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, row := range codeRows(t) {
		if !unguarded.MatchString(row.code) || strings.Contains(row.file, "/fault/") ||
			strings.Contains(row.file, "/internal/testing/") {
			continue
		}
		if seen++; !strings.Contains(row.code, "fault.Go(") && !strings.Contains(row.code, "fault.In(") {
			t.Errorf("%s starts a goroutine past package fault: %s", row.file, strings.TrimSpace(row.code))
		}
	}
	if seen < 30 {
		t.Errorf("%d goroutines were found", seen)
	}
	for _, program := range []string{"git-trace", "git-trace-hook", "git-trace-serve"} {
		text, err := os.ReadFile("../" + program + "/main.go")
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`func main\(\) \{\n\tfault\.(Tell|Hush)\(\)\n\tos\.Exit\(fault\.Run\(`).Match(text) {
			t.Errorf("main of %s has no door", program)
		}
	}
}

// factsDir is the one place where reflogs are read and their messages classified.
const factsDir = "trails/gitfacts/"

// reflogReaders are the ways to a reflog: those of package refs, and git's own.
var reflogReaders = regexp.MustCompile(`\.(LogSince|LastLog|LogPosition)\(|"log", "-g"|"reflog", "show"|--walk-reflogs`)

// reflogWords are what git writes into the messages of reflogs.
var reflogWords = regexp.MustCompile(`"[^"]*(commit \((amend|merge|initial|cherry-pick)|\((pick|continue|finish|start)\)|Merge made by|moving from |Fast-forward)`)

// What git did is told once: by the table of kinds in package gitfacts.
func TestNobodyElseReadsReflogs(t *testing.T) {
	t.Parallel()
	found := map[bool]int{}
	for _, row := range codeRows(t) {
		if strings.Contains(row.file, "/refs/") || !reflogReaders.MatchString(row.code) && !reflogWords.MatchString(row.code) {
			continue
		}
		inside := strings.Contains(row.file, factsDir)
		if found[inside]++; !inside {
			t.Errorf("%s: %s: ask package gitfacts", row.file, strings.TrimSpace(row.code))
		}
	}
	if found[true] == 0 {
		t.Errorf("nothing in %s reads a reflog: what is looked for has another name now", factsDir)
	}
}

// Directories in a repository are made by refs.MakeDirs, which makes no removed one again. The others make directories of
// the user, of a work tree, or of a test.
func TestDirectoriesOfARepositoryAreMadeInOnePlace(t *testing.T) {
	t.Parallel()
	others := regexp.MustCompile(`/(refs/recorded/(place|missed|recorded)|agents/(userfile/\w+|sessioncopy/copy)|hooks/change|report/export/files|cmd/git-trace/installdocs|dataset/shards/set)\.go$|` +
		`/internal/testing/`)
	found := 0
	for _, row := range codeRows(t) {
		if strings.Contains(row.code, "refs.MakeDirs(") {
			found++
		}
		if strings.Contains(row.code, "os.MkdirAll(") && !others.MatchString(row.file) {
			t.Errorf("%s: %s: ask refs.MakeDirs", row.file, strings.TrimSpace(row.code))
		}
	}
	if found == 0 {
		t.Error("nobody asks refs.MakeDirs: it has another name now")
	}
}

// originDir is the one place where it is said of what a content may have been made.
const originDir = "trails/origin/"

// candidateLists are the ways to a list of candidates, and to what follows from one.
var candidateLists = regexp.MustCompile(`\[\]origin\.Candidate\b|origin\.(Gather|Explain)\(|vector\.Origins\(|range finders\b`)

// Candidates are found by the table of finders in package origin, for every moment.
func TestCandidatesAreGatheredInOnePlace(t *testing.T) {
	t.Parallel()
	gathered, steps := 0, 0
	for _, row := range codeRows(t) {
		if strings.Contains(row.file, "/trails/") && strings.Contains(row.code, "&step{") {
			steps++
		}
		if !candidateLists.MatchString(row.code) {
			continue
		}
		if !strings.Contains(row.file, originDir) && !strings.Contains(row.file, "trails/vector/") {
			t.Errorf("%s: %s: ask package origin", row.file, strings.TrimSpace(row.code))
		}
		if strings.Contains(row.code, "range finders") {
			gathered++
		}
	}
	if gathered != 1 {
		t.Errorf("the table of finders is walked in %d places", gathered)
	}
	if steps != 1 {
		t.Errorf("a step of the timeline is made in %d places: what else needs one needs less", steps)
	}
}

// codeRow is a line of a file of the program, comments left out.
type codeRow struct{ file, code string }

func codeRows(t *testing.T) []codeRow {
	t.Helper()
	var out []codeRow
	for line := range strings.Lines(goList(t, "GOOS=linux", "-f", "{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}", module+"...")) {
		name := strings.TrimSpace(line)
		if name == "" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for row := range strings.Lines(string(text)) {
			code, _, _ := strings.Cut(row, "//")
			out = append(out, codeRow{name, code})
		}
	}
	return out
}

// Whatever a package of the program does before main, every hook waits for: a regular expression takes a tenth of a
// millisecond to compile.
func TestNoRegularExpressionIsCompiledAtStartUp(t *testing.T) {
	t.Parallel()
	atStart := regexp.MustCompile(`(?m)^(?:var |\t)\w+\s+= regexp\.MustCompile\(`)
	for line := range strings.Lines(goList(t, "GOOS=linux", "-deps", "-f", "{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}{{end}}{{end}}", ".")) {
		name := strings.TrimSpace(line)
		if name == "" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if found := atStart.Find(text); found != nil {
			t.Errorf("%s: %s: compile it when it is first needed (sync.OnceValue)", name, bytes.TrimSpace(found))
		}
	}
}

// goList runs go list for a system, GOOS=NAME.
func goList(t *testing.T, system string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Env = append(os.Environ(), system, "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return string(out)
}

// What serves agents and what reads zstd is a program of its own: its libraries would make every hook slower.
func TestTheCompanionsLibrariesAreNotLinkedIntoGitTrace(t *testing.T) {
	t.Parallel()
	for _, dep := range strings.Fields(goList(t, "GOOS=linux", "-deps", ".")) {
		if strings.HasPrefix(dep, "github.com/modelcontextprotocol/") || strings.HasPrefix(dep, "github.com/klauspost/compress") ||
			strings.HasPrefix(dep, "github.com/parquet-go/") ||
			dep == "net/http" {
			t.Errorf("git-trace links %s", dep)
		}
	}
}
