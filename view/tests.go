package view

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/records/declared"
	"github.com/git-trace/git-trace/records/rawjson"
)

// testPrograms matches a command that runs tests, by the usual runners of each language.
var testPrograms = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\S*/)?(?:` + strings.Join([]string{
		`go (?:\S+ )*?test`, `gotestsum`, `node --test`, `n?px (?:jest|vitest|mocha|playwright test)`,
		`(?:npm|pnpm|yarn|bun|deno) (?:run )?(?:t|test\S*)`, `jest`, `vitest`, `mocha`, `ava`, `karma start`,
		`cypress run`, `pytest`, `py\.test`, `tox`, `nox`, `bats`, `prove`, `ctest`, `phpunit`, `pest`,
		`python[0-9.]* -m (?:pytest|unittest)`, `(?:bundle exec )?(?:rspec|minitest)`,
		`(?:uv|poetry|pipenv|hatch) run (?:pytest|python -m (?:pytest|unittest))`,
		`cargo (?:\S+ )*?(?:test|nextest)`, `(?:mvnw?|gradlew?) (?:\S+ )*?\S*(?:test|verify|check)\S*`,
		`(?:make|gmake|just|task|rake|mix|swift|flutter|dart|dotnet|sbt|lein|zig build|bazel) ` +
			`(?:\S+ )*?(?:tests?(?:[-:_.]\S*)?|check)`,
	}, `|`) + `)(?:\s|$)`)
})

// commandOf returns the command that a call runs, "" for none.
func commandOf(input json.RawMessage) string {
	for _, name := range []string{"command", "cmd"} {
		if line := declared.Command(rawjson.Member(input, name)); line != "" {
			return line
		}
	}
	return ""
}

// wrappers lists programs that run the command after them. The duration after timeout is a separate word.
var wrappers = []string{"env", "time", "sudo", "nice", "timeout"}

// mostCommand limits the part of a command that is read.
const mostCommand = 16 << 10

// runsTests reports whether one of the commands of a shell line runs tests.
func runsTests(line string) bool {
	line = line[:min(len(line), mostCommand)]
	for _, part := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("\n;|&()", r) }) {
		words := strings.Fields(part)
		for len(words) > 1 && (strings.Contains(words[0], "=") || slices.Contains(wrappers, words[0]) ||
			strings.Trim(words[0], "0123456789smh") == "") {
			words = words[1:]
		}
		if testPrograms().MatchString(strings.Join(words, " ")) {
			return true
		}
	}
	return false
}

// TestCommand returns the command line of a call that runs tests, "" for another call.
func TestCommand(input json.RawMessage) string {
	if line := commandOf(input); runsTests(line) {
		return line
	}
	return ""
}
