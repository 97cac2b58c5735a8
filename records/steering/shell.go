package steering

import (
	"strings"
)

// simpleCommands splits a command line into simple commands and their words like a POSIX shell, but without expansions.
// Here-documents and substitutions are not evaluated: the words are only compared, never run.
func simpleCommands(line string) [][]string {
	var out [][]string
	var words []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	endWord := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	endCommand := func() {
		endWord()
		for len(words) > 0 && isAssignment(words[0]) {
			words = words[1:]
		}
		if len(words) > 0 {
			out = append(out, words)
		}
		words = nil
	}
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			inWord, escaped = true, false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t':
			endWord()
		case r == '&' && strings.HasSuffix(word.String(), ">"): // 2>&1
			word.WriteRune(r)
		case r == ';' || r == '&' || r == '|' || r == '\n' || r == '(' || r == ')':
			endCommand()
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	endCommand()
	return out
}

func isAssignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	if !found || name == "" {
		return false
	}
	for i := range len(name) {
		if c := name[i]; c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// normalCommand returns a command line in a form for comparison: with single spaces, without a leading "cd X &&".
func normalCommand(line string) string {
	line = strings.Join(strings.Fields(line), " ")
	for {
		rest, found := strings.CutPrefix(line, "cd ")
		if !found {
			return line
		}
		_, after, found := strings.Cut(rest, "&& ")
		if !found {
			return line
		}
		line = after
	}
}

// onlyCommits reports whether a command line commits, tags or pushes, and otherwise only stages or shows something.
func onlyCommits(line string) bool {
	marks := false
	for _, words := range simpleCommands(line) {
		switch words[0] {
		case "cd", "echo", "head", "tail":
			continue
		case "git":
		default:
			return false
		}
		switch verb := gitVerb(words[1:]); verb {
		case "commit", "push", "tag":
			marks = true
		case "add", "status", "log", "diff", "show", "branch", "rev-parse", "remote":
		default:
			return false
		}
	}
	return marks
}

// gitVerb returns git's subcommand; it skips the options before it.
func gitVerb(words []string) string {
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "-C" || words[i] == "-c":
			i++
		case !strings.HasPrefix(words[i], "-"):
			return words[i]
		}
	}
	return ""
}

// removedBy returns the paths that rm and git rm remove in a command line.
func removedBy(line string) []string {
	var out []string
	for _, words := range simpleCommands(line) {
		if len(words) > 2 && words[0] == "git" && words[1] == "rm" {
			words = words[1:]
		}
		if words[0] != "rm" {
			continue
		}
		for _, word := range words[1:] {
			if !strings.HasPrefix(word, "-") {
				out = append(out, strings.TrimPrefix(word, "./"))
			}
		}
	}
	return out
}
