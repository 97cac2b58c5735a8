package redact

import "strings"

// namedRule is the rule for values whose name means a secret.
const namedRule = "named-secret"

// The limits of a value whose name means a secret, in bytes.
const (
	leastValue = 3
	mostValue  = 4 << 10
)

// values finds values whose names mean a secret: DB_PASSWORD=…, "apiKey": "…", --token …, <password>…
func (s *marks) values() []span {
	var found []span
	text, from := s.text, 0
	for _, at := range s.at[atStem] {
		i := int(at)
		if i < from || !stem(text, i) {
			continue
		}
		n := nameAround(text, i)
		from = n.end
		n.strength = n.strengthIn(text)
		if n.strength != says {
			if start, end := n.value(text); start < end {
				found = append(found, span{start: start, end: end, rule: namedRule, whole: byItself(text[start:end])})
				from = end
				continue
			}
		}
		found = append(found, n.ofCall(text)...)
	}
	return found
}

// byItself reports whether a value is not a plain word, so that it can be searched for without its name.
func byItself(value string) bool {
	digits, letters := 0, 0
	for i := range len(value) {
		if digit(value[i]) {
			digits++
		} else if nameLetter(value[i]) {
			letters++
		}
	}
	return digits > 0 && letters > 0 && bits(value) >= 3
}

// stem reports whether a word for a secret begins at byte i.
func stem(text string, i int) bool {
	switch text[i] | 0x20 {
	case 'p':
		return word(text, i, "pass") || word(text, i, "pwd") || word(text, i, "psk") ||
			word(text, i, "pat") || (word(text, i, "pw:") || word(text, i, "pw=") ||
			word(text, i, "pw ")) && (i == 0 || !nameByte(text[i-1]))
	case 's':
		return word(text, i, "secret") || word(text, i, "senha") || word(text, i, "sig=")
	case 't':
		return word(text, i, "token")
	case 'k':
		return word(text, i, "key") || word(text, i, "kennwort")
	case 'c':
		return word(text, i, "cred") || word(text, i, "contrasena") || word(text, i, "connectionstring")
	case 'a':
		return word(text, i, "auth") || word(text, i, "assword")
	case 'j':
		return word(text, i, "jwt")
	case 'b':
		return word(text, i, "bearer")
	case 'm':
		return word(text, i, "motdepasse")
	case 'w':
		return word(text, i, "wachtwoord")
	}
	return false
}

// word reports whether a text has a word at byte i, in any case.
func word(text string, i int, want string) bool {
	if len(text)-i < len(want) {
		return false
	}
	for j := range len(want) {
		if text[i+j]|0x20 != want[j] {
			return false
		}
	}
	return true
}

// naming is a name whose value may be a secret. For an option, it excludes the hyphens.
type naming struct {
	start, end int
	strength
	option bool // the name is a command-line option
}

// nameAround returns the name around a place.
func nameAround(text string, i int) naming {
	n := naming{start: i, end: i}
	for n.start > 0 && nameByte(text[n.start-1]) && i-n.start < longestSecretName {
		n.start--
	}
	for n.end < len(text) && nameByte(text[n.end]) && n.end-i < longestSecretName {
		n.end++
	}
	for n.start < i && !nameLetter(text[n.start]) {
		n.option = n.option || text[n.start] == '-'
		n.start++
	}
	n.option = n.option && (n.start < 2 || text[n.start-2] != '-' || n.start < 3 || text[n.start-3] != '-')
	for n.end > n.start && text[n.end-1] == '.' {
		n.end--
	}
	return n
}

