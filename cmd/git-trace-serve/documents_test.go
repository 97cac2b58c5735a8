package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

const moduleRoot = "../.."

// notRun are the command lines of documents that no test runs, and why. Each names lines of its page by an expression.
var notRun = []struct{ page, lines, why string }{
	{"README.md", `(?m)^go (run|test|install) .*$`, "wants the sources or the network: .ci/newcomer runs it"},
	{"docs/editors.md", `(?m)^go install .*$`, "puts programs into the user's home: .ci/newcomer runs it"},
	{"docs/editors.md", `(?m)^git trace diff .* \| delta$`, "wants delta, which Debian 12 does not have"},
	{"docs/serve.md", `(?m)^go install .*$`, "puts programs into the user's home: .ci/newcomer runs it"},
	{"docs/serve.md", `(?m)^git trace (serve( [^-].*| --open.*|)|(blame|show) --web .*)$`,
		"serves until it is stopped: TestServeOpensWhatIsNamed, TestPagesAreOpenedInTheBrowser"},
	{"docs/sharing.md", `(?m)^git trace push --adopt .*$`, "wants the consent of another clone: TestAForkIsAdopted"},
	{"docs/coming-from.md", `(?m)^git trace import --from entire .*$`, "wants Entire's checkpoints: entire.txtar"},
	{"CONTRIBUTING.md", `(?m)^(go (build|test)|\.ci/run) ?.*$`, "builds everything and runs tests"},
	{"docs/testing.md", `(?m)^((GITTRACE_\w+=\w+ )*go (test|run)|\.ci/run) ?.*$`, "runs tests, for minutes and more"},
	{"docs/performance.md", `(?m)^go run ./internal/testing/bench.*$`, "measures, for minutes"},
	{"packaging/elsewhere/README.md", `(?m)^sh .*$`, "prepares a machine that goes: away.txtar"},
	{"packaging/claude-code-plugin/README.md", `(?m)^claude .*$`, "wants the client: TestClaudeCodeTakesThePlugin"},
	{"packaging/npm/git-trace/README.md", `(?m)^(npx|npm) .*$`, "wants npm's registry: .ci/release-test installs the file"},
	{"internal/testing/driver/README.md", `(?m)^go (run|test) .*$`, "installs clients of agents with npm, and runs tests"},
}

// standIns are what stands on pages for something of the reader's, and what the demo's repository has of it.
var standIns = strings.NewReplacer(
	"your/repository", ".", "FILE:LINE", "server.go:18", "FILE", "server.go", "4f2a", "c86c",
	"v1.0..v1.1", "HEAD~1..HEAD", "\n…", "\n#",
)

// changing matches the parts of a screen that differ from run to run: ids of commits, moments, ages, and the place of a
// remote.
var changing = regexp.MustCompile(
	`\b([0-9a-f]{7}|[0-9a-f]{16})\b|\d+ [A-Z][a-z]{2} \d{4}|\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?|` +
		`\d+ \w+ ago|just now|\bnow\b|to origin \([^)]*\)|the log \(\d+ events\)`) // which is told of a record once or twice

var (
	fence    = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	prompted = regexp.MustCompile(`(?m)^\$ `)
)

// The commands of every document are run, in the repository of git trace demo, and its screens are what they print. A
// block of a page that names no language, or sh, is of commands; or it is a screen: a command behind a prompt, and the
// beginning of what it prints. A block of the language console has screens of a colleague's clone, with lines left out.
// What is not run stands in notRun, and nothing else does.
func TestDocumentsSayWhatHappens(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX shell")
	}
	pages, err := exec.Command("git", "-C", moduleRoot, "ls-files", "*.md").Output()
	if err != nil {
		t.Skip("the documents are listed by git: ", err)
	}
	used := make([]bool, len(notRun))
	for _, page := range strings.Fields(string(pages)) {
		text, err := os.ReadFile(filepath.Join(moduleRoot, page))
		if err != nil {
			t.Fatal(err)
		}
		var blocks, others []string
		for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
			if m[1] == "" || m[1] == "sh" {
				if block := runnable(page, m[2], used); strings.TrimSpace(block) != "" {
					blocks = append(blocks, block)
				}
			}
			if m[1] == "console" {
				others = append(others, standIns.Replace(m[2]))
			}
		}
		if len(blocks) > 0 && !strings.Contains(page, "testdata/") {
			t.Run(page, func(t *testing.T) { runBlocks(t, blocks, others) })
		}
	}
	for i, left := range notRun {
		if !used[i] {
			t.Errorf("%s has no line %s: take it off the list", left.page, left.lines)
		}
	}
}

// runnable is a block without the lines that are not run, and with something for what stands for the reader's own.
func runnable(page, block string, used []bool) string {
	for i, left := range notRun {
		if lines := regexp.MustCompile(left.lines); left.page == page && lines.MatchString(block) {
			used[i] = true
			block = lines.ReplaceAllString(block, "")
		}
	}
	return standIns.Replace("\n" + block)[1:]
}

// runBlocks runs the blocks of one page, in a repository of their own with a remote and a fork: screens first. It runs
// the others in a clone of the remote.
func runBlocks(t *testing.T, blocks, others []string) {
	program, dir := demo(t)
	t.Setenv("PATH", filepath.Dir(program)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	sh := func(script string, at ...string) string {
		cmd := exec.Command("sh", "-ec", script)
		cmd.Dir = append(at, dir)[0]
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s%v\n%s", script, err, out)
		}
		return string(out)
	}
	sh(`git config --global user.name Reader; git config --global user.email reader@example.org
for at in team contributor; do
	git init -q --bare $HOME/$at.git
	git config --global url.file://$HOME/$at.git.insteadOf https://forge.example/$at/server.git
	git push -q $HOME/$at.git main main:topic
done
git remote add origin https://forge.example/team/server.git
git init -q --bare $HOME/traces.git
git config --global url.file://$HOME/traces.git.insteadOf https://forge.example/team/server-traces.git
mkdir $HOME/src $HOME/src/other
git init -q $HOME/src/other`)
	for _, block := range blocks {
		if prompted.MatchString(block) {
			command, shown, _ := strings.Cut(strings.TrimPrefix(block, "$ "), "\n")
			made := changing.ReplaceAllString(sh(command), "#")
			shown = changing.ReplaceAllString(shown, "#")
			if !strings.HasPrefix(unpadded(made), unpadded(shown)) {
				t.Errorf("%s prints\n%s\nand the page has\n%s", command, made, shown)
			}
		}
	}
	sh(`git branch topic; git trace push origin --to commits
git clone -q -b main https://forge.example/team/server.git $HOME/colleague`) // what the first push asks at a terminal
	for _, block := range others {
		for screen := range strings.SplitSeq("\n"+block, "\n$ ") {
			command, shown, _ := strings.Cut(screen, "\n")
			if command == "" {
				continue
			}
			made := changing.ReplaceAllString(sh(command, filepath.Join(os.Getenv("HOME"), "colleague")), "#")
			rest := unpadded(made)
			for line := range strings.Lines(changing.ReplaceAllString(shown, "#")) {
				_, after, found := strings.Cut(rest, unpadded(line))
				if rest = after; !found {
					t.Errorf("%s prints\n%s\nand the page has\n%s", command, made, line)
				}
			}
		}
	}
	for _, block := range blocks {
		if !prompted.MatchString(block) {
			sh(block)
		}
	}
}

// unpadded is a screen without the white space that follows from how wide a masked word was.
func unpadded(screen string) string { return strings.Join(strings.Fields(screen), " ") }
