package payload_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/payload"
)

func TestUTF8OfAPayload(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, data, want string
	}{
		{"plain UTF-8 stays", `{"a":"ü"}`, `{"a":"ü"}`},
		{"a byte order mark is taken off", "\xEF\xBB\xBF{}", "{}"},
		{"little-endian UTF-16 is converted", "\xFF\xFE{\x00\xFC\x00}\x00", "{ü}"},
		{"big-endian UTF-16 is converted", "\xFE\xFF\x00{\x00\xFC\x00}", "{ü}"},
		{"a surrogate pair is one character", "\xFF\xFE\x3D\xD8\x00\xDE", "😀"},
		{"a lone surrogate is replaced and the next unit kept", "\xFF\xFE\x3D\xD8a\x00", "\uFFFDa"},
		{"half a unit at the end is replaced", "\xFF\xFEa\x00b", "a\uFFFD"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := payload.UTF8([]byte(test.data))
			if err != nil || string(got) != test.want {
				t.Errorf("UTF8(%q) = %q, %v, want %q", test.data, got, err, test.want)
			}
		})
	}
}

func TestEmptyPayloadsAreReported(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", " \n\t", "\xEF\xBB\xBF", "\xFF\xFE"} {
		if _, err := payload.UTF8([]byte(data)); !errors.Is(err, payload.ErrEmpty) {
			t.Errorf("UTF8(%q) gives %v, want %v", data, err, payload.ErrEmpty)
		}
	}
}

func TestReadStopsAtTheLimit(t *testing.T) {
	t.Parallel()
	if _, err := payload.Read(endless{}); !errors.Is(err, payload.ErrTooLarge) {
		t.Errorf("got %v, want %v", err, payload.ErrTooLarge)
	}
	data, err := payload.Read(strings.NewReader("{}"))
	if err != nil || string(data) != "{}" {
		t.Errorf("got %q, %v", data, err)
	}
	if _, err := payload.Read(io.MultiReader(strings.NewReader("{"), failing{})); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, want the reader's own error", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestSessionIDsThatCouldLeaveADirectoryAreRefused(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"63d8c41b-dd01-41b8-93ab-65978572dce5", "a702db2c99aacfa4c", "ses_1.2-3"} {
		if !payload.SessionID(id) {
			t.Errorf("%q is refused", id)
		}
	}
	for _, id := range []string{
		"", ".", "..", "../../x", "a/b", `a\b`, "c:d", "a b", "a\x00b", "a\nb", "é", ".git", strings.Repeat("a", 129),
	} {
		if payload.SessionID(id) {
			t.Errorf("%q is accepted", id)
		}
	}
}

func TestCallIDsArePrintable(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"toolu_01abc", "call_1|fc_2", "exec-4f"} {
		if !payload.CallID(id) {
			t.Errorf("%q is refused", id)
		}
	}
	for _, id := range []string{"", "a b", "a\x1b[31m", "a\n", "é", strings.Repeat("a", 129)} {
		if payload.CallID(id) {
			t.Errorf("%q is accepted", id)
		}
	}
}

func TestPathsAreAbsoluteAndClean(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, cwd, home, want string
	}{
		{"an absolute path is cleaned", "/a/./b/../c", "", "", "/a/c"},
		{"a relative path is below the cwd", "b/c", "/a", "", "/a/b/c"},
		{"a relative path without a cwd is none", "b/c", "", "", ""},
		{"a relative cwd does not help", "b", "a", "", ""},
		{"the home directory is expanded", "~/x", "/a", "/home/dev", "/home/dev/x"},
		{"an empty path is none", "", "/a", "", ""},
		{"a NUL makes it none", "/a\x00b", "", "", ""},
		{"an endless path is none", "/" + strings.Repeat("a", 9000), "", "", ""},
		{"a newline is legal", "/a\nb", "", "", "/a\nb"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := payload.Path(test.text, test.cwd, test.home); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestNamesWithControlCharactersAreDropped(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Edit", "mcp__server__tool", "mein Werkzeug ü"} {
		if payload.Name(name) != name {
			t.Errorf("%q is changed", name)
		}
	}
	for _, name := range []string{"a\x1bb", "a\nb", "a\u0085b", "\xff", strings.Repeat("a", 129)} {
		if got := payload.Name(name); got != "" {
			t.Errorf("%q becomes %q", name, got)
		}
	}
}

func FuzzUTF8(f *testing.F) {
	for _, data := range []string{"{}", "\xEF\xBB\xBF{}", "\xFF\xFE{\x00", "\xFE\xFF\xD8\x3D\xDE\x00"} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := payload.UTF8(data)
		if err == nil && len(out) == 0 {
			t.Error("an empty payload was not reported")
		}
	})
}