// value returns the position of the secret after a name; an empty range if there is none.
func (n naming) value(text string) (start, end int) {
	at := n.end
	quoted := at < len(text) && isQuote(text[at])
	if quoted {
		at++
	}
	if n.start > 0 && text[n.start-1] == '*' && at < len(text) && text[at] == '*' { // (defvar *api-key* "…")
		at++
		n.end = at
	}
	index := quoted && at < len(text) && text[at] == ']'
	if index {
		at++
	}
	sep, next := separator(text, at)
	if sep == ":" && strings.HasPrefix(text[next:], "** ") { // the name is bold in Markdown
		next = skipAny(text, next, "* ")
	}
	c := candidate{naming: n, text: text, quotedName: quoted, spaced: next > at+len(sep) || next > at && text[at] == ' '}
	if next, ok := echoed(text, next); ok && sep != "," && sep != "(" {
		start, end = shellWord(text, next)
		if c.good(start, end) && mixedKinds(text[start:end]) {
			return start, end
		}
		return 0, 0
	}
	switch sep {
	case "<<<":
		if start, end = shellWord(text, next); c.good(start, end) && mixedKinds(text[start:end]) {
			return start, end
		}
		return 0, 0
	case "=", ":", ":=", "=>", "?=", "+=":
		if start, end = c.assigned(sep, next); start < end || next >= len(text) || text[next] != '{' {
			return start, end
		}
		return c.paired(next)
	case "==", "===", "!=", "<-":
		return c.strict(next)
	case ">":
		return c.element(at + 1)
	case "|":
		return c.cell(next)
	case ",", "(":
		if start, end = c.strict(next); start < end || sep == "(" {
			return start, end
		}
	case " ":
		if start, end = c.apart(next); start < end {
			return start, end
		}
	}
	return c.paired(at)
}

// separator returns the text between a name and its value, and the start of the value.
func separator(text string, at int) (sep string, next int) {
	start := at
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') && at-start < 40 {
		at++
	}
	for _, s := range [...]string{"<<<", "===", "==", "!=", "<-", ":=", "=>", "?=", "+=", "=", ":", ">", "|", ",", "("} {
		if !strings.HasPrefix(text[at:], s) || s == "|" && strings.HasPrefix(text[at:], "||") {
			continue
		}
		next = at + len(s)
		for next < len(text) && (text[next] == ' ' || text[next] == '\t') && next-at < 40 {
			next++
		}
		return s, next
	}
	if at > start {
		return " ", at
	}
	return "", at
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// candidate is a possible value of a name.
type candidate struct {
	naming
	text       string
	quotedName bool // the name is in quotes
	spaced     bool // there is a space next to the separator
}

// `good` reports whether a value is a secret as a whole.
func (c *candidate) good(start, end int) bool {
	value := c.text[start:end]
	if inFours(value) {
		return true
	}
	if len(value) < leastValue || len(value) > mostValue || standsIn(value) || secretName(value) != says &&
		!strings.ContainsAny(value, "0123456789") {
		return false
	}
	if strings.ContainsAny(value, " \t\n") {
		return c.phrase(value)
	}
	if c.strength == hints {
		return mixedKinds(value) && !counted(value) || c.shouted() && !c.spaced && len(value) >= 6 && !hyphenatedWords(value)
	}
	return !hyphenatedWords(value) || !strings.HasSuffix(strings.ToLower(c.text[c.start:c.end]), "key")
}

// phrase reports whether a value with spaces is a passphrase and not a sentence about a secret.
func (c *candidate) phrase(value string) bool {
	if len(value) > 120 || strings.ContainsAny(value, "\n\t(){}<>") || c.strength != tells ||
		strings.TrimSpace(value) != value {
		return false
	}
	if strings.HasSuffix(strings.ToLower(c.text[c.start:c.end]), "phrase") {
		return len(strings.Fields(value)) >= 3 && !strings.ContainsAny(value, ".:?!")
	}
	if strings.Count(value, " ") > 2 {
		return false
	}
	return strings.ContainsAny(value, "0123456789") && strings.ContainsAny(value, "!@#$%^&*+=~")
}

// `shouted` reports whether the name is in capitals, like an environment variable.
func (c *candidate) shouted() bool {
	name := c.text[c.start:c.end]
	return strings.ToUpper(name) == name && len(name) > 2
}

