package redact

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/records/redact/gitleaks"
)

// patterns holds the expressions that gitleaks lacks. Each is compiled when a text first needs it: a package variable
// would be compiled at the start of every process.
type patterns struct {
	keyBegin, urlLogin func() *regexp.Regexp
	forms              [256][]form
	begins             *beginnings
	base64, hex, token [256]bool // the letters of each encoding
}

func newPatterns() *patterns {
	when := func(expression string) func() *regexp.Regexp {
		return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
	}
	p := &patterns{
		forms:    forms(),
		keyBegin: when(`-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----`),
		urlLogin: when(`[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@"'<>\\]{0,200}` +
			`:([^\s/@"'<>\\]{1,400})@[A-Za-z0-9\[._~%-]`),
	}
	p.begins = newBeginnings(&p.forms)
	for c := range 256 {
		p.base64[c], p.hex[c], p.token[c] = base64Byte(byte(c)), isHex(byte(c)), tokenByte(byte(c))
	}
	return p
}

// `plain` finds secrets and names in a text without decoding, by the rules of this package and of the user.
func (r *Redactor) plain(s *marks, m manner) []span {
	text := s.text
	found := append(append(append(append(s.values(), s.commands()...), s.ofLines()...), s.ofCalls()...), r.known(s)...)
	found = append(found, s.spoken()...)
	if m == prose {
		found = slices.Concat(found, s.homes(), r.userNames(text), r.hostWords(text), s.mail())
	}
	if len(s.at[atKey]) > 0 {
		for _, at := range r.keyBegin().FindAllStringIndex(text, -1) {
			found = append(found, span{start: at[0], end: endOfKey(text, at[1]), rule: privateKeyRule})
		}
	}
	found = append(append(found, r.logins(s)...), s.authorizations()...)
	return append(found, r.rules.find(text)...)
}

// longestLogin limits the length of a name and a password in a URL, in bytes.
const longestLogin = 700

// logins finds passwords in URLs. The expression is tried at each :// in the text, because the first letter of a match
// varies.
func (r *Redactor) logins(s *marks) []span {
	var found []span
	text := s.text
	for _, place := range s.at[atURL] {
		i := int(place)
		from := i + len("://")
		end := strings.IndexAny(text[from:min(len(text), from+longestLogin)], " \t\n\f\r/\"'<>\\@")
		if end < 0 || text[from+end] != '@' {
			continue
		}
		if name := text[from : from+end]; len(name) >= leastToken && strings.IndexByte(name, ':') < 0 &&
			(chance(name) || bareToken(name+" ", 0) && bits(name) >= 3.5) {
			found = append(found, span{start: from, end: from + end, rule: "url-password", whole: true})
			continue
		}
		const longestScheme = 21
		start := max(0, i-longestScheme)
		start += 1 + strings.LastIndexByte(text[start:i], ':') // after the end of another URL
		at := r.urlLogin().FindStringSubmatchIndex(text[start:min(len(text), from+end+len("@a"))])
		if at == nil || placeholder(text[start+at[2]:start+at[3]]) {
			continue
		}
		found = append(found, span{start: start + at[2], end: start + at[3], rule: "url-password", whole: true})
	}
	return found
}

// The limits of an HTTP authorization token, in bytes.
const (
	leastAuthorization = 16
	mostAuthorization  = 1000
)

// `authorizations` finds HTTP authorization tokens: after bearer, basic and authorization: token.
func (s *marks) authorizations() []span {
	var found []span
	text := s.text
	for _, place := range s.at[atLogin] {
		i := int(place)
		at := 0
		switch text[i] | 0x20 {
		case 'b':
			if word(text, i, "bearer") {
				at = i + len("bearer")
			} else if word(text, i, "basic") {
				at = i + len("basic")
			}
		case 'a':
			if word(text, i, "authorization") {
				at = behindScheme(text, i+len("authorization"))
				found = append(found, parameters(text, at)...)
			}
		}
		if at == 0 || i > 0 && (nameLetter(text[i-1]) || text[i-1] == '_' && text[i]|0x20 != 'a') {
			continue
		}
		start := skipSpace(text, at)
		end := start
		for end < len(text) && end-start < mostAuthorization &&
			(tokenByte(text[end]) || strings.IndexByte(".~!@#%^*", text[end]) >= 0) {
			end++
		}
		if token := text[start:end]; (start > at || text[i]|0x20 == 'a') &&
			len(token) >= leastAuthorization && bits(token) >= 3 &&
			(strings.ContainsAny(token, "0123456789") || byChance(token)) {
			found = append(found, span{start: start, end: end, rule: "authorization", whole: true})
		}
	}
	return found
}

