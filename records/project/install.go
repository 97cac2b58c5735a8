package project

import (
	"slices"
	"strings"
)

// maxCommand limits the searched part of a command line, in bytes: longer text is usually a here-document.
const maxCommand = 8 << 10

// `installed` returns the packages that a command line installs by name. It does not expand words like a shell, so it
// does not find a package in a variable.
func installed(command string) []string {
	if len(command) > maxCommand {
		command = command[:maxCommand]
	}
	if !strings.Contains(command, "install") && !strings.Contains(command, "add") && !strings.Contains(command, "get") &&
		!strings.Contains(command, "require") {
		return nil
	}
	var names []string
	for part := range strings.FieldsFuncSeq(command, func(r rune) bool {
		return r == '\n' || r == ';' || r == '&' ||
			r == '|'
	}) {
		words := strings.Fields(part)
		for len(words) > 0 && (words[0] == "sudo" || strings.Contains(words[0], "=")) {
			words = words[1:]
		}
		names = append(names, installs(words)...)
	}
	return names
}

func installs(words []string) []string {
	if len(words) > 3 && strings.HasPrefix(words[0], "python") && words[1] == "-m" && words[2] == "pip" {
		words = words[2:]
	}
	if len(words) > 2 && words[0] == "uv" && words[1] == "pip" {
		words = words[1:]
	}
	if len(words) < 3 {
		return nil
	}
	args := words[2:]
	switch words[0] + " " + words[1] {
	case "npm install", "npm i", "npm add", "yarn add", "pnpm add", "pnpm install", "pnpm i", "bun add":
		return named(args, npmName)
	case "pip install", "pip3 install", "uv add", "poetry add", "pipenv install":
		return named(args, pythonName)
	case "go get":
		return named(args, goName)
	case "cargo add", "gem install", "bundle add", "composer require", "dart pub":
		return named(args, plainName)
	}
	return nil
}

// withValue lists the options whose value is a separate word.
var withValue = []string{
	"-r", "--requirement", "-c", "--constraint", "-e", "--editable", "--prefix", "-C", "--features", "-F", "--index-url",
	"-i", "--group",
}

// `named` returns the package names among arguments. It skips options and their values, paths and URLs.
func named(args []string, name func(string) string) []string {
	var names []string
	for i := 0; i < len(args); i++ {
		arg := strings.Trim(args[i], `"'`)
		switch {
		case slices.Contains(withValue, arg):
			i++
			continue
		case strings.HasPrefix(strings.TrimLeft(args[i], "012"), ">"): // a file follows
			return names
		case arg == "" || strings.ContainsAny(arg[:1], "-./") || strings.ContainsAny(arg, "$<()`*{}\\") ||
			strings.Contains(arg, "://"):
			continue
		}
		if n := name(arg); n != "" {
			names = append(names, n)
		}
	}
	return names
}

// npmName removes the version: react@18, @types/node@20.
func npmName(arg string) string {
	if at := strings.LastIndexByte(arg, '@'); at > 0 {
		arg = arg[:at]
	}
	return plainName(arg)
}

// pythonName removes extras and versions: requests[socks]>=2.
func pythonName(arg string) string {
	if end := strings.IndexAny(arg, "[<>=!~;@ "); end >= 0 {
		arg = arg[:end]
	}
	if strings.HasSuffix(arg, ".txt") || strings.HasSuffix(arg, ".whl") {
		return ""
	}
	return plainName(arg)
}

// goName accepts only module paths, which contain a host.
func goName(arg string) string {
	arg, _, _ = strings.Cut(arg, "@")
	host, _, found := strings.Cut(arg, "/")
	if !found || !strings.Contains(host, ".") {
		return ""
	}
	return plainName(arg)
}

func plainName(arg string) string {
	if arg == "" || len(arg) > 200 {
		return ""
	}
	for i := range len(arg) {
		switch c := arg[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '-', c == '_', c == '.', c == '/', c == '@' && i == 0:
		default:
			return ""
		}
	}
	return arg
}
