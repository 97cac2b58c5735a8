package redact

import (
	"encoding/base64"
	"strings"
)

// commandRule is the rule for passwords in the arguments of commands.
const commandRule = "command-password"

// argument describes how a command takes a password as an argument.
type argument struct {
	command string // the command's text; no letter, digit or sign of a name precedes it
	option  string
	takes
}

// The type takes says how an option or a command takes a password.
type takes int

const (
	apart    takes = 0 // the password is the next word
	attached takes = 1 // directly after the option; for sshpass also after a space
	login    takes = 2 // the password follows a name and a colon, a percent sign or a comma
	last     takes = 4 // the last word of the command
	single   takes = 8 // the password is the next word, and no other letter precedes the option's letter
	cookie   takes = 16
	slashed  takes = 32 // the password follows a name and a slash in a word, and precedes @
	word1    takes = 64 // the first word that is not an option; word2 is the second, and so on
	word2    takes = 65
	word3    takes = 66
	word4    takes = 67
)

// arguments lists commands whose options do not name a password.
var arguments = [...]argument{
	{"mysql", " -p", attached}, {"mysqldump", " -p", attached}, {"mysqladmin", " -p", attached},
	{"mysqlimport", " -p", attached}, {"mariadb", " -p", attached},
	{"mariadb-dump", " -p", attached}, {"7z", " -p", attached}, {"7za", " -p", attached},
	{"unrar", " -p", attached},
	{"sshpass", " -p", attached}, {"zip", " -P ", apart}, {"unzip", " -P ", apart},
	{"sqlcmd", " -P ", apart}, {"bcp", " -P ", apart}, {"sqlcmd", " -P", attached}, {"bcp", " -P", attached},
	{"mysqladmin", " password", word1},
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
	{"lftp", " -u ", login}, {"htpasswd", " -b ", last}, {"xh", " -a ", login}, {"https", " -a ", login},
	{"buildah", " login", apart}, {"skopeo", " login", apart}, {"nerdctl", " login", apart},
	{"rar", " -p", attached}, {"rar", " -hp", attached},
	{"ssh-keygen", " -N ", apart}, {"ssh-keygen", " -P ", apart}, {"twine", " -p ", apart}, {"gem", " --key ", apart},
	{"doctl", " -t ", apart}, {"mosquitto_pub", " -P ", apart}, {"mosquitto_sub", " -P ", apart},
	{"cqlsh", " -p ", apart}, {"cypher-shell", " -p ", apart}, {"psexec", " -p ", apart}, {"PsExec", " -p ", apart},
	{"evil-winrm", " -p ", apart}, {"rdesktop", " -p ", apart}, {"security", " -w ", apart}, {"security", " -p ", apart},
	{"ldapdelete", " -w ", apart}, {"ldappasswd", " -w ", apart}, {"ldappasswd", " -s ", apart},
	{"swaks", " -ap ", apart}, {"gh secret set", " -b ", apart}, {"gh secret set", " --body ", apart},
	{"rpcclient", " -U ", login}, {"net", " -U ", login}, {"etcdctl", " --user ", login}, {"etcdctl", " --user=", login},
	{"schtasks", " /rp ", apart}, {"signtool", " /p ", apart}, {"cmdkey", " /pass:", attached},
	{"winrs", " -p:", attached},
	{"winrm", " -p:", attached}, {"wmic", " /password:", attached}, {"psexec", " /p:", attached},
	{"npm config set", ":_authToken ", apart}, {"npm config set", ":_password ", apart},
	{"nsupdate", " -y ", apart}, {"wpa_passphrase", "", word2},
	{"vault login", "", word1}, {"cargo login", "", word1},
	{"rabbitmqctl", " add_user", word2}, {"rabbitmqctl", " change_password", word2}, {"isql", "", word3},
	{"composer config", " http-basic.", word2}, {"composer config", " github-oauth.", word1},
	{"rclone config", " pass ", apart}, {"rclone config", " password ", apart}, {"rclone obscure", "", word1},
	{"useradd", " -p ", apart}, {"usermod", " -p ", apart}, {"ncftp", " -p ", apart}, {"ncftpget", " -p ", apart},
	{"ncftpput", " -p ", apart},
	{"poetry publish", " -p ", apart}, {"ConvertTo-SecureString", "", word1},
	{"poetry config", " http-basic.", word2}, {"poetry config", " pypi-token.", word1}, {"quote PASS", "", word1},
	{"mc alias set", "", word4},
	{"ansible-vault encrypt_string", "", word1}, {"qpdf", " --encrypt ", apart}, {"pdftk", " input_pw ", apart},
	{"pdftk", " user_pw ", apart}, {"pdftk", " owner_pw ", apart}, {"openssl passwd", "", word1},
	{"openssl", " -hmac ", apart},
	{"vault operator unseal", "", word1}, {"bw login", "", word2}, {"bw unlock", "", word1},
	{"SecureString", " --value ", apart},
	{"snmpwalk", " -c ", apart}, {"snmpget", " -c ", apart}, {"p4", " -P ", apart},
	{"wrangler", " --value ", apart},
	{"sqlplus", "", slashed}, {"impdp", "", slashed}, {"expdp", "", slashed}, {"sqlldr", "", slashed},
}

