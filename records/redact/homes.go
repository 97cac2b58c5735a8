package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// homes finds the user names in paths of home directories: below /home and /Users, on Windows, in WSL, as ~name, and in
// directory names in which clients replace slashes with hyphens.
func (s *marks) homes() []span {
	var found []span
	text := s.text
	add := func(start, end int) {
		if start < end && !sharedHome(text[start:end]) {
			found = append(found, span{start: start, end: end, rule: "home", with: somebody})
		}
	}
	for _, at := range s.at[atHome] {
		i := int(at)
		switch text[i] {
		case 'h', 'H':
			if word(text, i, "home") {
				add(inHome(text, i, i+len("home"), text[i] == 'h'))
			}
		case 'u', 'U':
			if word(text, i, "users") {
				add(inHome(text, i, i+len("users"), text[i] == 'U'))
			}
		case 'd', 'D':
			if word(text, i, "documents and settings") {
				add(inHome(text, i, i+len("documents and settings"), false))
			}
		case '~':
			add(tilde(text, i))
		}
	}
	return found
}

// inHome returns the user name after a parent directory of homes, which is at text[start:end]. The parameter `cased`
// says that the name of the directory is spelled as on Linux and macOS.
func inHome(text string, start, end int, cased bool) (from, to int) {
	if start == 0 || end >= len(text) {
		return 0, 0
	}
	if cased && text[end] == '-' {
		return hyphened(text, start, end)
	}
	if text[start-1] != '/' && text[start-1] != '\\' {
		return 0, 0
	}
	at := end
	for at < len(text) && (text[at] == '/' || text[at] == '\\') && at-end < 8 {
		at++
	}
	if at == end {
		return 0, 0
	}
	slash := start
	for slash > 0 && (text[slash-1] == '/' || text[slash-1] == '\\') && start-slash < 8 {
		slash--
	}
	windows := drive(text, slash)
	to = at
	for to < len(text) && !endsName(text, to, windows) {
		to++
	}
	for to > at && strings.IndexByte(".'", text[to-1]) >= 0 && (to == len(text) || text[to] != '/') {
		to--
	}
	if to == at {
		return 0, 0
	}
	if windows || cased && rooted(text, slash, text[start:end], text[at:to], to) {
		return at, to
	}
	return 0, 0
}

// endsName reports whether the name of a directory ends here. On Windows a name may contain spaces, if a backslash
// follows later.
func endsName(text string, at int, windows bool) bool {
	c := text[at]
	if c > ' ' || !windows || c != ' ' {
		return c <= ' ' || strings.IndexByte("/\\\"'`:;,*?<>|()[]{}$&=", c) >= 0 || windows && c == '%'
	}
	for i := at + 1; i < len(text) && i-at < 24; i++ {
		r := text[i]
		switch {
		case r == '\\' || r == '/':
			return i == at+1
		case nameLetter(r) || r == '.' || r >= 0x80:
		default:
			return true
		}
	}
	return true
}

// drive reports whether a Windows drive precedes the slash: C:\, /c/, /mnt/c/, c%3A/, \\host\c$\.
func drive(text string, slash int) bool {
	if slash == 0 {
		return false
	}
	i := slash - 1
	switch text[i] {
	case ':', '$':
		return i > 0 && nameLetter(text[i-1]) && (i < 2 || !nameLetter(text[i-2]) || i >= 3 && text[i-3] == '\\')
	}
	if !nameLetter(text[i]) || digit(text[i]) || i == 0 || text[i-1] != '/' && text[i-1] != '\\' {
		return false
	}
	i--
	if i == 0 || !nameLetter(text[i-1]) && text[i-1] != '.' && text[i-1] != '_' {
		return true
	}
	for _, parent := range [...]string{"mnt", "cygdrive", "host", "media", "drives", "run/desktop/mnt/host"} {
		if strings.HasSuffix(text[:i], parent) {
			return true
		}
	}
	return i > 1 && text[i-2] == '\\' // an escape before it
}

