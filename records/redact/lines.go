package redact

import "strings"

// The rules for secrets that are known by their line or by the line above.
const (
	cookieRule  = "cookie"
	webhookRule = "webhook"
	masterRule  = "rails-master-key"
	pgpassRule  = "pgpass"
)

// ofLines finds cookies, database passwords in connection strings, webhook addresses, Rails keys, passwords of net use
// and net user and in server configurations, and lines of .pgpass.
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
			if list = cookieCall(text, i+len("cookie")); list == nil {
				list = cookies(text, i+len("cookie"))
			}
		case strings.HasPrefix(text[i:], "\tTRUE\t"), strings.HasPrefix(text[i:], "\tFALSE\t"):
			list = jar(text, i)
		case strings.HasPrefix(text[i:], "@tcp("), strings.HasPrefix(text[i:], "@unix("):
			list = driver(text, i)
		case word(text, i, "webhook"):
			list = webhook(text, i)
		case word(text, i, "jdbc:oracle:"):
			list = oracle(text, i+len("jdbc:oracle:"))
		case word(text, i, "master.key"):
			list = masterKey(text, i)
		case word(text, i, "net user "):
			list = netUser(text, i+len("net user"))
		case word(text, i, "net use "):
			list = netUse(text, i+len("net use "))
		default:
			list = directive(text, i)
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

// cookies finds secrets among the pairs after a Cookie or Set-Cookie header, a variable or an option. The pair's name
// says that it is a secret, or its value looks like one.
func cookies(text string, at int) []span {
	option := strings.HasSuffix(text[:at], "--cookie")
	name := at
	if strings.HasSuffix(text[:at-len("cookie")], "<") && strings.HasPrefix(text[at:], " ") { // <Cookie sid=… for HOST/>
		return pairs(text, at+1)
	}
	at = skipAny(text, at, "s\"'\\")
	// {"name": "Cookie", "value": "…"}
	if next := skipAny(text, at, ", \"'\\"); next > at && strings.HasPrefix(text[next:], "value") {
		at = next + len("value")
		at = skipAny(text, at, "\"'\\")
	} else if at == name && strings.HasPrefix(text[at:], " \"") { // a setting of a server
		return pairs(text, at+len(" \""))
	}
	if next := skipAny(text, at, " "); next < len(text) && (text[next] == '=' || text[next] == ':') {
		at = next
	} else if strings.HasPrefix(text[at:], ".update(") || strings.HasPrefix(text[at:], ".parse(") {
		at += strings.IndexByte(text[at:], '(')
	} else if strings.HasPrefix(text[at:], "['") || strings.HasPrefix(text[at:], "[\"") {
		return indexed(text, at+len("['"))
	}
	if at >= len(text) || strings.IndexByte(":=>({", text[at]) < 0 && (at == name || text[at] != ',') &&
		(!option || text[at] != ' ') {
		return nil
	}
	at = skipAny(text, at, " \t\n:=>,(\"'`\\[{")
	if strings.HasPrefix(text[at:], "dict(") {
		at += len("dict(")
	}
	return pairs(text, at)
}

// `indexed` finds a cookie that is accessed by its name: cookies['sessionid'] = '…'.
func indexed(text string, at int) []span {
	end := at
	for end < len(text) && nameByte(text[end]) {
		end++
	}
	start := skipAny(text, end, "\"'\\] =")
	var c candidate
	c.text = text
	if start, stop, ok := c.inQuotes(start - 1); ok && isCookie(text[at:end], text[start:stop]) {
		return []span{{start: start, end: stop, rule: cookieRule, whole: byItself(text[start:stop])}}
	}
	return nil
}

