package redact

import "strings"

// `literal` reports whether an unquoted value is meant literally and is not an expression in a program. Such values
// occur in files of environment variables, in YAML and in command-line options.
func (c *candidate) literal(sep string, start, end int) bool {
	value := c.text[start:end]
	if strings.ContainsAny(value, "()[]{}") && !c.closed(value) {
		return false
	}
	if identifier(value) && secretName(value) != says || c.spaced && len(value) < 6 &&
		strings.Trim(value, "0123456789") == "" {
		return false
	}
	after := byte('\n')
	if end < len(c.text) {
		after = c.text[end]
	}
	switch {
	case c.option:
		return sep == "="
	case sep == "=" && !c.spaced:
		return c.tight(value, after)
	case sep == ":" && c.spaced && !c.quotedName:
		return c.yaml(value, after, end)
	case sep == ":" && !c.spaced && !c.quotedName:
		return letterAndDigit(value) && !strings.ContainsAny(value, ":") &&
			(c.lineOf().first || after == '}' && strings.HasSuffix(c.text[:c.start], "${"))
	case sep == "=":
		return c.ini(value, after, end)
	}
	return false
}

// `closed` reports whether a value with brackets could be a secret that a shell takes literally. Its name is in
// capitals, and the value has a special character and does not begin with a bracket.
func (c *candidate) closed(value string) bool {
	return c.shouted() && !c.spaced && !strings.Contains(value, "()") && strings.IndexAny(value, "([{") > 0 &&
		strings.ContainsAny(value, "!@#%^&*+?")
}

func letterAndDigit(value string) bool {
	return strings.ContainsAny(value, "0123456789") && strings.IndexFunc(value,
		func(r rune) bool { return r < 0x80 && lower(byte(r)|0x20) }) >= 0
}

// identifier reports whether a value could be the name of a variable or field in a program.
func identifier(value string) bool {
	for i := range len(value) {
		if c := value[i]; !nameLetter(c) && c != '_' && c != '.' {
			return false
		}
	}
	return !digit(value[0])
}

// `tight` reports whether the value in text such as "NAME=value", without spaces, may be a secret.
func (c *candidate) tight(value string, after byte) bool {
	if strings.HasPrefix(value, "=") || strings.HasPrefix(value, "~") {
		return false
	}
	if c.shouted() {
		return true
	}
	if (after == ',' || after == ')' || after == '\'' && !strings.Contains(value, "=")) && !c.ofOption() {
		return letterAndDigit(value) && (!identifier(value) || len(value) >= 20 && bits(value) >= 3)
	}
	if c.start > 0 && strings.IndexByte("?&;", c.text[c.start-1]) >= 0 || c.ofOption() { // in a URL or a list
		return true
	}
	if dot := strings.IndexByte(value, '.'); dot > 0 && identifier(value) { // a field of an object
		return letterAndDigit(value[dot:])
	}
	return true
}

// ofOption reports whether a setting belongs to an option with comma-separated settings: -o user=ops,password=…
func (c *candidate) ofOption() bool {
	if c.start == 0 || c.text[c.start-1] != ',' {
		return false
	}
	before := c.text[max(0, c.start-mostContext):c.start]
	before = strings.TrimRight(before[:1+strings.LastIndexAny(before, " \t\n")], " ")
	option := before[1+strings.LastIndexAny(before, " \t\n"):]
	return len(option) > 1 && option[0] == '-' && lower(option[len(option)-1]|0x20)
}

// nameLine describes the line that contains a name.
type nameLine struct {
	first bool // only indentation or a margin precedes the name
	quote byte // the quote right before the name; 0 if there is none
	start int
}

// lineOf describes the line that contains the name.
func (c *candidate) lineOf() nameLine {
	l := nameLine{start: lineStart(c.text, c.start)}
	before := c.text[gutter(c.text[:c.start], l.start):c.start]
	l.first = strings.Trim(before, " \t+->#/*│|") == ""
	if n := len(before); n > 0 && isQuote(before[n-1]) { // a line of a file that is quoted in a program
		l.first, l.quote = true, before[n-1]
	}
	return l
}

