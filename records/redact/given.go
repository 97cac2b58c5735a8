package redact

import (
	"slices"
	"strings"
)

// askers lists commands that read a password from standard input.
var askers = [...]string{"-stdin", "sudo -S", "chpasswd", "passwd --stdin", "--with-token", "--passphrase-fd",
	"vncpasswd -f", "kinit", "su -", "cryptsetup", "smbpasswd -s"}

func asks(command string) bool {
	return slices.ContainsFunc(askers[:], func(asker string) bool { return strings.Contains(command, asker) })
}

// keepers lists commands that store their input as a secret.
var keepers = [...]string{" secret ", " secrets ", " env add ", " context create "}

// `keeps` reports whether a command stores the value that it reads. The value must have letters and digits, and the
// command must not be a search or a filter.
func keeps(command, value string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(command, "| "), " ")
	reads := [...]string{"grep", "rg", "sed", "awk", "jq", "head", "tail", "cat"}
	return mixedKinds(value) && !slices.Contains(reads[:], first) &&
		slices.ContainsFunc(keepers[:], func(keeper string) bool { return strings.Contains(command, keeper) })
}

// `given` finds a password that echo or <<< passes to a command.
func given(line string) []span {
	start, end, login := 0, 0, false
	if here := strings.Index(line, "<<<"); here >= 0 {
		start, end = shellWord(line, skipAny(line, here+len("<<<"), " "))
		if !asks(line[:here]) && !keeps(line[:here], line[start:end]) {
			return nil
		}
		login = strings.Contains(line[:here], "chpasswd")
	} else if pipe := strings.IndexByte(line, '|'); pipe >= 0 {
		at := max(strings.LastIndex(line[:pipe], "echo "), strings.LastIndex(line[:pipe], "printf "))
		if at < 0 {
			return nil
		}
		at += strings.IndexByte(line[at:], ' ') + 1
		if strings.HasPrefix(line[at:], "-n ") || strings.HasPrefix(line[at:], "-e ") {
			at += len("-n ")
		}
		if strings.HasPrefix(line[at:], "'%s' ") || strings.HasPrefix(line[at:], "\"%s\" ") {
			at += len("'%s' ")
		}
		if start, end = shellWord(line[:pipe], at); !asks(line[pipe:]) && !keeps(line[pipe:], line[start:end]) {
			return nil
		}
		login = strings.Contains(line[pipe:], "chpasswd")
	}
	if colon := strings.IndexByte(line[start:end], ':'); login && colon >= 0 {
		start += colon + 1
	}
	if end-start < leastValue || standsIn(line[start:end]) {
		return nil
	}
	return []span{{start: start, end: end}}
}