// behindScheme returns the start of the token in a header, variable or member named authorization. It skips quotes,
// brackets, separators and the name of the scheme. It returns 0 if there is no token.
func behindScheme(text string, at int) int {
	const mostMarks, mostScheme = 12, 24
	if next := skipAny(text, at, "_-"); word(text, next, "header") {
		at = next + len("header")
	}
	begin, signs := at, 0
	quotes := 0
	for at < len(text) && at-begin < mostMarks && strings.IndexByte(" \t\"'\\:=>[]({,`\n", text[at]) >= 0 {
		if text[at] == '\n' { // the value is on a line below the name
			if at = skipAny(text, at, "\r\n\t \"'"); !strings.HasPrefix(text[at:], "value") {
				return 0
			}
			at--
		}
		if strings.IndexByte(":=>[(,", text[at]) >= 0 {
			signs++
		} else if isQuote(text[at]) {
			quotes++
		}
		if next := at + 1; next+1 < len(text) && strings.IndexByte("bfr", text[next]) >= 0 && isQuote(text[next+1]) {
			at++ // f"…"
		}
		at++
		for _, member := range [...]string{"value", "header", "is"} { // {"name": "authorization", "value": …}
			if strings.HasPrefix(text[at:], member) && !nameLetter(text[min(at+len(member), len(text)-1)]) {
				at += len(member)
				begin = at
			}
		}
	}
	if signs == 0 && quotes == 0 {
		return 0
	}
	if bareToken(text, at) {
		return at
	}
	end := at
	for end < len(text) && end-at < mostScheme && (nameLetter(text[end]) || text[end] == '-' || text[end] == '_') {
		end++
	}
	scheme := text[at:end]
	if scheme == "" || end == len(text) || strings.IndexByte(" \t\n\r\f+\\", text[end]) < 0 ||
		strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic") { // other rules find these
		return 0
	}
	at = skipSpace(text, end+1)
	for _, name := range [...]string{"token=", "access_token=", "key=", "apikey="} { // Token token="…"
		if word(text, at, name) {
			at += len(name)
		}
	}
	return skipAny(text, at, "\"'`\\+ ")
}

// parameters finds tokens in the parameters of an authorization: Hawk id="…", mac="…".
func parameters(text string, at int) []span {
	var found []span
	for at > 0 && at < len(text) {
		start := at
		for at < len(text) && wordByte(text[at]) {
			at++
		}
		if at == start || at == len(text) || text[at] != '=' {
			return found
		}
		start = skipAny(text, at, "=\"'\\")
		for at = start; at < len(text) && text[at] > ' ' && strings.IndexByte(",\"'\\", text[at]) < 0; {
			at++
		}
		if bareToken(text[:at], start) {
			found = append(found, span{start: start, end: at, rule: "authorization", whole: true})
		}
		at = skipAny(text, at, ", \"'\\")
	}
	return found
}

// bareToken reports whether a header has a token instead of a scheme: Authorization: 1f2e….
func bareToken(text string, at int) bool {
	end, digits := at, 0
	for ; end < len(text) && wordByte(text[end]); end++ {
		if digit(text[end]) {
			digits++
		}
	}
	const leastDigits = 4
	if rest := text[end:]; strings.HasPrefix(rest, " ") && strings.HasPrefix(rest[1+skipWord(rest[1:]):], "=") {
		return false // AWS4-HMAC-SHA256 Credential=…
	}
	return end-at >= leastAuthorization && digits >= leastDigits && letterAndDigit(text[at:end]) &&
		(end == len(text) || strings.IndexByte("(.[", text[end]) < 0)
}

