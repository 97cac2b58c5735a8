package redact

import (
	"encoding/base64"
	"strings"
)

// commandRule is the rule of passwords that are arguments of commands.
const commandRule = "command-password"

// argument is how a command takes a password.
type argument struct {
	command string // what the line has before it, with a space or a slash before that
	option  string
	takes
}

// takes are the ways in which an option takes a password.
type takes int

const (
	apart    takes = 0 // as the next word
	attached takes = 1 // it follows at once, or with a space as well
	login    takes = 2 // it stands behind a name and a colon, a percent sign or a comma
	last     takes = 4 // it is the last word of the command
	single   takes = 8 // as the next word, and no other letters stand before the option's
	cookie   takes = 16
)

// arguments are the commands whose options are too short to say that they take a password.
var arguments = [...]argument{
	{"mysql", " -p", attached}, {"mysqldump", " -p", attached}, {"mysqladmin", " -p", attached},
	{"mysqlimport", " -p", attached}, {"mariadb", " -p", attached},
	{"mariadb-dump", " -p", attached}, {"7z", " -p", attached}, {"7za", " -p", attached},
	{"unrar", " -p", attached},
	{"sshpass", " -p", attached}, {"zip", " -P ", apart}, {"unzip", " -P ", apart},
	{"sqlcmd", " -P ", apart}, {"bcp", " -P ", apart},
	{"redis-cli", " -a ", apart}, {"ldapsearch", " -w ", apart}, {"ldapmodify", " -w ", apart},
	{"ldapadd", " -w ", apart}, {"ldapwhoami", " -w ", apart},
	{"docker", " login", apart}, {"podman", " login", apart}, {"helm", " login", apart},
	{"az", " login", apart}, {"oc", " login", apart},
	{"mongo", " -p ", apart}, {"mongosh", " -p ", apart}, {"mongodump", " -p ", apart},
	{"mongorestore", " -p ", apart},
	{"curl", " -u ", login}, {"curl", " -u", attached | login}, {"curl", " --user ", login},
	{"curl", " --user=", login}, {"curl", " --proxy-user ", login}, {"curl", " -b ", cookie}, {"http", " -a ", login},
	{"smbclient", " -U ", login}, {"xfreerdp", " /p:", attached}, {"ipmitool", " -P ", apart},
	{"snmpwalk", " -A ", apart}, {"snmpget", " -A ", apart}, {"openssl", " -k ", single}, {"openssl", " -K ", single},
	{"lftp", " -u ", login}, {"htpasswd", " -b ", last}, {"htpasswd", " -bB ", last}, {"htpasswd", " -nbB ", last},
}

// commands finds the passwords that commands are given, that a pipe gives them, and that SQL and HTTP take.
func (s *marks) commands() []span {
	var found []span
	text, from := s.text, 0
	for _, place := range s.at[atArgument] {
		if int(place) < from {
			continue
		}
		at := 1 + strings.LastIndexByte(text[:place], '\n')
		end := endOfLine(text, int(place))
		if line := text[at:end]; len(line) <= mostValue && strings.IndexByte(line, ' ') >= 0 {
			for _, s := range append(ofArguments(line), piped(line)...) {
				found = append(found, span{start: at + s.start, end: at + s.end, rule: commandRule,
					whole: byItself(line[s.start:s.end])})
			}
		}
		from = end
	}
	if len(s.at[atSQL]) > 0 {
		found = append(found, identified(text)...)
	}
	if len(s.at[atBasic]) > 0 {
		found = append(found, basicLogins(text)...)
	}
	return found
}

// ofArguments finds the passwords among the arguments of a line.
func ofArguments(line string) []span {
	var found []span
	if !strings.Contains(line, " -") && !strings.Contains(line, " /p:") {
		return nil
	}
	for from := strings.Index(line, " -pass"); from >= 0; { // -passin pass:…, as OpenSSL has it
		i := strings.Index(line[from:], "pass:")
		if i < 0 {
			break
		}
		from += i + len("pass:")
		if before := line[from-len(" pass:")]; before != ' ' && before != '=' && !isQuote(before) {
			continue
		}
		start, end := shellWord(line, from)
		if value := line[start:end]; len(value) >= leastValue && !standsIn(value) {
			found = append(found, span{start: start, end: end})
		}
	}
	begins, any := commandsIn(line)
	if !any {
		return found
	}
	for k, a := range &arguments {
		begin := begins[k]
		if begin == 0 {
			continue
		}
		i := a.behindOption(line, begin)
		if i < 0 {
			continue
		}
		if a.option == " login" {
			if i = strings.Index(line[begin:], " -p "); i < 0 {
				continue
			}
			i += begin + len(" -p ")
		}
		if a.takes == cookie {
			found = append(found, pairs(line, skipAny(line, i, "'\"\\"))...)
			continue
		}
		if a.takes&attached > 0 && i < len(line) && line[i] == ' ' {
			if a.command != "sshpass" {
				continue
			}
			i++
		}
		start, end := shellWord(line, i)
		for a.takes == last && end < len(line) && strings.HasPrefix(line[end:], " ") {
			next, stop := shellWord(line, end+1)
			if next == stop {
				break
			}
			start, end = next, stop
		}
		if a.takes&login > 0 {
			sign := strings.IndexAny(line[start:end], ":%")
			if sign < 0 {
				sign = strings.IndexByte(line[start:end], ',')
			}
			if sign < 0 {
				continue
			}
			start += sign + 1
		}
		if value := line[start:end]; end-start >= leastValue && value[0] != '-' && !standsIn(value) &&
			(a.takes != last || !lowerWord(value)) {
			found = append(found, span{start: start, end: end})
		}
	}
	return found
}

