package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/cli"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/upkeep/settings"
)

const manuals = "../../docs/man/man1/"

// The manual pages and the tables of docs/cli.md are made of the commands' help, so that nothing is said twice.
// MANUAL_ACCEPT=1 writes them.
func TestTheManualPagesAreCurrent(t *testing.T) {
	t.Parallel()
	const cliPath = moduleRoot + "/docs/cli.md"
	page := document(t, "docs/cli.md")
	before, rest, _ := strings.Cut(page, "<!-- commands -->\n")
	_, after, found := strings.Cut(rest, "<!-- end of commands -->\n")
	if !found {
		t.Fatal("docs/cli.md has no place for the commands")
	}
	printed := before + "<!-- commands -->\n" + commandTables() + "<!-- end of commands -->\n" + after
	made := manualPages(t)
	kept := map[string]string{}
	files, err := filepath.Glob(manuals + "*.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kept[filepath.Base(file)] = string(text)
	}
	if os.Getenv("MANUAL_ACCEPT") != "" {
		for name := range kept {
			if _, still := made[name]; !still {
				t.Log(os.Remove(manuals + name))
			}
		}
		for name, text := range made {
			if err := os.WriteFile(manuals+name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(cliPath, []byte(printed), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if printed != page {
		t.Error("docs/cli.md is not what the commands say of themselves")
	}
	const again = "MANUAL_ACCEPT=1 go test ./cmd/git-trace -run TestTheManualPagesAreCurrent writes it anew"
	for name, text := range made {
		if kept[name] != text {
			t.Errorf("%s is not what the commands say of themselves; %s", name, again)
		}
	}
	for name := range kept {
		if _, still := made[name]; !still {
			t.Errorf("%s is of no command; %s", name, again)
		}
	}
}

// commandTables lists the commands in their groups: the forms of each command, and its purpose.
func commandTables() string {
	var out strings.Builder
	for _, group := range commandGroups() {
		out.WriteString("\n## " + strings.ToUpper(group.name[:1]) + group.name[1:] + "\n\n")
		for _, c := range group.commands {
			var forms []string
			for form := range strings.SplitSeq(c.Form, "\n") {
				form = strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimSpace(form), "git trace ")), " ")
				forms = append(forms, "`"+form+"`")
			}
			out.WriteString("- " + strings.Join(forms, ", ") + ": " + strings.ReplaceAll(c.Does, "\n", "") + "\n")
		}
	}
	return out.String() + "\n"
}

// manualPages are the pages by the names of their files.
func manualPages(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{"git-trace.1": manualPage(t, string(page))}
	for _, c := range allCommands() {
		out["git-trace-"+c.Name+".1"] = commandPage(c)
	}
	return out
}

func TestTheManualPagesRender(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("man"); err != nil {
		t.Skip(err)
	}
	pages, err := filepath.Glob(manuals + "*.1")
	if err != nil || len(pages) < 40 {
		t.Fatal(pages, err)
	}
	if !testenv.Long() { // each takes as long as git trace blame
		pages = slices.DeleteFunc(pages, func(p string) bool {
			return !strings.HasSuffix(p, "/git-trace.1") && !strings.HasSuffix(p, "-why.1")
		})
	}
	cmd := exec.Command("man", append([]string{"--warnings=w", "-P", "cat", "-l"}, pages...)...)
	cmd.Env = append(os.Environ(), "MANWIDTH=80", "LC_ALL=C.UTF-8")
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("man shows no file here: %v %s", err, complaints.String()) // macOS
	}
	if complaints.Len() > 0 {
		t.Errorf("man complains: %s", complaints.String())
	}
	for _, want := range []string{
		"git-trace - who wrote", "git trace verify [--anchored]", "--anchored", "EXAMPLES", "EXIT STATUS", "trace.redactFile",
		"git-trace-why - ",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is not in the manual page", want)
		}
	}
}