// pairs finds the values of cookies in a list of pairs: NAME=VALUE; or 'NAME': 'VALUE'.
func pairs(text string, at int) []span {
	var found []span
	called := ""
	for at < len(text) {
		start := at
		for at < len(text) && at-start < 100 && (nameByte(text[at]) || strings.IndexByte("%$", text[at]) >= 0) {
			at++
		}
		name := text[start:at]
		next := skipAny(text, at, "\"'\\")
		member := next < len(text) && text[next] == ':' // {'sessionid': '…'}, {sessionid: '…'}
		if member && next == at {
			value := skipAny(text, next+1, " \t")
			member = value > next+1 && value < len(text) && isQuote(text[value])
		}
		if name == "" || next >= len(text) || text[next] != '=' && !member {
			return found
		}
		start = next + 1
		keyword := false
		if member {
			start = skipAny(text, start, " \t\"'\\")
		} else if start < len(text) && isQuote(text[start]) { // dict(sessionid='…')
			start++
			keyword = true
		}
		for at = start; at < len(text) && text[at] > ' ' && strings.IndexByte(";,\"'\\<>`]}", text[at]) < 0; at++ {
		}
		value := text[start:at]
		if member && strings.EqualFold(name, "value") && called != "" { // {"name": "sessionid", "value": "…"}
			name = called
		}
		if called = ""; member && strings.EqualFold(name, "name") {
			called = value
		}
		joined := strings.ReplaceAll(value, ".", "")
		if isCookie(name, value) && (!member || chance(joined) || bareToken(joined, 0) && bits(joined) >= 3) {
			found = append(found, span{start: start, end: at, rule: cookieRule, whole: byItself(value)})
		}
		if member {
			if at = skipAny(text, at, "\"'\\"); strings.HasPrefix(text[at:], "}") { // the next object of a list
				at = skipAny(text, at, "} \n")
			}
		}
		if keyword && at < len(text) && isQuote(text[at]) {
			at++
		}
		if at >= len(text) || text[at] != ';' && (text[at] != ',' || !member && !keyword) {
			return found
		}
		at = skipAny(text, at, ";, \t\n\"'\\{")
	}
	return found
}

// skipAny returns the first position, from `at` on, whose byte is not in the set.
func skipAny(text string, at int, these string) int {
	for at < len(text) && strings.IndexByte(these, text[at]) >= 0 {
		at++
	}
	return at
}

// jar reads a line of a cookie file, as curl and browsers write it, from its first TRUE or FALSE. The fields are
// DOMAIN, TRUE or FALSE for subdomains, PATH, TRUE or FALSE for secure, EXPIRES, NAME, VALUE.
func jar(text string, at int) []span {
	end := endOfLine(text, at)
	fields := strings.Split(strings.TrimRight(text[at:end], "\r"), "\t")
	const name, value = 5, 6 // of seven fields; text[at:] begins after the domain
	if len(fields) != value+1 || !isCookie(fields[name], fields[value]) {
		return nil
	}
	secret := fields[value]
	start := at + strings.LastIndexByte(text[at:end], '\t') + 1
	return []span{{start: start, end: start + len(secret), rule: cookieRule, whole: byItself(secret)}}
}

// isCookie reports whether a cookie gives access to an account and is not a page setting.
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

// oracle finds the password in a JDBC address: jdbc:oracle:thin:scott/tiger@//db.
func oracle(text string, at int) []span {
	line := text[at:min(len(text), at+mostContext)]
	line = line[:strings.IndexAny(line+" ", " \t\r\n\"'<>`")]
	login := line[:max(0, strings.IndexByte(line, '@'))]
	start, end := strings.IndexByte(login, '/')+1, len(login)
	if start == 0 || end-start < leastValue || standsIn(login[start:]) {
		return nil
	}
	return []span{{start: at + start, end: at + end, rule: "url-password", whole: byItself(login[start:])}}
}

// driver finds the password before the network in a connection string for a Go database driver:
// app:tiger@tcp(db:3306)/shop.
func driver(text string, at int) []span {
	login := text[max(0, at-mostContext):at]
	login = login[1+strings.LastIndexAny(login, " \t\r\n\"'<>`="):]
	colon := strings.IndexByte(login, ':')
	if colon <= 0 || strings.Contains(login, "://") || len(login)-colon-1 < leastValue || standsIn(login[colon+1:]) {
		return nil
	}
	return []span{{start: at - len(login) + colon + 1, end: at, rule: "url-password", whole: byItself(login[colon+1:])}}
}

// webhook finds the address of a Microsoft or Discord webhook: anybody who knows the address can post.
func webhook(text string, at int) []span {
	start := at + len("webhooks/")
	for start < len(text) && digit(text[start]) {
		start++
	}
	const leastID = 15
	discord := strings.HasSuffix(text[:at], "/api/") && strings.HasPrefix(text[at:], "webhooks/") &&
		start-at > leastID+len("webhooks/")
	if !discord {
		from := max(0, at-len("office.com/"))
		begin := strings.Index(text[from:min(len(text), at+mostContext)], "office.com/webhook")
		if begin < 0 || strings.ContainsAny(text[from:from+begin], " \n") {
			return nil
		}
		start = from + begin + len("office.com/")
		start += strings.IndexByte(text[start:]+"/", '/') + 1
	}
	end := start
	for end < len(text) && (tokenByte(text[end]) || strings.IndexByte("@.~%", text[end]) >= 0) {
		end++
	}
	if end-start < leastAuthorization {
		return nil
	}
	return []span{{start: start, end: end, rule: webhookRule, whole: true}}
}