// `rooted` reports whether a parent directory of homes, whose first slash is given, is at the root of a path or in a
// directory in which systems keep homes. In the middle of a path, the directory belongs to a program.
func rooted(text string, slash int, dir, name string, end int) bool {
	if slash == 0 {
		return true
	}
	before, size := utf8.DecodeLastRuneInString(text[:slash])
	prior := byte(0)
	if slash >= 2 {
		prior = text[slash-2]
	}
	switch {
	case before == '.':
		return upward(text, slash, dir, name, end)
	case before == '~' || before == '_':
		return false
	case before == '-':
		return prior <= ' ' || strings.IndexByte("\"'=(|", prior) >= 0
	case !unicode.IsLetter(before) && !unicode.IsDigit(before):
		return true
	case size == 1 && prior == '\\': // an escape: \n, \t
		return true
	case size == 1 && prior == '-' && !digit(byte(before)): // -I/home/…
		return slash < 3 || text[slash-3] <= ' ' || isQuote(text[slash-3])
	case before == 'm' && digit(prior): // the end of a colour sequence
		return true
	}
	return below(text[:slash])
}

// `below` reports whether a path ends in a directory in which systems keep parent directories of homes.
func below(path string) bool {
	for _, parent := range [...]string{
		"/export", "/var", "/private", "/private/var", "/System/Volumes/Data", "/host_mnt", "/hostfs", "/host", "/rootfs",
		"/sysroot", "/chroot", "/run/host", "/nfs", "/net",
		"/mnt", "/media", "/srv", "/data", "/merged", "/diff", "/fs", "/root.x86_64", "/newroot", "wsl$/Ubuntu", "/afs",
		"/ceph", "/lustre", "/gpfs", "/scratch", "/snapshot", "/backup",
		"/backups", "/vol", "/volume1", "/storage", "/Ubuntu", "/Debian", "/var/lib/docker", "wsl+ubuntu", "wsl+Ubuntu",
		"wsl+debian", "/Macintosh HD", "/subvol", "/live", "/work",
	} {
		if strings.HasSuffix(path, parent) {
			return true
		}
	}
	line := path[max(0, len(path)-80):]
	if i := strings.LastIndexAny(line, " \n\t\"'="); i >= 0 {
		line = line[i+1:]
	}
	for _, root := range [...]string{"/Volumes/", "/mnt/", "/media/", "/nfs/", "/net/", "/afs/", "wsl$", "wsl.localhost",
		"wsl+", "/snapshots/", "ssh-remote+"} {
		if strings.Contains(line, root) && strings.Count(line, "/") <= 5 ||
			strings.Contains(line, strings.ReplaceAll(root, "/", "\\")) && strings.Contains(root, "wsl") {
			return true
		}
	}
	// ssh://host/home/x, but not a web page
	if i := strings.LastIndex(line, "//"); i > 0 && line[i-1] == ':' || strings.HasSuffix(line, ":") {
		scheme := line[:max(i-1, 0)]
		return !strings.HasSuffix(scheme, "http") && !strings.HasSuffix(scheme, "https") &&
			strings.Count(line[i+2:], "/") == 0
	}
	return false
}

// `upward` reports whether a path goes up and then to a home directory, like ../../Users/x. A program's directory with
// such a name is not a home.
func upward(text string, slash int, dir, name string, end int) bool {
	levels := 0
	i := slash
	for i >= 2 && text[i-1] == '.' && text[i-2] == '.' {
		levels++
		i -= 2
		if i == 0 || text[i-1] != '/' && text[i-1] != '\\' {
			break
		}
		for i > 0 && (text[i-1] == '/' || text[i-1] == '\\') {
			i--
		}
	}
	if levels == 0 || dir == "home" && levels < 2 || strings.ContainsAny(name, ".") && end < len(text) &&
		text[end] != '/' {
		return false
	}
	switch strings.ToLower(name) {
	case "components", "component", "hooks", "utils", "util", "pages", "page", "views", "view", "index", "api", "list",
		"models", "model", "services", "service", "controllers", "controller",
		"styles", "types", "tests", "assets", "routes", "store", "lib", "src", "header", "footer", "hero", "layout",
		"screens", "helpers", "constants", "context", "dto", "entities":
		return false
	}
	return !upper(name[0])
}

