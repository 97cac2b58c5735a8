package steering

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/records/declared"
	"github.com/git-trace/git-trace/records/treetrace"
)

// `risky` looks for risks in edits and commands that ran. Declined calls are not risks, and words of a prompt have the
// least confidence.
func (a *analysis) risky(t *turn) {
	for _, c := range t.calls {
		if !c.succeeded() {
			continue
		}
		for i := range c.edits {
			a.riskyEdit(t, c, &c.edits[i])
		}
		if what := riskyCommand(c.command); what != "" {
			a.risk(t, 0.84, oneLine(c.command, 60), what+": "+oneLine(c.command, 120))
		}
	}
	for _, c := range t.changes {
		if runsElsewhere(c.path) && !namesAutomation(t.text) && !namesFile(t.text, t) {
			a.risk(t, hint, c.path, "changed, and nobody asked for it: "+c.path)
		}
	}
}

func (a *analysis) risk(t *turn, confidence float64, subject, evidence string) {
	a.fail(failure{kind: treetrace.SecurityRisk, turn: t, confidence: confidence, subject: subject, evidence: evidence,
		byWords: confidence < 0.8})
	a.doc.Brief.Risks = append(a.doc.Brief.Risks,
		treetrace.Risk{Tier: treetrace.Tier(confidence), NodeID: nodeID(t.number), Text: evidence})
}

// redacted matches the marker of a removed secret in a record: it shows that the edit wrote a secret.
var redacted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[REDACTED:([^\]\s]{1,60})\]`) })

func (a *analysis) riskyEdit(t *turn, c *call, e *declared.Edit) {
	file := c.file
	if e.Path != c.path {
		file = t.conv.places.relative(e.Path)
	}
	mark := redacted().FindStringSubmatch(e.New)
	switch {
	case mark != nil && !strings.Contains(e.Old, mark[0]) && inside(file):
		where := ""
		if commits := t.commits(); len(commits) > 0 {
			where = ", in commit " + commits[0]
		}
		a.risk(t, 0.95, file, "a secret ("+mark[1]+") was written to "+file+where)
	case e.Deletes && isTest(file) && !namesFile(t.text, t):
		a.risk(t, 0.84, file, "a test was deleted: "+file)
	}
	if what := riskyText(e.New); what != "" && riskyText(e.Old) == "" {
		if !isTest(file) || strings.HasPrefix(what, "tests") {
			a.risk(t, 0.84, file, what+": "+file)
		}
	}
}

// `inside` reports whether a path is inside the repository.
func inside(file string) bool {
	return file != "" && !path.IsAbs(file) && !strings.HasPrefix(file, "..") && !strings.Contains(file, ":")
}

var testName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|/)(tests?|spec|__tests__)/|(^|/)test_[^/]+$|[._-](test|spec)s?\.[a-z]+$`)
})

func isTest(file string) bool { return testName().MatchString(file) }

// runsElsewhere reports whether a file makes a server run commands or grants permissions.
func runsElsewhere(file string) bool {
	return strings.HasPrefix(file, ".github/workflows/") || file == ".gitlab-ci.yml" || file == "Jenkinsfile" ||
		path.Base(file) == "CODEOWNERS" ||
		strings.HasPrefix(file, ".circleci/")
}

func namesAutomation(prompt string) bool {
	_, found := holds(spaced(prompt), []string{"ci", "workflow", "workflows", "pipeline", "pipelines", "github", "gitlab",
		"actions", "action", "codeowners", "jenkins", "deploy"})
	return found
}

// textRisks lists patterns of program text that weakens security. The first string of each pair names the risk in
// reports.
var textRisks = sync.OnceValue(func() []pattern {
	return patterns(
		"a check of certificates is off",
		`verify\s*=\s*False\b|rejectUnauthorized["']?\s*:\s*false|InsecureSkipVerify\s*:\s*true|`+
			`NODE_TLS_REJECT_[A-Z]+\s*=\s*["']?0`,
		"open to everybody",
		`\b0\.0\.0\.0/0\b|::/0\b|(?i:\bGRANT\s[^;\n]{0,80}\sTO\s+PUBLIC\b)|"Principal"\s*:\s*"\*"|\bpublic-read(-write)?\b`,
		"a guard is off", `(?i:\bcsrf["']?\s*[:=]\s*false\b|\bcsrf_exempt\b|httpOnly["']?\s*:\s*false)`,
		"tests are skipped",
		`\b(it|test|describe)\.skip\(|\bxit\(|\bxdescribe\(|@pytest\.mark\.skip\b|`+
			`@unittest\.skip\b|\bt\.Skip\((\)|")|#\[ignore\]|@Disabled\b`,
	)
})

