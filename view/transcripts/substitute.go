package transcripts

import (
	"bytes"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/correlate/backfill"
)

// shellRewrites returns the files that a command changes in place by substitutions of sed or perl, with the
// substitutions. It ignores a command that changes the file in another way, or takes its words from variables.
func shellRewrites(command string) []backfill.Edit {
	if !strings.Contains(command, "-") || !strings.Contains(command, "sed") && !strings.Contains(command, "perl") {
		return nil
	}
	var out []backfill.Edit
	dir := ""
	for _, words := range shellCommands(command) {
		switch {
		case len(words) == 2 && words[0] == "cd":
			dir = path.Join(dir, words[1])
			if path.IsAbs(words[1]) {
				dir = words[1]
			}
		case len(words) > 2 && (words[0] == "sed" || words[0] == "gsed" || words[0] == "perl"):
			list, files := inPlace(words)
			if len(list) == 0 {
				continue
			}
			for _, file := range files {
				if !path.IsAbs(file) {
					file = path.Join(dir, file)
				}
				out = alsoRewrites(out, file, list)
			}
		}
	}
	return out
}

// alsoRewrites adds substitutions of a file to the earlier ones of the same command.
func alsoRewrites(edits []backfill.Edit, file string, list []substitution) []backfill.Edit {
	for i := range edits {
		if before := edits[i].Rewrite; edits[i].Path == file {
			edits[i].Rewrite = func(text []byte) []byte { return substitute(before(text), list) }
			return edits
		}
	}
	return append(edits, backfill.Edit{Path: file, Rewrite: func(text []byte) []byte { return substitute(text, list) }})
}

// shellCommands cuts a command line into its simple commands and their words. It leaves out a command if the shell
// expands one of its words.
func shellCommands(line string) [][]string {
	var out [][]string
	var words []string
	var word strings.Builder
	open, expanded := false, false
	endWord := func() {
		if open {
			words = append(words, word.String())
		}
		word.Reset()
		open = false
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 && !expanded {
			out = append(out, words)
		}
		words, expanded = nil, false
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t':
			endWord()
		case '\n', ';', '&', '|':
			endCommand()
		case '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return out
			}
			word.WriteString(line[i+1 : i+1+end])
			open = true
			i += end + 1
		case '"':
			open = true
			for i++; i < len(line) && line[i] != '"'; i++ {
				switch {
				case line[i] == '\\' && i+1 < len(line) && strings.IndexByte("\\\"$`", line[i+1]) >= 0:
					i++
				case line[i] == '$' && i+1 < len(line) && line[i+1] != '"' && line[i+1] != '/', line[i] == '`':
					expanded = true
				}
				word.WriteByte(line[i])
			}
		case '\\':
			if i++; i < len(line) && line[i] != '\n' {
				word.WriteByte(line[i])
				open = true
			}
		case '$', '`', '*', '?', '[', '{', '(', ')', '<', '>', '~', '#':
			expanded = true
			open = true
		default:
			word.WriteByte(c)
			open = true
		}
	}
	endCommand()
	return out
}

// substitution is s/pattern/with/ of sed and perl.
type substitution struct {
	pattern  *regexp.Regexp
	with     []piece
	all      bool
	from, to int // the lines to which the substitution applies, from 1; 0 for all
}

// piece is replacement text, or a group of the match if the text is empty.
type piece struct {
	text  string
	group int
}