// restOfLine returns the text after a value on its line.
func (c *candidate) restOfLine(end int) string {
	rest := c.text[end:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	return strings.TrimSpace(rest)
}

// yaml reports whether the value in a line such as "name: value" may be a secret.
func (c *candidate) yaml(value string, after byte, end int) bool {
	l := c.lineOf()
	if !l.first {
		return letterAndDigit(value) && !identifier(value) || (c.strength == tells || c.text[c.start:c.end] == "pass") &&
			letterAndDigit(value) && len(value) >= 6
	}
	if after == ',' || after == ';' {
		return !identifier(value) && letterAndDigit(value)
	}
	rest := c.restOfLine(end)
	if rest != "" && rest[0] != '#' && rest[0] != '|' {
		return letterAndDigit(value) && (c.strength == tells || bits(value) > 3)
	}
	if identifier(value) && !letterAndDigit(value) { // a type, or a plain word
		return lowerWord(value)
	}
	return true
}

// lowerWord reports whether a word has only lower-case letters.
func lowerWord(value string) bool {
	for i := range len(value) {
		if !lower(value[i]) {
			return false
		}
	}
	return true
}

// ini reports whether the value in a line such as "name = value" may be a secret. It has spaces around the equals sign.
func (c *candidate) ini(value string, after byte, end int) bool {
	if c.strength == tells && letterAndDigit(value) && len(value) >= 6 && !identifier(value) &&
		!strings.ContainsAny(value, "()[]{}<>/:-+*") { // not an expression in a program
		return true
	}
	l := c.lineOf()
	rest := c.restOfLine(end)
	if !l.first || after == ',' || after == ';' || rest != "" && rest[0] != '#' && rest[0] != ';' && rest[0] != l.quote {
		return false
	}
	if !identifier(value) || strings.Contains(c.text[c.start:c.end], "-") {
		return true
	}
	return c.amongSettings(l)
}

// amongSettings reports whether the line above is a setting of the same kind: [section], or name = value without
// brackets and quotes.
func (c *candidate) amongSettings(l nameLine) bool {
	if l.start < 2 {
		return false
	}
	above := c.text[lineStart(c.text, l.start-1) : l.start-1]
	above = strings.TrimSpace(above[gutter(above, 0):])
	if strings.HasPrefix(above, "[") && strings.HasSuffix(above, "]") && !strings.ContainsAny(above, "(),\"'") {
		return true
	}
	name, value, ok := strings.Cut(above, " = ")
	return ok && name != "" && !strings.Contains(name, " ") && !strings.ContainsAny(value, "()[]{}\"'`;,")
}

// `apart` returns a value that only a space separates from its name: of an option, of a command that sets variables, in
// SQL, in .netrc, in a sentence.
func (c *candidate) apart(at int) (start, end int) {
	text := c.text
	if at-c.end > 1 && !c.option || at >= len(text) {
		return 0, 0
	}
	if start, end, ok := c.inQuotes(at); ok {
		if c.good(start, end) && (c.option || c.setBefore() || c.inSQL() && text[at] == '\'' || c.alone(start, end)) {
			return start, end
		}
		return 0, 0
	}
	start, end = at, bareEnd(text, at)
	if start == end {
		return 0, 0
	}
	value := text[start:end]
	if c.strength == tells && !c.option {
		if start, end := c.madeFor(at); start < end {
			return start, end
		}
	}
	switch {
	case c.option:
		if at-c.end == 1 && value[0] != '-' && c.good(start, end) && !sentenceWord(value) &&
			!strings.ContainsAny(value, "()[]{}") && strings.ToUpper(value) != value {
			return start, end
		}
	case c.setBefore() || c.inNetrc():
		if c.good(start, end) && !sentenceWord(value) && !strings.ContainsAny(value, "()[]{}") && value[0] != '=' {
			return start, end
		}
	default:
		return c.said(start, end)
	}
	return 0, 0
}

// `alone` reports whether a line has only a name and its value, as in build files: keyPassword '…'.
func (c *candidate) alone(start, end int) bool {
	rest := c.restOfLine(end + 1)
	return c.strength == tells && mixedKinds(c.text[start:end]) && c.lineOf().first && (rest == "" || rest[0] == '#' ||
		strings.HasPrefix(rest, "//"))
}

// `said` finds the value in "the password is …" and "password …" in a sentence. It returns only a value that is not a
// plain word.
func (c *candidate) said(start, end int) (int, int) {
	switch c.text[start:end] {
	case "is", "was", "to":
		start = min(end+1, len(c.text))
		if start < len(c.text) && isQuote(c.text[start]) {
			return c.strict(start)
		}
		end = bareEnd(c.text, start)
	case "=", ":":
	default:
		if c.strength != tells {
			return 0, 0
		}
	}
	if end-start < 6 || !nameLetter(c.text[start]) || !c.good(start, end) || identifier(c.text[start:end]) &&
		!turns(c.text[start:end]) || !letterAndDigit(c.text[start:end]) ||
		strings.ContainsAny(c.text[start:end], "/()[]{}:=\\") {
		return 0, 0
	}
	return start, end
}

// `turns` reports whether a word has digits among its letters, or at least three digits at its end.
func turns(value string) bool {
	return strings.ContainsAny(strings.TrimRight(value, "0123456789"), "0123456789") ||
		len(value)-len(strings.TrimRight(value, "0123456789")) >= 3
}

// setBefore reports whether a command before the name sets it: ENV, setenv, set -x, setx, configure set, (setq.
func (c *candidate) setBefore() bool {
	before := strings.TrimRight(c.text[max(lineStart(c.text, c.start), c.start-60):c.start], " *")
	if i := strings.LastIndex(before, " ^:"); i >= 0 && !strings.Contains(before[i+1:], " ") { // metadata in Clojure
		before = before[:i]
	}
	for _, command := range [...]string{"ENV", "ARG", "setenv", "set -x", "set -gx", "set -Ux", "setx", "configure set",
		"config set", "config:set", "secret set", "secrets set", `\set`, "#define", "(def", "(define",
		"(setq", "(defvar", "(defconst", "(defparameter"} {
		if strings.HasSuffix(before, command) {
			return true
		}
	}
	return strings.Contains(before, "nmcli ") || strings.Contains(before, "config --global") ||
		strings.HasPrefix(before, "git config") || strings.Contains(before, " git config")
}

// inSQL reports whether a name is in an SQL statement: PASSWORD in capitals, or a name after with, encrypted or set.
func (c *candidate) inSQL() bool {
	name := c.text[c.start:c.end]
	if name == "PASSWORD" {
		return true
	}
	before := strings.ToLower(strings.TrimRight(c.text[max(0, c.start-20):c.start], " "))
	return strings.HasSuffix(before, "with") || strings.HasSuffix(before, "encrypted") || strings.HasSuffix(before, "set")
}

// inNetrc reports whether a name is the password keyword of .netrc: machine or login precedes it on the same line or on
// one of the two lines above.
func (c *candidate) inNetrc() bool {
	if name := c.text[c.start:c.end]; name != "password" && name != "passwd" {
		return false
	}
	before := c.text[max(0, c.start-200):c.start]
	if !strings.Contains(before, "machine ") && !strings.Contains(before, "default ") {
		return false
	}
	for range 3 {
		i := strings.LastIndexByte(before, '\n')
		if line := strings.TrimSpace(before[i+1:]); strings.HasPrefix(line, "machine ") ||
			strings.HasPrefix(line, "login ") || strings.Contains(line, " login ") ||
			strings.HasPrefix(line, "default login") {
			return true
		}
		if i < 0 {
			break
		}
		before = before[:i]
	}
	return false
}

// sentenceWord reports whether a word often follows the name of an option in a sentence about the option.
func sentenceWord(value string) bool {
	if len(value) < 4 {
		return true
	}
	switch strings.ToLower(strings.TrimRight(value, ".,:;!?")) {
	case "option", "options", "flag", "flags", "argument", "arguments", "parameter", "when", "then", "that", "this",
		"which", "with", "from", "into", "should", "would", "could",
		"must", "will", "does", "have", "been", "were", "because", "instead", "also", "only", "both", "using", "used", "uses",
		"your", "value", "values", "string", "file", "field", "fields",
		"authentication", "auth", "login", "mode", "name", "prompt", "there", "here", "where", "what", "available",
		"supported", "required", "optional", "works", "exists", "error", "missing", "without",
		"variable", "setting", "handling", "support", "support.", "stdin", "not":
		return true
	}
	return false
}

// `paired` returns the value of a name that is itself a value: {"name": "DB_PASSWORD", "value": "…"},
// <key>…</key><string>…, variable "password" { default = "…". It also reads lines of a diff.
func (c *candidate) paired(at int) (start, end int) {
	text := c.text
	if strings.HasPrefix(text[at:], "</") {
		close := strings.IndexByte(text[at:min(len(text), at+60)], '>')
		if close < 0 {
			return 0, 0
		}
		i := at + close + 1
		for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
			i++
		}
		open := strings.IndexByte(text[i:min(len(text), i+60)], '>')
		if open < 0 || text[i] != '<' || i+1 < len(text) && text[i+1] == '/' {
			return 0, 0
		}
		start = i + open + 1
		length := strings.IndexAny(text[start:min(len(text), start+mostValue)], "<\n")
		if length > 0 && text[start+length] == '<' && c.good(start, start+length) {
			return start, start + length
		}
		return 0, 0
	}
	i := at
	for i < len(text) && i-at < 80 && (strings.IndexByte(" \t\r\n,{", text[i]) >= 0 ||
		i > at && text[i-1] == '\n' && (text[i] == '+' || text[i] == '-')) {
		i++
	}
	if i == at {
		return 0, 0
	}
	if block := text[at:i]; strings.Contains(block, "{") && strings.Contains(block, "\n") {
		i = setting(text, i, "default")
	}
	quoted := i < len(text) && isQuote(text[i])
	if quoted {
		i++
	}
	switch {
	case word(text, i, "value"):
		i += len("value")
	case word(text, i, "parametervalue"): // in CloudFormation
		i += len("parametervalue")
	case word(text, i, "default") && strings.IndexByte(text[at:i], '{') >= 0:
		i += len("default")
	case quoted && strings.IndexByte(text[at:i], '{') >= 0: // "github-oauth": {"HOST": "…"}
		for i < len(text) && nameByte(text[i]) {
			i++
		}
		start = skipAny(text, i, "\"': ")
		if end = start + skipWord(text[start:]); bareToken(text, start) && bits(text[start:end]) >= 3 {
			return start, end
		}
		return 0, 0
	default:
		return 0, 0
	}
	if quoted && i < len(text) && isQuote(text[i]) {
		i++
	}
	sep, next := separator(text, i)
	if sep != "=" && sep != ":" {
		return 0, 0
	}
	if start, end, ok := c.inQuotes(next); ok {
		if c.good(start, end) {
			return start, end
		}
		return 0, 0
	}
	start, end = next, bareEnd(text, next)
	if quoted || start == end || !c.good(start, end) || strings.ContainsAny(text[start:end], "()[]{}") {
		return 0, 0
	}
	return start, end
}

// setting returns the position of a setting with this name in a block with one NAME = … on each line, whose first
// setting is at a position. If the name is not among the first few settings, it returns that position.
func setting(text string, at int, name string) int {
	const most = 5
	next := at
	for range most {
		if word(text, next, name) {
			return next
		}
		end := endOfLine(text, next)
		if line := text[next:end]; !strings.Contains(line, "=") || strings.ContainsAny(line, "{}") {
			break
		}
		next = skipAny(text, end, "\n \t+")
	}
	return at
}