// behindOption is where a line goes on behind the option of a command; -1 where it has none. A letter may stand behind
// others: curl -su, zip -rP.
func (a *argument) behindOption(line string, begin int) int {
	if i := strings.Index(line[begin:], a.option); i >= 0 {
		return begin + i + len(a.option)
	}
	const oneLetter = len(" -u ")
	if len(a.option) != oneLetter || a.takes == single {
		return -1
	}
	for at := begin; ; {
		i := strings.Index(line[at:], a.option[2:])
		if i < 0 {
			return -1
		}
		at += i + len("u ")
		start := at - len("u ")
		for start > begin && nameLetter(line[start-1]) {
			start--
		}
		if strings.HasSuffix(line[:start], " -") {
			return at
		}
	}
}

// commandsIn gives where a line goes on behind the command of each of the arguments; 0 where it has none.
func commandsIn(line string) (begins [len(arguments)]int, any bool) {
	for i := range len(line) {
		if firstOfCommand[line[i]] && (i == 0 || !nameByte(line[i-1])) {
			for k := range arguments {
				command := arguments[k].command
				if line[i] != command[0] || begins[k] > 0 || !strings.HasPrefix(line[i:], command) {
					continue
				}
				from := i + len(command)
				if from < len(line) && (line[from] == ' ' || strings.HasPrefix(line[from:], ".exe ")) {
					begins[k], any = from, true
				}
			}
		}
	}
	return begins, any
}

// firstOfCommand are the letters that a command of the arguments begins with.
var firstOfCommand = func() (letters [256]bool) {
	for k := range arguments {
		letters[arguments[k].command[0]] = true
	}
	return letters
}()

// shellWord gives the word of a shell that begins at a place, without its quotes.
func shellWord(line string, at int) (start, end int) {
	if at < len(line) && isQuote(line[at]) {
		if i := strings.IndexByte(line[at+1:], line[at]); i >= 0 {
			return at + 1, at + 1 + i
		}
		at++
	}
	end = at
	for end < len(line) && line[end] > ' ' && strings.IndexByte("\"'`;&|<>)", line[end]) < 0 {
		end++
	}
	return at, end
}

// piped finds what echo gives to a command that asks for a password.
func piped(line string) []span {
	pipe := strings.IndexByte(line, '|')
	if pipe < 0 {
		return nil
	}
	asks := false
	for _, command := range [...]string{"--password-stdin", "sudo -S", "chpasswd", "passwd --stdin", "--with-token",
		"--passphrase-fd"} {
		asks = asks || strings.Contains(line[pipe:], command)
	}
	at := max(strings.LastIndex(line[:pipe], "echo "), strings.LastIndex(line[:pipe], "printf "))
	if !asks || at < 0 {
		return nil
	}
	at += strings.IndexByte(line[at:], ' ') + 1
	if strings.HasPrefix(line[at:], "-n ") || strings.HasPrefix(line[at:], "-e ") {
		at += len("-n ")
	}
	if strings.HasPrefix(line[at:], "'%s' ") || strings.HasPrefix(line[at:], "\"%s\" ") {
		at += len("'%s' ")
	}
	start, end := shellWord(line[:pipe], at)
	if strings.Contains(line[pipe:], "chpasswd") {
		if colon := strings.IndexByte(line[start:end], ':'); colon >= 0 {
			start += colon + 1
		}
	}
	if end-start < leastValue || standsIn(line[start:end]) {
		return nil
	}
	return []span{{start: start, end: end}}
}

// identified finds the passwords of SQL: IDENTIFIED BY '…'.
func identified(text string) []span {
	var found []span
	for from := 0; ; {
		i := strings.Index(text[from:], "IDENTIFIED")
		if i < 0 {
			if i = strings.Index(text[from:], "identified"); i < 0 {
				return found
			}
		}
		from += i + len("identified")
		rest := text[from:min(len(text), from+mostContext)]
		by := strings.Index(strings.ToUpper(rest), "BY ")
		if by < 0 {
			continue
		}
		at := from + by + len("BY ")
		if at < len(text) && text[at] == 'P' {
			at += len("PASSWORD ")
		}
		if at < len(text) && isQuote(text[at]) && text[at] != '`' {
			if end := strings.IndexByte(text[at+1:min(len(text), at+mostContext)], text[at]); end >= leastValue &&
				!standsIn(text[at+1:at+1+end]) {
				found = append(found, span{start: at + 1, end: at + 1 + end, rule: commandRule,
					whole: byItself(text[at+1 : at+1+end])})
			}
		}
	}
}

// basicLogins finds the names and passwords of HTTP's basic authentication, however short they are.
func basicLogins(text string) []span {
	var found []span
	for from := 0; ; {
		i := strings.Index(text[from:], "asic ")
		if i < 0 {
			return found
		}
		from += i + len("asic ")
		end := from
		for end < len(text) && tokenByte(text[end]) {
			end++
		}
		plain, err := base64.StdEncoding.DecodeString(text[from:end])
		name, password, ok := strings.Cut(string(plain), ":")
		if err == nil && ok && len(readableOnly(name)) == len(name) && len(password) >= leastValue && !standsIn(password) &&
			len(readableOnly(password)) == len(password) {
			found = append(found, span{start: from, end: end, rule: "authorization", whole: true})
		}
	}
}

// readableOnly cuts a text before the first byte that is no letter of ASCII.
func readableOnly(text string) string {
	for i := range len(text) {
		if !textByte(text[i]) {
			return text[:i]
		}
	}
	return text
}