// inPlace reads the words of sed -i or perl -pi: the substitutions, and the files. Other options that change the file
// give none.
func inPlace(words []string) (list []substitution, files []string) {
	perl := words[0] == "perl"
	extended, place, loop := perl, false, !perl
	var scripts, rest []string
	for i := 1; i < len(words); i++ {
		word := words[i]
		switch {
		case len(word) < 2 || word[0] != '-':
			if word != "" || !place { // sed -i '' of BSD
				rest = append(rest, word)
			}
			continue
		case strings.HasPrefix(word, "--in-place"):
			place = true
			continue
		case word == "--regexp-extended":
			extended = true
			continue
		case word == "--expression" && i+1 < len(words):
			i++
			scripts = append(scripts, words[i])
			continue
		case word[1] == '-':
			return nil, nil
		}
	letters:
		for k := 1; k < len(word); k++ {
			switch c := word[k]; {
			case c == 'i':
				place = true
				if perl && k+1 < len(word) && (word[k+1] == 'p' || word[k+1] == 'e') {
					continue // -ipe is a suffix for perl, and written by mistake for -i -pe
				}
				break letters // what follows is the ending of a copy
			case c == 'e' && i+1 < len(words):
				i++
				scripts = append(scripts, words[i])
			case c == 'E' && !perl, c == 'r' && !perl:
				extended = true
			case c == 'p' && perl:
				loop = true
			case c == 's' && !perl, c == 'w' && perl:
			default:
				return nil, nil
			}
		}
	}
	if len(scripts) == 0 && len(rest) > 0 && !perl {
		scripts, rest = rest[:1], rest[1:]
	}
	if !place || !loop || len(scripts) == 0 {
		return nil, nil
	}
	for _, script := range scripts {
		more, ok := parseSubstitutions(script, extended, perl)
		if !ok {
			return nil, nil
		}
		list = append(list, more...)
	}
	return list, rest
}

// longestScript limits a script of substitutions, in bytes.
const longestScript = 4 << 10

// parseSubstitutions reads a script that holds only substitutions; `ok` is false for any other script.
func parseSubstitutions(script string, extended, perl bool) (list []substitution, ok bool) {
	if len(script) > longestScript {
		return nil, false
	}
	for script = strings.TrimLeft(script, " ;\n"); script != ""; script = strings.TrimLeft(script, " ;\n") {
		var s substitution
		if !perl {
			s.from, s.to, script = lineAddress(script)
		}
		if len(script) < 4 || script[0] != 's' || strings.IndexByte(" \\\n", script[1]) >= 0 || perl &&
			strings.IndexByte("{[(<", script[1]) >= 0 {
			return nil, false
		}
		mark := script[1]
		pattern, rest, ok := untilMark(script[2:], mark)
		with, rest, ok2 := untilMark(rest, mark)
		if !ok || !ok2 {
			return nil, false
		}
		flags := ""
		for rest != "" && strings.IndexByte(" ;\n}", rest[0]) < 0 {
			flags, rest = flags+rest[:1], rest[1:]
		}
		for _, flag := range flags {
			switch {
			case flag == 'g':
				s.all = true
			case flag == 'i' || flag == 'I' && !perl:
				pattern = "(?i)" + pattern
			default:
				return nil, false
			}
		}
		if s.pattern, ok = sedPattern(pattern, extended, perl); !ok {
			return nil, false
		}
		if s.with, ok = putIn(with, perl, s.pattern.NumSubexp()); !ok {
			return nil, false
		}
		list, script = append(list, s), rest
	}
	return list, len(list) > 0
}

// lineAddress reads the numbers of lines before a command of sed: 5 or 5,10.
func lineAddress(script string) (from, to int, rest string) {
	number := func() int {
		n := 0
		for n < len(script) && '0' <= script[n] && script[n] <= '9' && n < 9 {
			n++
		}
		value, _ := strconv.Atoi(script[:n]) // digits alone, or none
		script = script[n:]
		return value
	}
	from = number()
	to = from
	if after, found := strings.CutPrefix(script, ","); found && from > 0 {
		script = after
		to = number()
	}
	return from, to, script
}

// untilMark cuts a text at the next mark that is not escaped. An escaped mark is the mark itself.
func untilMark(text string, mark byte) (before, rest string, ok bool) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == mark:
			return out.String(), text[i+1:], true
		case text[i] == '\\' && i+1 < len(text):
			if i++; text[i] != mark {
				out.WriteByte('\\')
			}
		}
		out.WriteByte(text[i])
	}
	return "", "", false
}

// sedPattern translates an expression of sed (basic or extended) or perl to RE2. It returns false if RE2 does not know
// the expression, or if the expression matches an empty text.
func sedPattern(text string, extended, perl bool) (*regexp.Regexp, bool) {
	if !perl {
		text = fromPOSIX(text, extended)
	}
	pattern, err := regexp.Compile(text)
	if err != nil || text == "" || pattern.MatchString("") {
		return nil, false
	}
	if !perl {
		pattern.Longest()
	}
	return pattern, true
}

