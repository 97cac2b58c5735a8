package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
)

// A CI reads the output of its programs, and carries out lines that are commands. Commands of GitHub begin with
// "::", perhaps after blanks. Older ones and Azure's contain "##[" or "##vso[". Prompts, paths and lines of files
// are foreign text. So texts for people get a backslash in such places, if the environment names a CI.

// inCI reports whether a CI reads along.
func inCI() bool {
	for _, name := range [...]string{"CI", "GITHUB_ACTIONS", "GITLAB_CI"} {
		if value := os.Getenv(name); value != "" && value != "false" {
			return true
		}
	}
	return false
}

var ciCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`##([A-Za-z]*\[)`) })

// calmed returns a line that is not a command to a CI.
func calmed(line string) string {
	rest := strings.TrimLeft(line, " \t\r\u00a0")
	for strings.HasPrefix(rest, "\x1b[") { // colours
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

// calmedText returns a text of several lines.
func calmedText(text string) string {
	if !inCI() {
		return text
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(calmed(line))
	}
	return out.String()
}

// calmWriter writes lines that are not commands to a CI. An incomplete line is kept until its end comes.
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
	text := calmedText(string(c.held[:end]))
	c.held = append(c.held[:0], c.held[end:]...)
	if _, err := io.WriteString(c.to, text); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (c *calmWriter) flush() error {
	text := calmedText(string(c.held))
	c.held = nil
	_, err := io.WriteString(c.to, text)
	return err
}
