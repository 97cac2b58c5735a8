package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

const manual = "../../man/man1/git-trace.1"

// The manual page is made of what `git trace help` prints and of two sections of docs/cli.md, so that nothing is said
// twice. MANUAL_ACCEPT=1 writes it.
func TestTheManualPageIsCurrent(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	made := manualPage(t, (&app{}).program(), string(page))
	if os.Getenv("MANUAL_ACCEPT") != "" {
		if err := os.WriteFile(manual, []byte(made), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	if string(kept) != made {
		t.Errorf("%s is not what the commands say of themselves; MANUAL_ACCEPT=1 go test ./cmd/git-trace -run TestTheManualPageIsCurrent writes it anew", manual)
	}
}

func TestTheManualPageRenders(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("man"); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command("man", "--warnings=w", "-P", "cat", "-l", manual)
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
	for _, want := range []string{"git-trace - who wrote", "git trace verify [--anchored]", "--anchored", "EXAMPLES", "EXIT STATUS", "trace.redactFile"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is not in the manual page", want)
		}
	}
}

// manualPage writes the page in the man macros (man(7)).
func manualPage(t *testing.T, program *cli.App, cliPage string) string {
	m := &manualWriter{}
	m.raw(".\\\" Made by TestTheManualPageIsCurrent from the commands' help; do not edit.")
	m.raw(`.TH GIT\-TRACE 1 "" git\-trace "Git Manual"`)
	m.raw(".ad l") // commands stay readable
	m.raw(".nh")
	m.raw(".SH NAME")
	m.text("git-trace - " + program.Usage)
	m.raw(".SH SYNOPSIS")
	m.text(program.UsageText)
	m.raw(".SH COMMANDS")
	for _, c := range program.Commands {
		if !c.Hidden {
			m.command(c)
		}
	}
	m.raw(".SH EXAMPLES")
	m.table(section(t, cliPage, "Examples"))
	m.raw(".SH EXIT STATUS")
	preface, _, _ := strings.Cut(cliPage, "\n## ")
	m.table(preface)
	m.raw(".SH ENVIRONMENT AND CONFIGURATION")
	environment := section(t, cliPage, "Environment and configuration")
	prose, _, _ := strings.Cut(environment, "\n|")
	m.text(strings.ReplaceAll(prose, "`", ""))
	m.table(environment)
	m.raw(".SH SEE ALSO")
	m.text("git(1), git-blame(1), githooks(5)")
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

func (m *manualWriter) command(c *cli.Command) {
	m.raw(".SS " + roff(c.Name))
	for i, form := range strings.Split(c.UsageText, "\n") {
		if i > 0 {
			m.raw(".br")
		}
		m.raw(".B " + roff(strings.TrimSpace(form)))
	}
	m.raw(".PP")
	m.text(strings.ToUpper(c.Usage[:1]) + c.Usage[1:] + ".")
	if c.Description != "" {
		m.raw(".PP")
		m.text(c.Description)
	}
	for _, f := range c.Flags {
		m.flag(f)
	}
	for _, e := range examplesOf(c.Name) {
		m.raw(".TP")
		m.raw(".B " + strings.ReplaceAll(roff(e.call), `"`, `\(dq`)) // quotes hold words together (man(7))
		m.raw(roff(e.does))
	}
}

var placeholder = regexp.MustCompile("`([^`]*)`")

func (m *manualWriter) flag(f cli.Flag) {
	doc, ok := f.(cli.DocGenerationFlag)
	if visible, is := f.(cli.VisibleFlag); !ok || is && !visible.IsVisible() {
		return
	}
	value := ""
	if doc.TakesValue() {
		value = " <value>"
		if found := placeholder.FindStringSubmatch(doc.GetUsage()); found != nil {
			value = " <" + found[1] + ">"
		}
	}
	var names []string
	for _, name := range shownNames(f) {
		dashes := "--"
		if len(name) == 1 {
			dashes = "-"
		}
		names = append(names, dashes+name)
	}
	m.raw(".TP")
	m.raw(".B " + roff(strings.Join(names, ", ")+value))
	m.text(placeholder.ReplaceAllString(doc.GetUsage(), "<$1>"))
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