// fromPOSIX translates a POSIX expression to RE2. A part without a counterpart becomes a part that does not compile.
func fromPOSIX(text string, extended bool) string {
	text, small := strings.CutPrefix(text, "(?i)")
	var out strings.Builder
	if small {
		out.WriteString("(?i)")
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '[':
			end := bracketEnd(text, i)
			out.WriteString(strings.ReplaceAll(text[i:end], `\`, `\\`))
			i = end - 1
		case c == '\\' && i+1 < len(text):
			i++
			switch c = text[i]; {
			case c == '<' || c == '>':
				out.WriteString(`\b`)
			case !extended && strings.IndexByte("(){}|+?", c) >= 0:
				out.WriteByte(c)
			default: // RE2 refuses other escapes of digits and letters
				out.WriteString(`\` + string(rune(c)))
			}
		case !extended && (strings.IndexByte("(){}|+?", c) >= 0 || c == '*' && i == 0 || c == '^' && i > 0 || c == '$' &&
			i+1 < len(text)):
			out.WriteString(regexp.QuoteMeta(string(rune(c))))
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// bracketEnd returns the place after a bracket expression.
func bracketEnd(text string, at int) int {
	i := at + 1
	if i < len(text) && text[i] == '^' {
		i++
	}
	if i < len(text) && text[i] == ']' {
		i++
	}
	for ; i < len(text) && text[i] != ']'; i++ {
		if strings.HasPrefix(text[i:], "[:") {
			if end := strings.Index(text[i:], ":]"); end > 0 {
				i += end + 1
			}
		}
	}
	return min(i+1, len(text))
}

// putIn reads the replacement of a match.
func putIn(text string, perl bool, groups int) ([]piece, bool) {
	var out []piece
	var plain strings.Builder
	group := func(n int) {
		out = append(out, piece{text: plain.String()}, piece{group: n + 1})
		plain.Reset()
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '&' && !perl:
			group(0)
		case (c == '\\' || c == '$' && perl) && i+1 < len(text) && '0' < text[i+1] && text[i+1] <= '9':
			i++
			n := int(text[i] - '0')
			if n > groups {
				return nil, false
			}
			group(n)
		case c == '$' && perl, c == '@' && perl:
			return nil, false
		case c == '\\' && i+1 < len(text):
			i++
			switch c = text[i]; {
			case c == 'n':
				plain.WriteByte('\n')
			case c == 't':
				plain.WriteByte('\t')
			case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9':
				return nil, false
			default:
				plain.WriteByte(c)
			}
		default:
			plain.WriteByte(c)
		}
	}
	return append(out, piece{text: plain.String()}), true
}

// mostRewritten limits the size of a file after substitutions, in bytes.
const mostRewritten = 8 << 20

// substitute makes the substitutions in each line of a text, as sed does. A text that grows beyond the limit stays
// unchanged.
func substitute(text []byte, list []substitution) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	var out []byte
	for n, line := range lines {
		body, end := bytes.CutSuffix(line, []byte("\n"))
		for i := range list {
			if s := &list[i]; s.from == 0 || s.from <= n+1 && n+1 <= s.to {
				body = s.line(body)
			}
			if len(body) > mostRewritten {
				return text
			}
		}
		if out = append(out, body...); end {
			out = append(out, '\n')
		}
		if len(out) > mostRewritten {
			return text
		}
	}
	return out
}

func (s *substitution) line(line []byte) []byte {
	most := 1
	if s.all {
		most = -1
	}
	var out []byte
	at := 0
	for _, m := range s.pattern.FindAllSubmatchIndex(line, most) {
		out = append(out, line[at:m[0]]...)
		for _, p := range s.with {
			if g := 2 * (p.group - 1); p.group == 0 {
				out = append(out, p.text...)
			} else if m[g] >= 0 {
				out = append(out, line[m[g]:m[g+1]]...)
			}
		}
		at = m[1]
		if len(out) > mostRewritten {
			return out
		}
	}
	if at == 0 && out == nil {
		return line
	}
	return append(out, line[at:]...)
}