// skipSpace returns the position after white space.
func skipSpace(text string, at int) int {
	for at < len(text) && strings.IndexByte(" \t\n\f\r", text[at]) >= 0 {
		at++
	}
	return at
}

// `find` runs the finder on a text, window by window. Callers pass the result of loosen.
func (r *Redactor) find(ctx context.Context, text string) ([]span, error) {
	var found []span
	for from, to := range windows(text) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list, err := r.finder.Find(text[from:to])
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			if !strings.HasPrefix(text[from+f.Start:from+f.End], markerStart) {
				found = append(found, span{start: from + f.Start, end: from + f.End, rule: f.Rule, whole: f.Rule != privateKeyRule})
			}
		}
	}
	return found, nil
}

// privateKeyRule is gitleaks' rule for private key blocks. Its findings are not searched for in other places: this
// package's own expression finds the whole block.
const privateKeyRule = "private-key"

var _ Finder = (*gitleaks.Rules)(nil)

// placeholder reports whether a password is only a placeholder.
func placeholder(text string) bool {
	if strings.HasPrefix(text, markerStart) || strings.Trim(text, "*.xX-_") == "" {
		return true
	}
	switch text[0] {
	case '$', '{', '<', '%', '[':
		return true
	}
	switch strings.ToLower(text) {
	case "password", "pass", "passwd", "pw", "secret", "token", "pwd", "redacted", "your_password", "your-password":
		return true
	}
	return false
}

// longestKey limits the block of a private key, in bytes.
const longestKey = 64 << 10

// endOfKey returns the end of the block of a private key whose first line ends at `from`: after its last line or, if
// that is missing, after the last line that may belong to it. Line feeds may be escaped.
func endOfKey(text string, from int) int {
	rest := text[from:min(len(text), from+longestKey)]
	if end := strings.Index(rest, "-----END"); end >= 0 {
		last := rest[end+len("-----END"):]
		if dashes := strings.Index(last, "-----"); dashes >= 0 && dashes < 80 {
			return from + end + len("-----END") + dashes + len("-----")
		}
	}
	end := 0
	for end < len(rest) {
		line := rest[end:]
		length := strings.IndexAny(line, "\n\\")
		if length < 0 {
			length = len(line)
		}
		if !keyLine(line[:length]) {
			break
		}
		for end += length; end < len(rest) && strings.IndexByte("\n\\nr\"", rest[end]) >= 0; end++ {
			if rest[end] != '\n' && rest[end] != '\\' && rest[end-1] != '\\' {
				break
			}
		}
	}
	return from + end
}

// keyLine reports whether a line may belong to the block of a private key.
func keyLine(line string) bool {
	line = strings.Trim(line, " \t\r\"',+")
	return strings.IndexFunc(line, func(r rune) bool { return r > 0x7f || !tokenByte(byte(r)) }) < 0 ||
		strings.Contains(line, ": ")
}

// leastToken is the least length of a word with a digit that may be a token.
const leastToken = 16

// tokens returns the runs of token letters that are long enough to be a token, as pairs of start and end.
func (r *Redactor) tokens(text string) [][2]int {
	var runs [][2]int
	for end := 0; ; {
		var start int
		if start, end = nextRun(text, end, leastToken, &r.token); start < 0 {
			return runs
		}
		runs = append(runs, [2]int{start, end})
	}
}

// loosen replaces punctuation after a possible token with a space: many rules require a space or a quote after a token.
// Positions do not change.
func loosen(text string, tokens [][2]int) string {
	var out []byte
	for _, t := range tokens {
		end := t[1]
		if end == len(text) || !closing[text[end]] || end+1 < len(text) && pieceByte(text[end+1]) ||
			!strings.ContainsAny(text[t[0]:end], "0123456789") {
			continue
		}
		if out == nil {
			out = []byte(text)
		}
		out[end] = ' '
	}
	if out == nil {
		return text
	}
	return string(out)
}

// closing marks the punctuation that loosen replaces with spaces.
var closing = [256]bool{'.': true, ',': true, ')': true, ']': true, '}': true, '!': true, '?': true, '*': true}
