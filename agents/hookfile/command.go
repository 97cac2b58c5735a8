package hookfile

import "strings"

// Command is the shell command by which an agent calls the program for an event. It is quoted for a POSIX shell.
func Command(binary, agent, event string) string {
	return quote(binary) + " hook " + agent + " " + event
}

func quote(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ParseCommand takes apart what Command wrote, in whatever quoting, and the form `git trace hook AGENT EVENT` that
// people write by hand, whose binary is "git".
func ParseCommand(command string) (binary, agent, event string, ok bool) {
	words := split(command)
	if len(words) == 5 && words[0] == "git" && words[1] == "trace" {
		words = append(words[:1], words[2:]...)
	}
	if len(words) != 4 || words[1] != "hook" {
		return "", "", "", false
	}
	return words[0], words[2], words[3], true
}

// split takes a simple command apart as a shell does. It gives nothing for a command that needs a shell's operators or
// expansions: such a command is not one of ours.
func split(command string) []string {
	var words []string
	var word strings.Builder
	open := false // a word has begun, perhaps an empty one
	for i := 0; i < len(command); i++ {
		switch c := command[i]; c {
		case ' ', '\t', '\n':
			if open {
				words, open = append(words, word.String()), false
				word.Reset()
			}
			continue
		case '\'':
			end := strings.IndexByte(command[i+1:], '\'')
			if end < 0 {
				return nil
			}
			word.WriteString(command[i+1 : i+1+end])
			i += end + 1
		case '"':
			end := double(&word, command[i:])
			if end < 0 {
				return nil
			}
			i += end
		case '\\':
			if i++; i == len(command) {
				return nil
			}
			word.WriteByte(command[i])
		case ';', '&', '|', '<', '>', '(', ')', '$', '`':
			return nil
		default:
			word.WriteByte(c)
		}
		open = true
	}
	if open {
		words = append(words, word.String())
	}
	return words
}

// double reads the double-quoted text at the start of text and gives the offset of its closing quote, -1 without one.
func double(word *strings.Builder, text string) int {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return i
		case c == '$' || c == '`':
			return -1
		case c == '\\' && i+1 < len(text) && strings.IndexByte("\"\\$`", text[i+1]) >= 0:
			i++
		}
		word.WriteByte(text[i])
	}
	return -1
}