// `hyphened` returns the user name in a path with hyphens instead of slashes: -home-x-src, C--Users-x-src. In a
// directory of projects the first hyphen may be missing.
func hyphened(text string, start, end int) (from, to int) {
	i := start
	for i > 0 && text[i-1] == '-' && start-i < 2 {
		i--
	}
	switch {
	case i == start: // home-x
		if !strings.HasSuffix(text[:i], "projects/") && !strings.HasSuffix(text[:i], `projects\`) {
			return 0, 0
		}
	case i > 0 && nameByte(text[i-1]):
		letter := start-i == 2 && nameLetter(text[i-1]) && (i == 1 || !nameByte(text[i-2]))
		escaped := i > 1 && text[i-2] == '\\'
		parent := strings.HasSuffix(text[:i], "-Volumes-Data") || strings.HasSuffix(text[:i], "-mnt-c") ||
			strings.HasSuffix(text[:i], "-private") || strings.HasSuffix(text[:i], "-export") ||
			strings.HasSuffix(text[:i], "-var")
		if !letter && !escaped && !parent {
			return 0, 0
		}
	}
	to = end + 1
	for to < len(text) && (nameLetter(text[to]) || text[to] == '_') {
		to++
	}
	return end + 1, to
}

// tilde returns the user name in ~name: before a slash, and in other places where only a home directory is possible.
func tilde(text string, at int) (from, to int) {
	if at > 0 && strings.IndexByte(" \t\n\r\"'`=:(,;|<>[{@", text[at-1]) < 0 &&
		!(at > 1 && text[at-2] == '\\' && strings.IndexByte("nrt", text[at-1]) >= 0) {
		return 0, 0
	}
	from, to = at+1, at+1
	for to < len(text) && to-from < 32 && (lower(text[to]) || to > from &&
		(digit(text[to]) || text[to] == '.' || text[to] == '-') || text[to] == '_') {
		to++
	}
	for to > from && (text[to-1] == '.' || text[to-1] == '-') {
		to--
	}
	if to == from || to < len(text) && (nameLetter(text[to]) || text[to] >= 0x80) {
		return 0, 0
	}
	if to < len(text) && (text[to] == '/' || text[to] == '\\' && to+1 < len(text) && !nameLetter(text[to+1])) {
		return from, to
	}
	if to-from < 3 || strings.Contains(text[from:to], ".") ||
		to < len(text) && strings.IndexByte(" \t\n\r\"'`:;,)|&<>].\\", text[to]) < 0 || !bareHome(text, at) {
		return 0, 0
	}
	return from, to
}

// bareHome reports whether the text before a tilde is a host, or a command that takes a directory.
func bareHome(text string, at int) bool {
	line := text[lineStart(text, at):at]
	if strings.TrimLeft(line, " \t\"'`$>#(") == "" && !strings.ContainsAny(line, "`(") {
		return at == 0 || text[at-1] == '\n' || strings.HasSuffix(line, "$ ")
	}
	if strings.HasSuffix(line, "=") || strings.HasSuffix(line, ":") && len(line) > 1 && nameByte(line[len(line)-2]) {
		return true
	}
	words := strings.Fields(line)
	for i := len(words) - 1; i >= 0 && i >= len(words)-4; i-- {
		switch strings.Trim(words[i], "`\"'($") {
		case "cd", "ls", "pushd", "cat", "cp", "mv", "rm", "chown", "chmod", "rsync", "scp", "ln", "touch", "mkdir", "find",
			"du", "tar", "stat", "echo", "source", "vim", "nano", "less", "tail",
			"head", "tree", "open", "HOME", "home", "directory", "see", "in", "from", "of", "user":
			return true
		}
	}
	return false
}
