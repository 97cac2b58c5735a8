package gitblame

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs/gitdiff"
)

// parse reads a whole stream and puts it together again from what the parser kept.
func parse(stream []byte, format Format) (entries []Entry, again []byte, err error) {
	p := NewParser(bytes.NewReader(stream), format)
	for {
		e, err := p.Next()
		if errors.Is(err, io.EOF) {
			return entries, append(again, p.Trailer()...), nil
		}
		if err != nil {
			return nil, nil, err
		}
		entries = append(entries, e)
		again = append(append(again, e.Header...), e.Text...)
	}
}

// fixture reads a stream stored under testdata/blame.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "blame", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestAPorcelainStreamIsReadLineByLine(t *testing.T) {
	t.Parallel()
	entries, again, err := parse(fixture(t, "porcelain.txt"), Porcelain)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, fixture(t, "porcelain.txt")) {
		t.Error("the parts do not make the whole")
	}
	want := []string{
		`11111111 1:1 "old \"name\"\n.txt" 2 of A U Thor <author@example.com> 1700000000 +0200 "first" boundary: "one"`,
		`11111111 2:2 "old \"name\"\n.txt" 0 of A U Thor <author@example.com> 1700000000 +0200 "first" boundary: "\ttrace-id x"`,
		`22222222 3:3 "new.txt" 1 of Zoë <zoe@example.com> 1700100000 -0330 "summary of second" after 11111111 "old \"name\"\n.txt": "caf\xe9"`,
		`22222222 9:4 "café.txt" 1 of Zoë <zoe@example.com> 1700100000 -0330 "summary of second" ignored: ""`,
		`11111111 7:5 "old \"name\"\n.txt" 1 of A U Thor <author@example.com> 1700000000 +0200 "first" boundary: "\x00\r"`,
		`00000000 6:6 "new.txt" 1 of Not Committed Yet <not.committed.yet> 1700200000 +0000 "Version of new.txt from new.txt" after 22222222 "new.txt": "last"`,
	}
	for i, e := range entries {
		if i >= len(want) {
			t.Fatalf("more entries than %d", len(want))
		}
		if got := describe(&e); got != want[i] {
			t.Errorf("entry %d\n got %s\nwant %s", i, got, want[i])
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%d entries", len(entries))
	}
}

func describe(e *Entry) string {
	var b strings.Builder
	a := e.Commit.Author
	fmt.Fprintf(&b, "%.8s %d:%d %q %d of %s %s %d %s %q", e.Commit.ID, e.OrigLine, e.FinalLine, e.OrigPath, e.Count,
		a.Name, a.Mail, a.Time, a.TZ, e.Commit.Summary)
	if e.Commit.Boundary {
		b.WriteString(" boundary")
	}
	if e.Ignored {
		b.WriteString(" ignored")
	}
	if !e.Previous.Commit.IsZero() {
		fmt.Fprintf(&b, " after %.8s %q", e.Previous.Commit, e.Previous.Path)
	}
	fmt.Fprintf(&b, ": %q", e.Content)
	return b.String()
}

