package redact

import "strings"

// What the form of a line, or the line above, tells to be a secret.
const (
	cookieRule  = "cookie"
	webhookRule = "webhook"
	masterRule  = "rails-master-key"
	pgpassRule  = "pgpass"
)

// ofLines finds cookies, addresses of webhooks, keys of Rails, passwords of net use and lines of .pgpass.
func (s *marks) ofLines() []span {
	var found []span
	text, from := s.text, 0
	for _, place := range s.at[atLine] {
		i := int(place)
		if i < from {
			continue
		}
		var list []span
		switch {
		case word(text, i, "cookie"):
			list = cookies(text, i+len("cookie"))
		case word(text, i, "webhook"):
			list = webhook(text, i)
		case word(text, i, "master.key"):
			list = masterKey(text, i)
		case word(text, i, "net use "):
			list = netUse(text, i+len("net use "))
		}
		for _, one := range list {
			found = append(found, one)
			from = max(from, one.end)
		}
	}
	for _, place := range s.at[atPort] {
		if one, is := pgpass(text, int(place)); is {
			found = append(found, one)
		}
	}
	return found
}

// cookies finds the values of all pairs behind the name of a header, Cookie or Set-Cookie: the name of a pair tells a
// secret, or its value looks like one.
func cookies(text string, at int) []span {
	for at < len(text) && strings.IndexByte("s\"'\\", text[at]) >= 0 {
		at++
	}
	if at >= len(text) || strings.IndexByte(":=>", text[at]) < 0 {
		return nil
	}
	for at < len(text) && strings.IndexByte(" \t:=>\"'\\[{", text[at]) >= 0 {
		at++
	}
	var found []span
	for at < len(text) {
		start := at
		for at < len(text) && at-start < 100 && (nameByte(text[at]) || strings.IndexByte("%:$", text[at]) >= 0) {
			at++
		}
		name := text[start:at]
		if name == "" || at >= len(text) || text[at] != '=' {
			return found
		}
		start = at + 1
		for at = start; at < len(text) && text[at] > ' ' && strings.IndexByte(";,\"'\\<>`]}", text[at]) < 0; at++ {
		}
		if value := text[start:at]; isCookie(name, value) {
			found = append(found, span{start: start, end: at, rule: cookieRule, whole: byItself(value)})
		}
		if at >= len(text) || text[at] != ';' {
			return found
		}
		for at++; at < len(text) && text[at] == ' '; at++ {
		}
	}
	return found
}

// isCookie tells a value that lets somebody in from one that says how a page looks.
func isCookie(name, value string) bool {
	if len(value) < leastValue || standsIn(value) || strings.HasPrefix(value, markerStart) {
		return false
	}
	name = strings.ToLower(name)
	for _, part := range [...]string{
		"sess", "sid", "token", "auth", "csrf", "xsrf", "login", "secret", "jwt", "remember",
	} {
		if strings.Contains(name, part) && len(value) >= 6 && letterAndDigit(value) {
			return true
		}
	}
	return len(value) >= leastToken && letterAndDigit(value) && bits(value) >= 3
}

// webhook finds the address of a webhook of Microsoft's: whoever has it may post.
func webhook(text string, at int) []span {
	from := max(0, at-len("office.com/"))
	begin := strings.Index(text[from:min(len(text), at+mostContext)], "office.com/webhook")
	if begin < 0 || strings.ContainsAny(text[from:from+begin], " \n") {
		return nil
	}
	start := from + begin + len("office.com/")
	start += strings.IndexByte(text[start:]+"/", '/') + 1
	end := start
	for end < len(text) && (tokenByte(text[end]) || strings.IndexByte("@.~%", text[end]) >= 0) {
		end++
	}
	if end-start < leastAuthorization {
		return nil
	}
	return []span{{start: start, end: end, rule: webhookRule, whole: true}}
}

// masterKey finds the 32 digits that a file of Rails holds, on a line of its own below the name of the file.
func masterKey(text string, at int) []span {
	const digits = 32
	next := endOfLine(text, at) + 1
	for range 3 {
		if next >= len(text) {
			return nil
		}
		end := endOfLine(text, next)
		line := text[gutter(text[:end], next):end]
		start := end - len(strings.TrimLeft(line, " \t+-"))
		key := strings.TrimRight(text[start:end], "\r \t\"'\\`,")
		if len(key) == digits && strings.Trim(key, "0123456789abcdef") == "" {
			return []span{{start: start, end: start + digits, rule: masterRule, whole: true}}
		}
		next = end + 1
	}
	return nil
}

// netUse finds the password that net use is given: the one word that is neither a drive, a share nor an option.
func netUse(text string, at int) []span {
	end := endOfLine(text, at)
	user := strings.Contains(strings.ToLower(text[at:end]), "/user:")
	for at < end && user {
		start, stop := shellWord(text[:end], at)
		value := text[start:stop]
		quoted := start > at
		switch {
		case value == "":
		case !quoted && (value[0] == '/' || value[0] == '\\' || strings.HasSuffix(value, ":") || value == "*"):
		case len(value) >= leastValue && !standsIn(value):
			return []span{{start: start, end: stop, rule: commandRule, whole: byItself(value)}}
		}
		at = max(stop, at) + 1
	}
	return nil
}

// pgpass reads HOST:PORT:DATABASE:USER:PASSWORD, a line of .pgpass, by the colon before its port.
func pgpass(text string, colon int) (one span, is bool) {
	start := colon
	for start > 0 && (nameByte(text[start-1]) || text[start-1] == '*') {
		start--
	}
	end := colon + 1
	for end < len(text) && end-colon < mostValue && text[end] > ' ' && strings.IndexByte("\"'`,", text[end]) < 0 {
		end++
	}
	parts := strings.SplitN(text[start:end], ":", 5)
	if len(parts) < 5 {
		return one, false
	}
	host, port, value := parts[0], parts[1], strings.TrimRight(parts[4], "\\")
	if !databaseName(host) || !databaseName(parts[2]) || !databaseName(parts[3]) ||
		port != "*" && (len(port) < 3 || len(port) > 5 || strings.Trim(port, "0123456789") != "") {
		return one, false
	}
	if len(value) < 6 || !letterAndDigit(value) || standsIn(value) || strings.HasPrefix(value, markerStart) {
		return one, false
	}
	at := end - len(parts[4])
	return span{start: at, end: at + len(value), rule: pgpassRule, whole: byItself(value)}, true
}

// databaseName tells a name of a host, a database or a user, or the * for any.
func databaseName(text string) bool {
	if text == "*" {
		return true
	}
	for i := range len(text) {
		if !nameByte(text[i]) {
			return false
		}
	}
	return text != ""
}

// endOfLine is where the line ends that a place stands on.
func endOfLine(text string, at int) int {
	if i := strings.IndexByte(text[min(at, len(text)):], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}