// `assigned` returns the value after =, : and similar separators.
func (c *candidate) assigned(sep string, at int) (start, end int) {
	document := strings.HasPrefix(c.text[min(at, len(c.text)):], "<<")
	at = c.blockOf(sep, at)
	if sep == ":" {
		if start, end = c.answered(at); start < end {
			return start, end
		}
	}
	if strings.HasPrefix(c.text[min(at, len(c.text)):], "[[") { // a Lua string
		if end := strings.Index(c.text[at:min(len(c.text), at+mostValue)], "]]"); end > 0 && c.good(at+2, at+end) {
			return at + 2, at + end
		}
	}
	if start, end, ok := c.inQuotes(at); ok {
		start, end = c.otherwise(start, end)
		if c.good(start, end) && !c.grows(end+1) {
			return start, end
		}
		return 0, 0
	}
	if sep == ":" {
		if next, ok := c.afterType(at); ok {
			if start, end, ok := c.inQuotes(next); ok && c.good(start, end) {
				return start, end
			}
			return 0, 0
		}
	}
	if sep == "=" && c.lineOf().first && strings.HasSuffix(c.text[c.start:c.end], "passphrase") { // of several words
		if end := endOfLine(c.text, at); strings.Contains(c.text[at:end], " ") && c.phrase(c.text[at:end]) {
			return at, end
		}
	}
	start, end = c.otherwise(at, bareEnd(c.text, at))
	for loose := (sep == ":" && c.spaced || c.shouted()) && c.lineOf().first; loose && end < len(c.text)-1 &&
		c.text[end] == '&' && c.text[end+1] > ' ' && c.text[end+1] != '&'; {
		end = bareEnd(c.text, end+1) // not in a shell command or URL, so the & belongs to the value
	}
	if start == end || !c.good(start, end) || !(document && mixedKinds(c.text[start:end])) && !c.literal(sep, start, end) {
		return 0, 0
	}
	return start, end
}

// blockOf returns the start of a value on the next line: after | or > in YAML, or after a name at the end of its line.
func (c *candidate) blockOf(sep string, at int) int {
	if at >= len(c.text) {
		return at
	}
	if strings.HasPrefix(c.text[at:], "<<") { // a here-document of a shell, Ruby or Terraform
		next := gutter(c.text, min(len(c.text), endOfLine(c.text, at)+1))
		return skipAny(c.text, next, " \t+")
	}
	if sep != ":" {
		return at
	}
	i := at
	if c.text[i] == '!' { // a YAML tag
		return skipAny(c.text, skipAny(c.text, i, "!abcdefghijklmnopqrstuvwxyz_-"), " ")
	}
	if c.text[i] == '|' || c.text[i] == '>' {
		for i++; i < len(c.text) && (c.text[i] == '-' || c.text[i] == '+' || digit(c.text[i])); {
			i++
		}
	} else if c.text[i] != '\r' && c.text[i] != '\n' {
		return at
	}
	for i < len(c.text) && (c.text[i] == ' ' || c.text[i] == '\r') {
		i++
	}
	if i >= len(c.text) || c.text[i] != '\n' {
		return at
	}
	next := gutter(c.text, i+1)
	for i = next; i < len(c.text) && (c.text[i] == ' ' || c.text[i] == '\t' || c.text[i] == '+' && i == next); {
		i++
	}
	if i == next { // not indented, so it does not belong to the name
		return at
	}
	return i
}

