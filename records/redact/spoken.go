package redact

import "strings"

// spokenRule is the rule for random-looking text on a line about a secret.
const spokenRule = "random-beside-name"

// The limits of a random-looking token, and of its distance from the name of a secret, in bytes.
const (
	leastSpoken   = 12
	mostSpokenWay = 120
)

// spoken finds random-looking tokens on a line that mentions a secret in any form: echo … | tool secret put NAME,
// --name db_password --value …, the API key is …
func (s *marks) spoken() []span {
	var found []span
	text, from := s.text, 0
	for _, place := range s.at[atStem] {
		i := int(place)
		if !speaks(text, i) {
			continue
		}
		at := max(0, i-mostSpokenWay)
		at = max(from, at+1+strings.LastIndexByte(text[at:i], '\n'))
		end := endOfLine(text[:min(len(text), i+mostSpokenWay)], i)
		for at < end {
			if !tokenByte(text[at]) || at > 0 && tokenByte(text[at-1]) {
				at++
				continue
			}
			start := at
			for at < len(text) && tokenByte(text[at]) {
				at++
			}
			if one, is := spokenToken(text, start, at); is {
				found = append(found, one)
			}
			from = at
		}
	}
	for _, place := range s.at[atArgument] { // tool -p …
		const option = len(" -p ")
		if i := int(place); word(text, i, " -p") && i+option < len(text) && text[i+option-1] == ' ' {
			start := skipAny(text, i+option, "\"'\\")
			end := start
			for end < len(text) && tokenByte(text[end]) {
				end++
			}
			if one, is := spokenToken(text, start, end); is {
				found = append(found, one)
			}
		}
	}
	return found
}

// strengthIn returns how surely a name in its context means a secret: UID=sa;PWD=…, ?key=…, &sig=….
func (n naming) strengthIn(text string) strength {
	name, before := text[n.start:n.end], text[max(0, n.start-1):n.start]
	switch {
	case name == "PWD" && before == ";":
		return tells
	case (name == "key" || name == "sig") && (before == "?" || before == "&"):
		value := text[min(n.end+1, len(text)):]
		value = value[:skipWord(value)]
		if chance(value) || bareToken(value, 0) {
			return hints
		}
	}
	return secretName(name)
}

// skipWord returns the length of the word at the start of a text.
func skipWord(text string) int {
	end := 0
	for end < len(text) && wordByte(text[end]) {
		end++
	}
	return end
}

// `speaks` reports whether the word at byte i means a secret, in plain words or as part of a name. "key" means a secret
// if the word before it names the kind of key.
func speaks(text string, i int) bool {
	if i > 0 && lower(text[i]) && nameLetter(text[i-1]) {
		return false
	}
	switch text[i] | 0x20 {
	case 'p':
		return word(text, i, "pass") && !word(text, i, "passe") && !word(text, i, "passi") || word(text, i, "passin")
	case 's':
		return word(text, i, "secret")
	case 't':
		return word(text, i, "token") && !word(text, i, "tokeni")
	case 'c':
		return word(text, i, "credential")
	case 'a':
		return word(text, i, "auth") && !word(text, i, "autho") || word(text, i, "authorization")
	case 'k':
		before := strings.TrimRight(text[max(0, i-20):i], " _-")
		return word(text, i, "key") && keyOf(strings.ToLower(before[1+strings.LastIndexFunc(before, notLetter):])) == tells
	}
	return false
}

// spokenToken reports whether a token between spaces, quotes and punctuation looks random.
func spokenToken(text string, start, end int) (one span, is bool) {
	for end > start && text[end-1] == '=' {
		end--
	}
	if i := strings.LastIndexByte(text[start:end], '='); i >= 0 { // NAME=…
		start += i + 1
	}
	token := text[start:end]
	if len(token) < leastSpoken || len(token) >= leastEntropy || !chance(token) || standsIn(token) || nameOfOne(token) ||
		named(text[max(0, start-40):start], token) {
		return one, false
	}
	if end < len(text) && strings.IndexByte(" \t\r\n\"'`;,)]}<|&\\", text[end]) < 0 ||
		start > 0 && strings.IndexByte(" \t\r\n\"'`=:([{>", text[start-1]) < 0 {
		return one, false
	}
	return span{start: start, end: end, rule: spokenRule, whole: true}, true
}

// nameOfOne reports whether a token is an identifier for a secret in a program: Ed448PublicKey.
func nameOfOne(token string) bool {
	for _, part := range [...]string{"Key", "Auth", "Secret", "Token", "Pass"} {
		if strings.Contains(token, part) {
			return true
		}
	}
	return false
}

// chance reports whether a short token has a digit and looks random. Joined words do not look random.
func chance(token string) bool {
	return strings.ContainsAny(token, "0123456789") && byChance(token)
}

// byChance reports whether a token mixes letters and digits as random text does.
func byChance(token string) bool {
	var uppers, lowers, turns, same, longest int
	last := byte(0)
	for i := range len(token) {
		kind := byte('l')
		switch c := token[i]; {
		case upper(c):
			kind = 'u'
			uppers++
		case digit(c):
			kind = 'd'
		case lower(c):
			lowers++
		default:
			return false
		}
		if kind == last {
			same++
		} else if same = 1; i > 0 {
			turns++
		}
		if last = kind; kind == 'l' {
			longest = max(longest, same)
		}
	}
	return uppers > 1 && lowers > 1 && longest <= 5 && float64(turns) >= leastTurns*float64(len(token))
}
