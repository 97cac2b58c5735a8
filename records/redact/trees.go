package redact

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// place is one spelling of a directory of this machine.
type place struct {
	text string
	sep  string // the path separator
}

// leastTree is the least number of names in a path that identifies a machine: /app and /workspace exist everywhere.
const leastTree = 2

// placesOf lists the spellings of directories: with slashes, on Windows also with backslashes and other names of the
// drive, and each also as in JSON. The longest come first, because a work tree may be inside another.
func placesOf(dirs []string) []place {
	var out []place
	for _, dir := range dirs {
		name := filepath.ToSlash(filepath.Clean(dir))
		drive, rest, windows := strings.Cut(name, ":/")
		names := strings.Split(strings.Trim(rest, "/"), "/")
		starts, seps := []string{"/"}, []string{"/", `\/`}
		if windows {
			seps = []string{"/", `\`, `\\`, `\/`}
			starts = nil
			for _, d := range []string{strings.ToUpper(drive), strings.ToLower(drive)} {
				starts = append(starts, d+":/", "/"+d+":/", "/"+d+"/", "/mnt/"+d+"/", "/"+d+"%3A/")
			}
		} else {
			names = strings.Split(strings.Trim(name, "/"), "/")
		}
		if len(names) < leastTree {
			continue
		}
		for _, sep := range seps {
			for _, start := range starts {
				text := strings.ReplaceAll(start, "/", sep) + strings.Join(names, sep)
				out = append(out, place{text, sep})
			}
		}
	}
	slices.SortFunc(out, func(a, b place) int { return cmp.Or(len(b.text)-len(a.text), strings.Compare(a.text, b.text)) })
	return slices.Compact(out)
}

// `relative` makes paths in a work tree relative to it. A work tree itself becomes a dot.
func relative(text string, places []place) string {
	for _, p := range places {
		var out strings.Builder
		at := 0
		for from := 0; ; {
			i := strings.Index(text[from:], p.text)
			if i < 0 {
				break
			}
			start, end := from+i, from+i+len(p.text)
			from = end
			if !beginsPath(text, start) || !endsDirectory(text, end, p.sep) {
				continue
			}
			out.WriteString(text[at:start])
			inURL := start > 0 && text[start-1] == '/'
			switch rest, below := strings.CutPrefix(text[end:], p.sep); {
			case below && beginsName(rest) && !inURL:
				end += len(p.sep)
			case strings.HasPrefix(text[end:], "."): // the end of a sentence; ".." is another directory
				out.WriteString("./")
			default:
				out.WriteByte('.')
			}
			at, from = end, end
		}
		if at > 0 {
			out.WriteString(text[at:])
			text = out.String()
		}
	}
	return text
}

// beginsPath reports whether an absolute path can begin at a place, and not in the middle of another path.
func beginsPath(text string, at int) bool {
	if at == 0 {
		return true
	}
	before := text[at-1]
	switch {
	case before == '/':
		return strings.HasSuffix(text[:at], "://")
	case before == '\\':
		return false
	case !pathByte(before):
		return true
	case before == 'm' && ofTerminal(text[:at-1]), escaping(text, at-1): // a colour; \n
		return true
	}
	return at > 1 && text[at-2] == '-' && (at == 2 || !pathByte(text[at-3])) // -I/usr/x
}

// ofTerminal reports whether a text ends in the beginning of a sequence that sets a colour.
func ofTerminal(text string) bool {
	return strings.HasSuffix(strings.TrimRight(text, "0123456789;"), "[")
}

// endsDirectory reports whether the name of a directory ends at a place.
func endsDirectory(text string, at int, sep string) bool {
	rest := text[at:]
	if rest == "" || strings.HasPrefix(rest, sep) || !pathByte(rest[0]) {
		return true
	}
	return rest[0] == '.' && (len(rest) == 1 || !pathByte(rest[1])) // the end of a sentence
}

// beginsName reports whether a text begins with a file name. A name that looks like an option does not count.
func beginsName(text string) bool {
	return text != "" && text[0] != '-' && (pathByte(text[0]) || strings.IndexByte("[({@+#$", text[0]) >= 0)
}

// pathByte reports whether a byte is common in file names.
func pathByte(c byte) bool {
	return nameByte(c) || c == '~' || c >= 0x80
}
