// Package harm contains harmful input: texts for terminals and pages, paths, and names of revisions.
package harm

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// Sequences returns texts that control a terminal, change the order of the text beside them, or spoil a drawing. The
// last 256 are the single bytes, between angle brackets.
func Sequences() []string {
	list := []string{
		"\x1b]0;title\x07", "\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "\x1b]52;c;ZXZpbA==\x07", "\x1b[2J",
		"\x1b[1;1H", "\x1b[31m", "\x1b[?1049h", "\x1b[6n", "\x1bP+q544e\x1b\\", "\x1bc", "\x1b[201~",
		"\x1b]1337;File=x\x07",
		"\u009b31m", "\u009d0;x\u009c", "\u0090x\u009c", "\u0085", "a\rb", "a\bb", "a\vb", "a\fb", "\x7f",
		"\x0e\x0f", "\u202eevil", "\u202a\u202b\u202c\u202d", "\u2066\u2067\u2068\u2069", "\u200e\u200f\u061c",
		"\u200b\u200c\u200d\ufeff", "\u2028\u2029", "\xc3\x28", "\xe2\x82", "\xf0\x9f", "\xed\xa0\x80", "\xc0\x80",
		"\xff\xfe", "a\u0300\u0301\u0302", "\U000e0041\U000e007f", "\ufff9x\ufffa", "\x1b[3g", "\x1b#8", "\x1b[!p",
		`"];evil[label="x`, `</script><script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `&lt;`,
		"--> A[evil]", "```", `\n`, `"`, `'`, "`", "|", "#", "%%{init: {}}%%", "click A \"javascript:x\"", "$(id)",
		"%s%n", "\x00",
	}
	for b := range 256 {
		list = append(list, "<"+string([]byte{byte(b)})+">")
	}
	return list
}

// Paths returns paths that lead out of the work tree or into .git, or that are not paths. The directory base contains
// the work tree 'work', and 'outside', 'theirs' and 'home', which must not be reached.
func Paths(base string) []string {
	paths := []string{
		"..", "../x", "../../../../../../etc/passwd", "/etc/passwd", "/", ".", "", "./../x", "a/../../x", ".git",
		".git/hooks/pre-commit", ".git/config", ".git/refs/heads/x", ".GIT/hooks/x", ".Git/x",
		"git~1/hooks/x", ".git /x", ".git./x", ".git::$INDEX_ALLOCATION/x", "C:\\x", "C:/x", "\\\\server\\share",
		"a\x00b", "a\nb", "-rf", "--upload-pack=x", "link/x", "dirlink/x", "up/x", "x\\..\\..\\y",
		"\u200c.git/x", ".g\u200cit/x", "file:///etc/passwd", "~/x", "$HOME/x", "`id`", "$(id)", "a/./b", "a//b",
		"con", "nul", "aux.txt", strings.Repeat("d/", 2000) + "x", strings.Repeat("x", 4096), "\xff\xfe",
		filepath.Join(base, "home", ".gitconfig"), filepath.Join(base, "outside"), filepath.Join(base, "theirs"),
		filepath.Join(base, "theirs", ".git", "config"), "%2e%2e/x", "..%2fx", "....//x", "/proc/self/environ",
		"/dev/stdin",
	}
	var all []string
	for _, p := range paths {
		for _, form := range []string{
			"%s", "a/%s", "./%s", "%s/", "../work/%s", "%s/../x", "//%s", " %s", "%s\t", "nested/../%s",
		} {
			all = append(all, fmt.Sprintf(form, p))
		}
	}
	return all
}

// The tests in a browser, which are a separate module, also read markup. %s stands for the script that would run.
//
//go:embed markup.json
var markup []byte

// Markup returns texts that would run, load something or change a page if they were not shown as text.
func Markup() []string {
	var list []string
	if err := json.Unmarshal(bytes.ReplaceAll(markup, []byte("%s"), []byte("alert(1)")), &list); err != nil {
		return nil // TestTablesAreWhole checks the number
	}
	return list
}

// Revisions returns strings that are not revisions, that git would take as options, or that name other things than one
// commit of a branch.
func Revisions() []string {
	list := []string{
		"", " ", "-", "--", "-x", "--all", "--stdin", "--help", "--git-dir=/etc", "--output=PWNED",
		"--upload-pack=touch PWNED", "-oPWNED", "--exec=touch PWNED",
		"--branches", "--remotes", "--glob=*", "--exclude=x", "--reflog", "--not", "--parents", "--bisect",
		"--no-walk", "@{u}", "@{-1}", "HEAD@{99}", "HEAD^99",
		"HEAD~99999", "HEAD^{tree}", "HEAD:a", "HEAD:../x", ":a", ":0:a", ":/.*", "HEAD^{/x", "HEAD^{nothing}",
		"HEAD..", "..HEAD", "HEAD...", "^HEAD", "HEAD^@", "HEAD^!",
		"HEAD\n--all", "HEAD\x00--all", "HEAD --all", "HEAD;id", "HEAD|id", "$(id)", "`id`", "refs/../../x",
		"refs/heads/../../../x", "../../etc/passwd", "/etc/passwd",
		"0000000000000000000000000000000000000000", "ffffffff", strings.Repeat("a", 5000),
		strings.Repeat("HEAD^", 500), "\xff\xfe", "\u202eHEAD", "HEAD%00", "%2d%2dall",
	}
	for _, name := range []string{"FETCH_HEAD", "ORIG_HEAD", "refs/traces/events"} {
		list = append(list, name, name+"^0")
	}
	return list
}