// masterKey finds the 32 hexadecimal digits of a Rails key file, on a separate line below the name of the file.
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
		stop := start
		for stop < end && smallHex(text[stop]) {
			stop++
		}
		if stop-start == digits && (stop == end || !wordByte(text[stop])) {
			return []span{{start: start, end: start + digits, rule: masterRule, whole: true}}
		}
		next = end + 1
	}
	return nil
}

// directive finds the password in a line of a server configuration that has only a name and a password.
func directive(text string, at int) []span {
	for _, name := range [...]string{"requirepass ", "masterauth ", "bindpw ", "bind_pw ", "rootpw ", "auth default ",
		"auth "} {
		if !strings.EqualFold(text[at:min(len(text), at+len(name))], name) {
			continue
		}
		if strings.HasPrefix(name, "auth") && (text[at:at+4] != "AUTH" || at > 0 && nameByte(text[at-1])) {
			continue // as in Redis
		}
		end := endOfLine(text, at)
		start, stop := shellWord(text[:end], skipAny(text, at+len(name), " "))
		if value := text[start:stop]; mixedKinds(value) && !standsIn(value) &&
			strings.Trim(text[stop:end], " \"'\r\\,}`") == "" {
			return []span{{start: start, end: stop, rule: namedRule, whole: byItself(value)}}
		}
	}
	return nil
}

// netUse finds the password of net use: the only word that is not a drive, a share or an option.
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

// netUser finds the password that follows a user name in net user.
func netUser(text string, at int) []span {
	user := argument{takes: word2}
	start, end := user.operand(text[:endOfLine(text, at)], at)
	if value := text[start:end]; !mixedKinds(value) || standsIn(value) {
		return nil
	}
	return []span{{start: start, end: end, rule: commandRule, whole: byItself(text[start:end])}}
}

// mostAddress limits the length of an IPv6 address with its brackets, in bytes.
const mostAddress = 48

// pgpass finds the password in a line of .pgpass, HOST:PORT:DATABASE:USER:PASSWORD. The parameter `colon` is the
// position of the colon before the port.
func pgpass(text string, colon int) (one span, is bool) {
	start := colon
	for start > 0 && (nameByte(text[start-1]) || text[start-1] == '*') {
		start--
	}
	end := colon + 1
	for end < len(text) && end-colon < mostValue && text[end] > ' ' && strings.IndexByte("\"'`,", text[end]) < 0 {
		end++
	}
	host := strings.TrimPrefix(text[start:colon], "-") // in a diff
	if strings.HasSuffix(text[:start], "}}") {         // {{ host }}
		host = "*"
	}
	if inner, is := strings.CutSuffix(text[max(0, colon-mostAddress):colon], "]"); is { // [::1]
		host = strings.ReplaceAll(inner[1+strings.LastIndexByte(inner, '['):], ":", "")
	}
	parts := strings.SplitN(text[colon+1:end], ":", 4)
	if len(parts) < 4 {
		return one, false
	}
	port, value := parts[0], strings.TrimRight(parts[3], "\\")
	if !databaseName(host) || !databaseName(parts[1]) ||
		!databaseName(strings.Replace(parts[2], "@", "", 1)) ||
		port != "*" && (len(port) < 3 || len(port) > 5 || strings.Trim(port, "0123456789") != "") {
		return one, false
	}
	if len(value) < 6 || !letterAndDigit(value) || standsIn(value) || strings.HasPrefix(value, markerStart) {
		return one, false
	}
	at := end - len(parts[3])
	return span{start: at, end: at + len(value), rule: pgpassRule, whole: byItself(value)}, true
}

// databaseName reports whether a text may be the name of a host, a database or a user, or is the wildcard *.
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

// endOfLine returns the end of the line that contains a place.
func endOfLine(text string, at int) int {
	if i := strings.IndexByte(text[min(at, len(text)):], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}
