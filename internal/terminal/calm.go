package terminal

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
)

// A CI reads the output of its programs, and runs lines that are commands. GitHub's commands begin with "::", perhaps
// after blanks. Older ones and Azure's contain "##[" or "##vso[". Prompts, paths and lines of files are foreign text.
// So if the environment names a CI, a backslash breaks such commands in texts for people.

// inCI reports whether a CI reads the output.
func inCI() bool {
	for _, name := range [...]string{"CI", "GITHUB_ACTIONS", "GITLAB_CI"} {
		if value := os.Getenv(name); value != "" && value != "false" {
			return true
		}
	}
	return false
}

var ciCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`##([A-Za-z]*\[)`) })

// `calmed` returns a line changed so that no CI takes it for a command.
func calmed(line string) string {
	rest := strings.TrimLeft(line, " \t\r\u00a0")
	for strings.HasPrefix(rest, "\x1b[") { // skip colours
		end := strings.IndexByte(rest, 'm')
		if end < 0 {
			break
		}
		rest = strings.TrimLeft(rest[end+1:], " \t\r\u00a0")
	}
	if strings.HasPrefix(rest, "::") {
		line = line[:len(line)-len(rest)] + `\` + rest
	}
	if strings.Contains(line, "##") {
		line = ciCommand().ReplaceAllString(line, `##\$1`)
	}
	return line
}

// Calm returns a text changed so that no CI takes any of its lines for a command.
func Calm(text string) string {
	if !inCI() {
		return text
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(calmed(line))
	}
	return out.String()
}

// calmWriter writes lines that no CI takes for commands. It keeps an incomplete line until its end arrives.
type calmWriter struct {
	to   io.Writer
	held []byte
}

func (c *calmWriter) Write(p []byte) (int, error) {
	c.held = append(c.held, p...)
	end := bytes.LastIndexByte(c.held, '\n') + 1
	if end == 0 {
		return len(p), nil
	}
	text := Calm(string(c.held[:end]))
	c.held = append(c.held[:0], c.held[end:]...)
	if _, err := io.WriteString(c.to, text); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (c *calmWriter) flush() error {
	text := Calm(string(c.held))
	c.held = nil
	_, err := io.WriteString(c.to, text)
	return err
}