// inQuotes returns the text between quotes. A letter may precede them, as in Python, Rust, C# and Bash.
func (c *candidate) inQuotes(at int) (start, end int, ok bool) {
	text := c.text
	if at+1 < len(text) && strings.IndexByte("rbufRBUF@N$", text[at]) >= 0 && isQuote(text[at+1]) {
		at++
	}
	if at >= len(text) || !isQuote(text[at]) {
		return 0, 0, false
	}
	quote := text[at]
	for i := at + 1; i < len(text) && i-at <= mostValue; i++ {
		switch text[i] {
		case '\\':
			i++
		case quote:
			if quote == '\'' && i > at+1 && strings.HasPrefix(text[i+1:], "'") { // a doubled quote
				i++
				continue
			}
			return at + 1, i, true
		case '\n':
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// `grows` reports whether a quoted text is only a part of an expression.
func (c *candidate) grows(at int) bool {
	rest := strings.TrimLeft(c.text[min(at, len(c.text)):min(len(c.text), at+8)], " ")
	return strings.HasPrefix(rest, "+ ") || strings.HasPrefix(rest, ".join") || strings.HasPrefix(rest, " %") ||
		strings.HasPrefix(rest, ".")
}

// afterType skips a type annotation: password: str = "…".
func (c *candidate) afterType(at int) (next int, ok bool) {
	i := at
	for i < len(c.text) && i-at < 40 && (nameByte(c.text[i]) || strings.IndexByte("[]&|? ", c.text[i]) >= 0) {
		i++
	}
	if i == at || i >= len(c.text) || c.text[i] != '=' {
		return 0, false
	}
	for i++; i < len(c.text) && c.text[i] == ' '; {
		i++
	}
	return i, true
}

// bareEnd returns the end of an unquoted value.
func bareEnd(text string, at int) int {
	end := at
	for end < len(text) && end-at <= mostValue && text[end] > ' ' && strings.IndexByte("\"'`;&,<>|", text[end]) < 0 {
		// an arrow or a bullet, not a letter
		if text[end] >= 0x80 && !(text[end] >= 0xc3 && text[end] <= 0xcf) && !(text[end] < 0xc0) {
			break
		}
		end++
	}
	if strings.HasSuffix(text[at:end], "..") || strings.HasPrefix(text[end:], "…") {
		return at
	}
	for end > at && strings.IndexByte(")]}.:\\", text[end-1]) >= 0 && !strings.ContainsAny(text[at:end-1], "([{") {
		end--
	}
	return end
}

// `strict` returns a quoted value that is certainly a secret. It serves places where a text often follows a name for
// other reasons.
func (c *candidate) strict(at int) (start, end int) {
	start, end, ok := c.inQuotes(at)
	if !ok || c.strength == says || strings.ContainsAny(c.text[start:end], " \t") || !c.good(start, end) ||
		!mixedKinds(c.text[start:end]) {
		return 0, 0
	}
	return start, end
}

// element reads <password>…</password>.
func (c *candidate) element(at int) (start, end int) {
	named := c.quotedName && c.start > 1 && c.text[c.start-2] == '=' // <param name="password">…</param>
	if !named && (c.start == 0 || c.text[c.start-1] != '<' && c.text[c.start-1] != ':') {
		return 0, 0
	}
	rest := c.text[at:min(len(c.text), at+mostValue)]
	const data = "<![CDATA["
	if strings.HasPrefix(rest, data) {
		at += len(data)
		rest = rest[len(data):]
	}
	length := strings.IndexAny(rest, "<]\n")
	if length < 0 || rest[length] == '\n' || !c.good(at, at+length) {
		return 0, 0
	}
	return at, at + length
}

// cell returns the next cell of a table.
func (c *candidate) cell(at int) (start, end int) {
	length := strings.IndexAny(c.text[at:min(len(c.text), at+mostValue)], "|\n")
	if length < 0 || c.text[at+length] == '\n' {
		return 0, 0
	}
	end = at + length
	for at < end && (c.text[at] == '`' || c.text[at] == ' ') {
		at++
	}
	for at < end && (c.text[end-1] == '`' || c.text[end-1] == ' ') {
		end--
	}
	if at >= end || strings.ContainsAny(c.text[at:end], " ()") || !c.good(at, end) || !mixedKinds(c.text[at:end]) {
		return 0, 0
	}
	return at, end
}