type pattern struct {
	what string
	find *regexp.Regexp
}

func patterns(list ...string) []pattern {
	var out []pattern
	for i := 0; i+1 < len(list); i += 2 {
		out = append(out, pattern{list[i], regexp.MustCompile(list[i+1])})
	}
	return out
}

func riskyText(text string) string {
	for _, p := range textRisks() {
		if p.find.MatchString(text) {
			return p.what
		}
	}
	return ""
}

// riskyCommand names the risk in a command line; "" if there is none. rm -rf of a path inside the repository is not a
// risk.
func riskyCommand(line string) string {
	if line == "" {
		return ""
	}
	list := simpleCommands(line)
	for i, words := range list {
		args := words[1:]
		has := func(options ...string) bool {
			return slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(options, arg) })
		}
		switch words[0] {
		case "sudo":
			if what := riskyCommand(strings.Join(args, " ")); what != "" {
				return what
			}
		case "rm":
			if slices.ContainsFunc(args, func(arg string) bool {
				return strings.HasPrefix(arg, "-") &&
					strings.ContainsAny(arg, "rR")
			}) && slices.ContainsFunc(args, outOfBounds) {
				return "removes beyond the repository"
			}
		case "chmod":
			if has("777", "0777", "a+rwx", "o+w", "a+w", "666") {
				return "opens files to everybody"
			}
		case "git":
			switch verb := gitVerb(args); {
			case (verb == "commit" || verb == "push") && has("--no-verify"):
				return "passes over the hooks"
			case verb == "push" && has("--force", "-f"):
				return "overwrites a remote branch"
			}
		case "sh", "bash", "zsh", "python", "python3", "node":
			if i > 0 && len(args) == 0 && (list[i-1][0] == "curl" || list[i-1][0] == "wget") {
				return "runs what it downloads"
			}
		}
	}
	if dropsData().MatchString(line) {
		return "deletes data"
	}
	return ""
}

var dropsData = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(psql|mysql|sqlite3|mariadb|sqlcmd)\b[^\n]*` +
		`\b(DROP\s+(TABLE|DATABASE|SCHEMA)|TRUNCATE\s+TABLE)\b`)
})

func outOfBounds(arg string) bool {
	switch arg {
	case "/", "~", ".", "..", "*", "./", "./*", ".git", "$HOME":
		return true
	}
	return strings.HasPrefix(arg, "~/") || strings.HasPrefix(arg, "$HOME/") || strings.HasPrefix(arg, "../") ||
		strings.HasPrefix(arg, "/") &&
			!strings.HasPrefix(arg, "/tmp/") && !strings.HasPrefix(arg, "/var/tmp/")
}

// intents records risky requests in a prompt.
func (a *analysis) intents(t *turn) {
	if phrase, found := holds(spaced(t.text), a.words.Intents); found {
		a.risk(t, 0.6, "", "the person asked for it: "+phrase)
	}
}

// `missing` matches messages of programs about something that is not installed.
var missing = sync.OnceValue(func() []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, expression := range []string{
		`Cannot find (?:module|package) '([\w@][\w@/.:+-]*)'`,
		`No module named '?([\w.-]+)'?`,
		`no required module provides package ([^\s;:]+)`,
		`cannot find package "([\w@][\w@/.:+-]*)"`,
		`unresolved import ` + "`" + `([\w:]+)`,
		`Could not find a version that satisfies the requirement (\S+)`,
		`(?:bash|sh|zsh|line \d+): (?:\d+: )?([\w.+-]+): (?:command )?not found`,
		`command not found: ([\w.+-]+)`,
		`Unsupported engine.*?\b([\w@/.-]+)@`,
		`cannot load such file -- (\S+)`,
	} {
		out = append(out, regexp.MustCompile(expression))
	}
	return out
})

// missingDependency returns the missing dependency that an output names, unless it is a file of the repository.
func missingDependency(output string) (string, bool) {
	if len(output) > 16<<10 {
		output = output[:16<<10]
	}
	for _, find := range missing() {
		if m := find.FindStringSubmatch(output); m != nil && !strings.HasPrefix(m[1], ".") && !strings.HasPrefix(m[1], "/") {
			return oneLine(m[1], 80), true
		}
	}
	return "", false
}

func isManifest(file string) bool {
	switch path.Base(file) {
	case "package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "go.mod", "go.sum", "Cargo.toml",
		"Cargo.lock", "pyproject.toml",
		"Pipfile", "setup.py", "Gemfile", "composer.json", "pom.xml", "build.gradle", "build.gradle.kts", ".nvmrc",
		".tool-versions", "Dockerfile":
		return true
	}
	return strings.HasPrefix(path.Base(file), "requirements") && strings.HasSuffix(file, ".txt")
}
