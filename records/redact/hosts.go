package redact

import (
	"os"
	"slices"
	"strings"
)

// The placeholders for a machine's name and for the domain of a mail address.
const (
	someHost   = "host"
	someDomain = "mail.example"
)

// SystemHosts returns the host name of this machine, as the system gives it.
func SystemHosts() []string {
	name, err := os.Hostname()
	if err != nil {
		return nil
	}
	return []string{name}
}

// hostNames returns the words that name a machine, the longest first: with and without the domain, unchanged and in
// lower case.
func hostNames(names []string) (out []string) {
	for _, name := range names {
		short, _, _ := strings.Cut(name, ".")
		for _, n := range []string{name, short} {
			for _, n := range []string{n, strings.ToLower(n)} {
				if !commonHost(n) {
					out = append(out, n)
				}
			}
		}
	}
	return telling(out)
}

// commonHost reports whether a machine's name is a common word.
func commonHost(name string) bool {
	short, _, _ := strings.Cut(strings.ToLower(name), ".")
	switch short {
	case "desktop", "laptop", "workstation", "machine", "computer", "notebook", "router", "gateway", "proxy", "backup",
		"storage", "database", "master", "worker", "staging", "production", "prod", "container", "linux", "windows",
		"macos", "darwin", "archlinux", "kali", "raspberrypi", "penguin", "buildkitsandbox", "devcontainer", "vm", "box":
		return true
	}
	return false
}

// hostWords finds the machine's names as words, together with a local network domain after them.
func (r *Redactor) hostWords(text string) []span {
	var found []span
	for _, name := range r.hosts {
		for start, end := range words(text, name) {
			for _, domain := range [...]string{".local", ".lan", ".localdomain", ".internal", ".home", ".fritz.box"} {
				if rest, ok := strings.CutPrefix(text[end:], domain); ok && !startsHost(rest) {
					end += len(domain)
					break
				}
			}
			found = append(found, span{start: start, end: end, rule: "host", with: someHost})
		}
	}
	return found
}

func startsHost(text string) bool { return text != "" && (hostByte(text[0]) && text[0] != '.') }

func hostByte(c byte) bool { return nameLetter(c) || c == '-' || c == '.' }

// The limits of a host after an @ and of the part before the @, in bytes.
const (
	leastDomain  = 4
	longestHost  = 253
	longestLocal = 64
)

// mail finds the domains of mail addresses, and the hosts in shell prompts and copy commands: user@host:/srv.
func (s *marks) mail() []span {
	var found []span
	text := s.text
	for at := strings.IndexByte(text, '@'); at >= 0; {
		start := at
		for start > 0 && at-start <= longestLocal && localByte(text[start-1]) {
			start--
		}
		end := at + 1
		for end < len(text) && end-at <= longestHost && hostByte(text[end]) {
			end++
		}
		for end > at+1 && (text[end-1] == '.' || text[end-1] == '-') {
			end--
		}
		if local, host := text[start:at], text[at+1:end]; addressee(local) && end-at <= longestHost &&
			!inURL(text, start) {
			switch {
			case mailDomain(host, text[end:]):
				found = append(found, span{start: at + 1, end: end, rule: "mail", with: someDomain})
			case inPrompt(host, text[end:]):
				found = append(found, span{start: at + 1, end: end, rule: "host", with: someHost})
			}
		}
		next := strings.IndexByte(text[at+1:], '@')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return found
}

// localByte reports whether a byte may precede the @ of an address.
func localByte(c byte) bool { return nameLetter(c) || strings.IndexByte("._+-", c) >= 0 }

// addressee reports whether an address may belong to a person: it excludes addresses such as noreply and git.
func addressee(local string) bool {
	if local == "" || strings.Trim(local, "._+-0123456789") == "" || local[0] == '.' ||
		!nameLetter(local[len(local)-1]) {
		return false
	}
	switch strings.ToLower(local) {
	case "git", "noreply", "no-reply", "hg":
		return false
	}
	return true
}

// inURL reports whether a place is in the login of a URL, or after another @.
func inURL(text string, at int) bool {
	before := text[max(0, at-longestHost):at]
	before = before[:1+strings.LastIndexAny(before, " \t\n\"'`<>(/@")]
	return strings.HasSuffix(before, "//") || strings.HasSuffix(before, `\/\/`) || strings.HasSuffix(before, "@")
}

// mailDomain reports whether a host is the domain of a mail address. Programs also use the @ in versions, labels of
// languages and names of images.
func mailDomain(host, rest string) bool {
	name := strings.ToLower(host)
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 || len(name) < leastDomain || strings.Contains(name, "..") || name[0] == '-' || name[0] == '.' ||
		rest != "" && strings.IndexByte("([{=_@", rest[0]) >= 0 || reserved(name) {
		return false
	}
	top := name[dot+1:]
	if slices.Contains(topDomains[:worldwide], top) {
		return true
	}
	return host == name && (slices.Contains(topDomains, top) || len(top) == 2 && lower(top[0]) && lower(top[1]) &&
		(strings.Count(name, ".") > 1 || !slices.Contains(endings, top)))
}

// `reserved` reports whether a domain is reserved (RFC 2606), or belongs to a service and is the same for all users.
func reserved(name string) bool {
	for _, domain := range [...]string{"example.com", "example.org", "example.net", "test.com", "example", "test",
		"invalid", "localhost", "noreply.github.com", "noreply.gitlab.com"} {
		if name == domain || strings.HasSuffix(name, "."+domain) {
			return true
		}
	}
	return false
}

// worldwide is the number of entries at the start of topDomains that are known everywhere. They are recognised in
// capital letters too.
const worldwide = 6

// topDomains lists the top-level domains of mail addresses, without the domains of countries.
var topDomains = []string{"com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "dev", "app", "tech",
	"cloud", "online", "site", "xyz", "email", "company", "agency", "group", "team", "studio", "systems", "software",
	"solutions", "digital", "engineering", "consulting", "capital", "ventures", "network", "services", "bank", "health",
	"global", "foundation", "institute", "academy", "university", "africa", "asia", "berlin", "hamburg", "london",
	"paris", "wien", "nyc", "local", "lan", "corp", "internal", "intranet", "intern", "localdomain"}

// endings lists two-letter endings of files and members. They are not taken for country domains.
var endings = []string{"js", "ts", "go", "rb", "cs", "hs", "db", "fs", "vb", "kt", "gz", "xz", "jl", "el", "rc", "id"}

// containerID is the length of a container's host name, in hexadecimal digits.
const containerID = 12

// inPrompt reports whether a host is part of a shell prompt, or of the address in a copy command.
func inPrompt(host, rest string) bool {
	return len(host) >= 2 && (strings.HasPrefix(rest, ":~") || strings.HasPrefix(rest, ":/") && rest != ":/" &&
		!strings.HasPrefix(rest, "://")) && !generic(host) && !commonHost(host) && !reserved(strings.ToLower(host)) &&
		strings.Trim(host, "0123456789.") != "" && (len(host) != containerID || strings.Trim(host, "0123456789abcdef") != "")
}
