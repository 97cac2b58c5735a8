package redact

import "strings"

// call is a function with a secret among its arguments, known by its position.
type call struct {
	name  string // the end of the function's name, in lower case
	place int    // number of the argument, from 1; anyPlace for every argument
}

// anyPlace marks functions for which every argument that looks like a key is a key.
const anyPlace = 0

// calls lists functions that take a secret although their names do not contain a word for a secret. Of two names with
// the same end, the longer comes first.
var calls = [...]call{
	{"networkcredential", 2}, {"usernamepasswordcredentials", 2}, {"passwordauthentication", 2}, {"auth", 2},
	{"jwt.sign", 2}, {"jwt.verify", 2}, {"jwt.encode", 2}, {"jwt.decode", 2}, {"sp_addlogin", 2}, {"login", 2},
	{"createhmac", 2}, {"hash_hmac", 3}, {"hmac", anyPlace}, {"hmac.new", anyPlace}, {"hmac.hexdigest", anyPlace},
	{"hmac.digest", anyPlace}, {"getconnection", 3}, {"mysqli_connect", 3}, {"mysql_connect", 3}, {"pymysql.connect", 3},
	{"dbi->connect", 3}, {"pdo", 3}, {"sequelize", 3},
}

// mostArguments limits the length of a call's arguments, in bytes.
const mostArguments = 400

// ofCalls finds secrets among the arguments of the functions in `calls`.
func (s *marks) ofCalls() []span {
	var found []span
	for _, place := range s.at[atCall] {
		found = append(found, nameAround(s.text, int(place)).ofCall(s.text)...)
	}
	return found
}

// ofCall finds secrets among the arguments of a function with this name.
func (n naming) ofCall(text string) []span {
	at := skipAny(text, n.end, " =:") // auth=('name', '…')
	if at >= len(text) {
		return nil
	}
	bracket := text[at] == '(' || text[at] == '['
	if !bracket && strings.IndexByte("\"'N", text[at]) < 0 { // sp_addlogin N'name', N'…'
		return nil
	}
	start := n.start
	if strings.HasSuffix(text[:start], "->") { // DBI->connect
		start = max(0, start-len("DBI->"))
	}
	name := strings.ToLower(text[start:n.end])
	for _, c := range &calls {
		if !strings.HasSuffix(name, c.name) {
			continue
		}
		if bracket {
			at++
		} else if c.name != "sp_addlogin" {
			return nil
		}
		return c.secrets(text[:min(len(text), at+mostArguments)], at)
	}
	return nil
}

// secrets reads the arguments up to the closing bracket.
func (c call) secrets(text string, at int) []span {
	var found []span
	for place, deep := 1, 0; at < len(text) && deep >= 0; {
		q := candidate{text: text}
		start, end, quoted := q.inQuotes(at)
		switch {
		case quoted:
			value := text[start:end]
			if (c.place == place || c.place == anyPlace) && deep <= 1 && mixedKinds(value) && byItself(value) &&
				!standsIn(value) && !strings.ContainsAny(value, " ./") {
				found = append(found, span{start: start, end: end, rule: namedRule, whole: true})
			}
			at = end
		case text[at] == '(' || text[at] == '[' || text[at] == '{':
			deep++
		case text[at] == ')' || text[at] == ']' || text[at] == '}':
			deep--
		case text[at] == ',' && deep == 0:
			place++
		case text[at] == ';' || text[at] == '\n' && strings.HasPrefix(text[at:], "\n\n"):
			return found
		}
		at++
	}
	return found
}

// cookieCall finds the value of a cookie that a call sets: cookies.set("sessionid", "…").
func cookieCall(text string, at int) []span {
	for _, verb := range [...]string{"s", ".set", ".put", ".add"} {
		if strings.HasPrefix(text[at:], verb) {
			at += len(verb)
		}
	}
	if at >= len(text) || text[at] != '(' {
		return nil
	}
	var c candidate
	c.text = text[:min(len(text), at+mostArguments)]
	first, end, ok := c.inQuotes(argumentAt(text, at+1))
	if !ok {
		return nil
	}
	name := text[first:end]
	if at = skipAny(text, end+1, " "); at >= len(text) || text[at] != ',' {
		return nil
	}
	start, end, ok := c.inQuotes(argumentAt(text, at+1))
	if !ok || !isCookie(name, text[start:end]) || !byItself(text[start:end]) {
		return nil
	}
	return []span{{start: start, end: end, rule: cookieRule, whole: true}}
}

// argumentAt returns the start of an argument's value, after its name: key="…", value="…".
func argumentAt(text string, at int) int {
	at = skipAny(text, at, " \n\t")
	for _, name := range [...]string{"key=", "name=", "value="} {
		if word(text, at, name) {
			return at + len(name)
		}
	}
	return at
}

// `echoed` returns the start of the word that a nested command prints: $(echo …), <(printf '%s' …), "echo …".
func echoed(text string, at int) (next int, ok bool) {
	i := skipAny(text, at, "\"'")
	inside := strings.HasPrefix(text[i:], "$(") || strings.HasPrefix(text[i:], "<(")
	if inside {
		i += len("$(")
	} else if i == at {
		return at, false
	}
	for _, command := range [...]string{"echo ", "printf "} {
		if !strings.HasPrefix(text[i:], command) {
			continue
		}
		i += len(command)
		for _, option := range [...]string{"-n ", "-e ", "'%s' ", "\"%s\" ", "%s "} {
			if strings.HasPrefix(text[i:], option) {
				i += len(option)
			}
		}
		return i, true
	}
	return at, false
}

// `answered` finds a script's answer to a question: expect "Password:", then send "…" on the next line.
func (c *candidate) answered(at int) (start, end int) {
	rest := c.text[at:min(len(c.text), at+60)]
	i := strings.Index(rest, "send")
	if i < 0 || strings.Trim(rest[:i], " \"'`\t\r\n):;{}\\._abcdefghijklmnopqrstuvwxyz*?") != "" {
		return 0, 0
	}
	i = at + i + strings.IndexAny(rest[i:]+"\"", "\"'")
	start, end, ok := c.inQuotes(i)
	if !ok {
		return 0, 0
	}
	value, _, _ := strings.Cut(c.text[start:end], `\`)
	if end = start + len(value); strings.Contains(value, " ") || !c.good(start, end) {
		return 0, 0
	}
	return start, end
}

// madeFor returns the last word of a message such as: Temporary password generated for root@localhost: …
func (c *candidate) madeFor(at int) (start, end int) {
	line := c.text[at:endOfLine(c.text, at)]
	line = strings.TrimRight(line, " \r\"'`,\\")
	i := strings.LastIndex(line, ": ")
	if i < 0 || i > 80 || !strings.HasPrefix(line, "for ") && !strings.Contains(line[:i], " for ") {
		return 0, 0
	}
	start, end = at+i+len(": "), at+len(line)
	if value := c.text[start:end]; !letterAndDigit(value) || strings.ContainsAny(value, " \t/(){}\\") ||
		!turns(value) || !c.good(start, end) {
		return 0, 0
	}
	return start, end
}