func TestAnIncrementalStreamIsReadEntryByEntry(t *testing.T) {
	t.Parallel()
	entries, again, err := parse(fixture(t, "incremental.txt"), Incremental)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, fixture(t, "incremental.txt")) {
		t.Error("the parts do not make the whole")
	}
	var got []string
	for i := range entries {
		got = append(got, describe(&entries[i]))
	}
	want := []string{
		`aaaaaaaa 3:8 "b.go" 2 of A U Thor <author@example.com> 1700000000 +0200 "sha256" after bbbbbbbb "a.go": ""`,
		`aaaaaaaa 5:1 "c.go" 1 of A U Thor <author@example.com> 1700000000 +0200 "sha256": ""`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestWhatIsNoBlameStreamIsRefused(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("1", 40)
	tests := map[string]struct {
		stream string
		format Format
	}{
		"no object id":                          {"hello 1 1 1\n\tx\n", Porcelain},
		"an id in capitals":                     {strings.Repeat("A", 40) + " 1 1 1\n\tx\n", Porcelain},
		"one line number":                       {id + " 1\n\tx\n", Porcelain},
		"four line numbers":                     {id + " 1 1 1 1\n\tx\n", Porcelain},
		"line 0":                                {id + " 0 1 1\n\tx\n", Porcelain},
		"a line number beyond reason":           {id + " 1 99999999999999999999 1\n\tx\n", Porcelain},
		"a signed line number":                  {id + " +1 1 1\n\tx\n", Porcelain},
		"an entry without its content":          {id + " 1 1 1\nauthor x\n", Porcelain},
		"a content line cut short":              {id + " 1 1 1\n\tx", Porcelain},
		"a header cut short":                    {id + " 1 1 1\nauth", Porcelain},
		"a quote left open":                     {id + " 1 1 1\nfilename \"x\n\tx\n", Porcelain},
		"an unknown escape":                     {id + " 1 1 1\nfilename \"\\q\"\n\tx\n", Porcelain},
		"an octal escape beyond 255":            {id + " 1 1 1\nfilename \"\\777\"\n\tx\n", Porcelain},
		"a previous without an id":              {id + " 1 1 1\nprevious x y\n\tx\n", Porcelain},
		"an incremental entry without its size": {id + " 1 1\nfilename x\n", Incremental},
		"an incremental entry without its end":  {id + " 1 1 1\nauthor x\n", Incremental},
	}
	for name, test := range tests {
		if _, _, err := parse([]byte(test.stream), test.format); !errors.Is(err, ErrStream) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestLongLinesAndUnknownHeadersAreKept(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300_000)
	stream := strings.Repeat("1", 40) + " 1 1 1\nauthor " + long + "\nnovelty\nfuture header " + long + "\nfilename f\n\t" +
		long + "\nnum read blob: 1\nnum get patch: 0\n"
	entries, again, err := parse([]byte(stream), Porcelain)
	if err != nil {
		t.Fatal(err)
	}
	if string(again) != stream || len(entries) != 1 || string(entries[0].Content) != long ||
		entries[0].Commit.Author.Name != long {
		t.Error("something was lost")
	}
}

func TestNamesAreQuotedAsGitQuotesThem(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	for _, name := range []string{"plain", "with blank", `"`, `a\b`, "tab\t", "nl\n", "é", "\xff\x80", "\a\b\v\f\r", "\x7f\x01"} {
		if got, ok := gitdiff.Unquote([]byte(gitdiff.Quote(name))); !ok || got != name {
			t.Errorf("%q comes back as %q", name, got)
		}
		r.Write(name, "x")
		r.Git("add", "-A")
		if want := strings.TrimSuffix(r.Git("ls-files"), "\n"); gitdiff.Quote(name) != want {
			t.Errorf("%q is quoted as %s, by git as %s", name, gitdiff.Quote(name), want)
		}
		r.Git("rm", "-q", "-f", "--", name)
	}
}

func FuzzParser(f *testing.F) {
	f.Add(fixture(f, "porcelain.txt"), false)
	f.Add(fixture(f, "incremental.txt"), true)
	f.Add([]byte(strings.Repeat("1", 40)+" 1 1 1\nfilename \"\\303\\244\"\n\tx\nnum read blob: 1\n"), false)
	f.Fuzz(func(t *testing.T, stream []byte, incremental bool) {
		format := Porcelain
		if incremental {
			format = Incremental
		}
		entries, again, err := parse(stream, format)
		if err != nil {
			return
		}
		if !bytes.Equal(again, stream) {
			t.Fatalf("%q comes back as %q", stream, again)
		}
		for i := range entries {
			if e := &entries[i]; e.Commit == nil || e.OrigLine < 1 || e.FinalLine < 1 {
				t.Fatalf("entry %+v", e)
			}
		}
	})
}

func FuzzUnquote(f *testing.F) {
	f.Add([]byte(`"a\tb\303\244\\\""`))
	f.Fuzz(func(t *testing.T, text []byte) {
		name, ok := gitdiff.Unquote(text)
		if !ok || strings.Contains(name, "\x00") {
			return
		}
		if again, ok := gitdiff.Unquote([]byte(gitdiff.Quote(name))); !ok || again != name {
			t.Fatalf("%q comes back as %q", name, again)
		}
	})
}

// bigStream is a porcelain stream of many lines from a thousand commits.
func bigStream(lines int) []byte {
	var b bytes.Buffer
	seen := map[int]bool{}
	for i := 1; i <= lines; i++ {
		commit := i * 7919 % 1000
		fmt.Fprintf(&b, "%040x %d %d", commit+1, i, i)
		if i%3 == 1 {
			fmt.Fprint(&b, " 3")
		}
		b.WriteByte('\n')
		if !seen[commit] {
			seen[commit] = true
			fmt.Fprintf(&b, "author A U Thor\nauthor-mail <author@example.com>\nauthor-time 1700000000\nauthor-tz +0200\n"+
				"committer A U Thor\ncommitter-mail <author@example.com>\ncommitter-time 1700000000\ncommitter-tz +0200\n"+
				"summary commit %d\nfilename main.go\n", commit)
		}
		fmt.Fprintf(&b, "\t\tif err := s.close(%d); err != nil {\n", i)
	}
	return b.Bytes()
}

func BenchmarkParse50kLines(b *testing.B) {
	stream := bigStream(50_000)
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		entries, _, err := parse(stream, Porcelain)
		if err != nil || len(entries) != 50_000 {
			b.Fatalf("%d entries, %v", len(entries), err)
		}
	}
}

// Git writes an incremental blame as it writes others, unless the user wants each entry at once (git(1), GIT_FLUSH).
func TestAnIncrementalBlameIsNotWrittenEntryByEntry(t *testing.T) {
	r := newRepo(t)
	r.Write("file", "one\n")
	r.Commit("first")
	t.Setenv("GIT_TRACE2_ENV_VARS", "GIT_FLUSH")
	for _, c := range []struct{ format, user, want string }{
		{format: "--incremental", want: "0"}, {format: "--incremental", user: "1", want: "1"}, {format: "--porcelain"},
	} {
		t.Setenv("GIT_FLUSH", c.user)
		trace := filepath.Join(t.TempDir(), "trace2")
		t.Setenv("GIT_TRACE2_EVENT", trace)
		if _, err := r.blame(r.Dir, "", c.format, "file"); err != nil {
			t.Fatal(err)
		}
		told, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(string(told), `"param":"GIT_FLUSH","value":"`+c.want+`"`); has != (c.want != "") {
			t.Errorf("%s beside %q: GIT_FLUSH is not %q", c.format, c.user, c.want)
		}
	}
}
