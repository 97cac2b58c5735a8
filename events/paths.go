package events

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// EncodePath makes a path, which git stores as bytes, fit for JSON. A path of valid UTF-8 without control characters
// that does not begin with a double quote is unchanged; any other one gets the quotes and escapes that git prints
// (core.quotePath in git-config(1)), every byte above ASCII in octal.
func EncodePath(path string) string {
	if isPlainPath(path) {
		return path
	}
	out := make([]byte, 0, len(path)+16)
	out = append(out, '"')
	for i := range len(path) {
		c := path[i]
		switch letter := pathEscape(c); {
		case letter != 0:
			out = append(out, '\\', letter)
		case c < 0x20 || c >= 0x7f:
			out = append(out, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		default:
			out = append(out, c)
		}
	}
	return string(append(out, '"'))
}

// DecodePath accepts only the output of EncodePath: a path has one stored form, so stored paths may be compared.
func DecodePath(stored string) (string, error) {
	if !strings.HasPrefix(stored, `"`) {
		if !isPlainPath(stored) {
			return "", fmt.Errorf("path %.80q should have been quoted", stored)
		}
		return stored, nil
	}
	path, err := unquotePath(stored)
	if err != nil {
		return "", fmt.Errorf("path %.80q: %w", stored, err)
	}
	if EncodePath(path) != stored {
		return "", fmt.Errorf("path %.80q: not the canonical quoting", stored)
	}
	return path, nil
}

func isPlainPath(path string) bool {
	return !strings.HasPrefix(path, `"`) && utf8.ValidString(path) && strings.IndexFunc(path, unicode.IsControl) < 0
}

const (
	pathEscapes       = "\a\b\t\n\v\f\r\"\\"
	pathEscapeLetters = "abtnvfr\"\\"
)

// pathEscape returns the letter that git writes after the backslash for c, or 0 without one.
func pathEscape(c byte) byte {
	if i := strings.IndexByte(pathEscapes, c); i >= 0 {
		return pathEscapeLetters[i]
	}
	return 0
}

func unquotePath(stored string) (string, error) {
	if len(stored) < 2 || stored[len(stored)-1] != '"' {
		return "", errors.New("no closing quote")
	}
	body := stored[1 : len(stored)-1]
	out := make([]byte, 0, len(body))
	for i := 0; i < len(body); {
		c := body[i]
		if c != '\\' {
			out = append(out, c)
			i++
			continue
		}
		rest := body[i+1:]
		if rest == "" {
			return "", errors.New("ends in a backslash")
		}
		if letter := strings.IndexByte(pathEscapeLetters, rest[0]); letter >= 0 {
			out = append(out, pathEscapes[letter])
			i += 2
			continue
		}
		if len(rest) < 3 || rest[0] < '0' || rest[0] > '3' || rest[1] < '0' || rest[1] > '7' || rest[2] < '0' ||
			rest[2] > '7' {
			return "", errors.New("unknown escape")
		}
		out = append(out, (rest[0]-'0')<<6|(rest[1]-'0')<<3|(rest[2]-'0'))
		i += 4
	}
	return string(out), nil
}

// RawPath returns a stored path in git's form; if a foreign log stored it in another form, the path is returned
// unchanged.
func RawPath(stored string) string {
	if path, err := DecodePath(stored); err == nil {
		return path
	}
	return stored
}

// EncodeBytes returns base64 of text that JSON cannot hold, and "" for all other text.
func EncodeBytes(text string) string {
	if utf8.ValidString(text) {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(text))
}

// OrNull returns a text for JSON; null if it is empty.
func OrNull[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}