// commands finds passwords in the arguments of commands, in text piped to them, in SQL and in HTTP logins.
func (s *marks) commands() []span {
	var found []span
	text, from := s.text, 0
	for _, place := range s.at[atArgument] {
		if int(place) < from {
			continue
		}
		at := 1 + strings.LastIndexByte(text[:place], '\n')
		end := endOfLine(text, int(place))
		if line := text[at:end]; len(line) <= mostValue && strings.ContainsAny(line, " :") {
			typed, places := asTyped(line)
			for _, s := range append(ofArguments(typed), given(typed)...) {
				value := typed[s.start:s.end]
				start := at + s.start
				if places != nil {
					start = at + places[s.start]
				}
				found = append(found, span{start: start, end: start + len(value), rule: commandRule, whole: byItself(value)})
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

// asTyped rewrites a list of words ("mysql", "-uroot") as a shell command. The result `places` gives the position in
// `line` of each byte of `typed`. If the line has no such list, it returns the line itself and nil.
func asTyped(line string) (typed string, places []int) {
	if !strings.Contains(line, `, "-`) && !strings.Contains(line, ", '-") {
		return line, nil
	}
	var out strings.Builder
	for i := 0; i < len(line); i++ {
		if isQuote(line[i]) {
			if next := skipAny(line, i+1, ", "); next > i+1 && next < len(line) && line[next] == line[i] {
				i = next
				out.WriteByte(' ')
				places = append(places, i)
				continue
			}
		}
		out.WriteByte(line[i])
		places = append(places, i)
	}
	return out.String(), places
}

// ofArguments finds passwords among the arguments of a command line.
func ofArguments(line string) []span {
	var found []span
	for from := 0; ; { // -passin pass:… of OpenSSL
		i := strings.Index(line[from:], "pass:")
		if i < 0 {
			break
		}
		option := strings.TrimRight(line[from:from+i], " =\"'\\,")
		option = option[1+strings.LastIndexAny(option, " \"'"):]
		joined, literal := i > 0 && wordByte(line[from+i-1]), i > 0 && isQuote(line[from+i-1]) // "pass:…"
		if from += i + len("pass:"); joined || !literal && (!strings.HasPrefix(option, "-") ||
			!strings.Contains(option, "pass")) {
			continue
		}
		start, end := shellWord(line, from)
		if value := line[start:end]; len(value) >= leastValue && !standsIn(value) {
			found = append(found, span{start: start, end: end})
		}
	}
	if i := strings.Index(line, " -p "); i >= 0 && strings.Contains(line, " -u ") { // tool -u NAME -p …
		start, end := shellWord(line, i+len(" -p "))
		if value := line[start:end]; mixedKinds(value) && !standsIn(value) && !strings.ContainsAny(value, "/:.=") {
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
		if a.takes >= slashed {
			if start, end := a.operand(line, i); end-start >= leastValue && mixedKinds(line[start:end]) &&
				!standsIn(line[start:end]) {
				found = append(found, span{start: start, end: end})
			}
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
			if start == end && end < len(line) && isQuote(line[end]) { // bob:'…'
				start, end = shellWord(line, end)
			}
		}
		if value := line[start:end]; end-start >= leastValue && value[0] != '-' && !standsIn(value) &&
			(a.takes != last || !lowerWord(value)) {
			found = append(found, span{start: start, end: end})
		}
	}
	return found
}

// operand finds the word that a command takes as a password because of its position after the options.
func (a *argument) operand(line string, at int) (start, end int) {
	left := 1 + a.takes - word1
	for at < len(line) && line[at] > ' ' { // the rest of the option's own word
		at++
	}
	for strings.HasPrefix(line[at:], " ") {
		if start, end = shellWord(line, skipAny(line, at, " ")); start == end {
			return 0, 0
		}
		at = end
		if at < len(line) && isQuote(line[at]) {
			at++
		}
		if value := line[start:end]; a.takes == slashed {
			if i := strings.IndexByte(value, '/'); i > 0 && !strings.Contains(value, ":/") {
				value, _, _ = strings.Cut(value[i+1:], "@")
				return start + i + 1, start + i + 1 + len(value)
			}
		} else if value[0] != '-' && value[0] != '/' {
			if left--; left == 0 {
				return start, end
			}
		}
	}
	return 0, 0
}

// behindOption returns the position after the option of a command in a line; -1 if the option is missing. Other letters
// may precede the letter of the option: curl -su, zip -rP.
func (a *argument) behindOption(line string, begin int) int {
	if i := strings.Index(line[begin:], a.option); i >= 0 {
		return begin + i + len(a.option)
	}
	const oneLetter = len(" -u ")
	if len(a.option) != oneLetter || a.takes == single {
		return -1
	}
	for at := begin; ; {
		i := strings.Index(line[at:], " -")
		if i < 0 {
			return -1
		}
		start := at + i + len(" -")
		for at = start; at < len(line) && nameLetter(line[at]); at++ {
		}
		letters := line[start:at]
		if strings.HasSuffix(letters, a.option[2:3]) || a.takes == last && strings.Contains(letters, a.option[2:3]) {
			if at < len(line) && line[at] == ' ' {
				return at + 1
			}
		}
	}
}

// commandsIn returns, for each entry of `arguments`, the position after its command in a line; 0 if the command is
// missing.
func commandsIn(line string) (begins [len(arguments)]int, any bool) {
	margin := line[:1+strings.IndexByte(line, '-')] // the margin of a diff, or of grep: 12-
	if strings.Trim(margin, "0123456789 -") != "" {
		margin = ""
	}
	for i := range len(line) {
		if firstOfCommand[line[i]] && (i == 0 || !nameByte(line[i-1]) || line[i-1] == '-' && i == len(margin)) {
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

// firstOfCommand has the first letter of each command in `arguments`.
var firstOfCommand = func() (letters [256]bool) {
	for k := range arguments {
		letters[arguments[k].command[0]] = true
	}
	return letters
}()

// shellWord returns the position of the shell word that begins at a place, without its quotes.
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

// `identified` finds passwords in SQL: IDENTIFIED BY '…', PASSWORD FOR bob = '…'.
func identified(text string) []span {
	var found []span
	for from := 0; ; {
		i, sign := len(text), ""
		for word, behind := range map[string]string{"IDENTIFIED": "BY ", "PASSWORD FOR": "= "} {
			for _, form := range [...]string{word, strings.ToLower(word)} {
				if at := strings.Index(text[from:], form); at >= 0 && from+at < i {
					i, sign = from+at, behind
				}
			}
		}
		if sign == "" {
			return found
		}
		from = i + len("IDENTIFIED")
		rest := text[from:min(len(text), from+mostContext)]
		by := strings.Index(strings.ToUpper(rest), sign)
		if by < 0 {
			continue
		}
		at := from + by + len(sign)
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

// basicLogins finds names and passwords of HTTP basic authentication, of any length.
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

// readableOnly returns a text up to its first byte that is not a readable ASCII character.
func readableOnly(text string) string {
	for i := range len(text) {
		if !textByte(text[i]) {
			return text[:i]
		}
	}
	return text
}