// manualPage writes the page in the man macros (man(7)).
func manualPage(t *testing.T, cliPage string) string {
	m := &manualWriter{}
	m.raw(".\\\" Made by TestTheManualPagesAreCurrent from the commands' help; do not edit.")
	m.raw(`.TH GIT\-TRACE 1 "" git\-trace "Git Manual"`)
	m.raw(".ad l") // commands stay readable
	m.raw(".nh")
	m.raw(".SH NAME")
	m.text("git-trace - " + purpose)
	m.raw(".SH SYNOPSIS")
	m.text(programForm)
	m.raw(".SH COMMANDS")
	for _, c := range allCommands() {
		m.raw(".SS " + roff(c.Name))
		m.command(c)
	}
	m.raw(".SH EXAMPLES")
	m.table(section(t, cliPage, "Examples"))
	m.raw(".SH EXIT STATUS")
	preface, _, _ := strings.Cut(cliPage, "\n## ")
	m.table(preface)
	m.raw(".SH ENVIRONMENT AND CONFIGURATION")
	environment := section(t, cliPage, "Environment and configuration")
	m.text(strings.ReplaceAll(environment, "`", ""))
	for _, s := range settings.All {
		m.raw(".TP")
		m.raw(".B " + roff(s.Key))
		m.text(s.Means)
	}
	m.raw(".SH SEE ALSO")
	m.text("git(1), git-blame(1), githooks(5)")
	return m.out.String()
}

// commandPage is the page of one command.
func commandPage(c *command) string {
	m := &manualWriter{}
	name := "git-trace-" + c.Name
	m.raw(".\\\" Made by TestTheManualPagesAreCurrent from the command's help; do not edit.")
	m.raw(`.TH ` + roff(strings.ToUpper(name)) + ` 1 "" git\-trace "Git Manual"`)
	m.raw(".ad l")
	m.raw(".nh")
	m.raw(".SH NAME")
	m.text(name + " - " + c.Does)
	m.raw(".SH SYNOPSIS")
	m.forms(c)
	m.raw(".SH DESCRIPTION")
	m.text(c.About)
	if len(c.Options) > 0 {
		m.raw(".SH OPTIONS")
		m.options(c)
	}
	if len(c.Examples) > 0 {
		m.raw(".SH EXAMPLES")
		m.examples(c)
	}
	m.raw(".SH SEE ALSO")
	m.text("git-trace(1) has the exit statuses, the settings and all other commands.")
	return m.out.String()
}

type manualWriter struct{ out strings.Builder }

func (m *manualWriter) raw(line string) { m.out.WriteString(line + "\n") }

// text writes lines that may be filled; one that is indented stands by itself.
func (m *manualWriter) text(text string) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		switch {
		case strings.TrimSpace(line) == "":
			m.raw(".PP")
		case strings.HasPrefix(line, " "):
			m.raw(".br")
			m.raw(roff(line))
		default:
			m.raw(roff(line))
		}
	}
}

func (m *manualWriter) forms(c *command) {
	for i, form := range strings.Split(c.Form, "\n") {
		if i > 0 {
			m.raw(".br")
		}
		m.raw(".B " + roff(strings.TrimSpace(form)))
	}
}

func (m *manualWriter) command(c *command) {
	m.forms(c)
	m.raw(".PP")
	m.text(strings.ToUpper(c.Does[:1]) + c.Does[1:] + ".")
	m.raw(".PP")
	m.text(c.About)
	m.options(c)
	m.examples(c)
}

func (m *manualWriter) examples(c *command) {
	for _, e := range c.Examples {
		m.raw(".TP")
		m.raw(".B " + strings.ReplaceAll(roff(e[0]), `"`, `\(dq`)) // quotes hold words together (man(7))
		m.raw(roff(e[1]))
	}
}

var placeholder = regexp.MustCompile("`([^`]*)`")

func (m *manualWriter) options(c *command) {
	for _, o := range c.Options {
		value := ""
		if found := placeholder.FindStringSubmatch(o.Does); found != nil && o.Kind != cli.TakesNothing {
			value = " <" + found[1] + ">"
		}
		var names []string
		for _, name := range o.Names {
			names = append(names, cli.Dashed(name))
		}
		m.raw(".TP")
		m.raw(".B " + roff(strings.Join(names, ", ")+value))
		m.text(placeholder.ReplaceAllString(o.Does, "<$1>"))
	}
}

// table writes the rows of a Markdown table as terms with what they mean.
func (m *manualWriter) table(markdown string) {
	for _, row := range tableRows(markdown) {
		cells := strings.SplitN(strings.Trim(row, "| "), " | ", 2)
		m.raw(".TP")
		m.raw(".B " + roff(strings.ReplaceAll(strings.TrimSpace(cells[0]), "`", "")))
		m.text(strings.ReplaceAll(cells[1], "`", ""))
	}
}

// roff escapes text for the page (groff_char(7)).
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", `\[u2026]`, "·", `\[pc]`, "→", `\[->]`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
