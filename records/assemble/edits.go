package assemble

import "strings"

// NewFile returns the edit that writes a new file.
func NewFile(path, content string) Edit {
	edit := Edit{Path: path, Text: content}
	if lines := SplitLines(content); len(lines) > 0 {
		edit.Hunks = []Hunk{{At: 1, Added: len(lines), Lines: lines}}
	}
	return edit
}

// Changed returns the edit that changes a file's content from before to after, without the equal lines at the start and
// end.
func Changed(path, before, after string) Edit {
	old, now := SplitLines(before), SplitLines(after)
	head := 0
	for head < min(len(old), len(now)) && old[head] == now[head] {
		head++
	}
	tail := 0
	for tail < min(len(old), len(now))-head && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	hunk := Hunk{At: head + 1, Removed: len(old) - head - tail, Lines: now[head : len(now)-tail]}
	hunk.Added = len(hunk.Lines)
	edit := Edit{Path: path, Hunks: []Hunk{hunk}}
	edit.Text = strings.Join(hunk.Lines, "\n")
	if len(hunk.Lines) > 0 {
		edit.Text += "\n"
	}
	return edit
}

// SplitLines returns the lines of a text without their line feeds.
func SplitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
