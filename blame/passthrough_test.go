package blame

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// history is a repository in which most things that blame can meet occur: renames, a merge, moved and copied blocks,
// white-space changes, several paths in one commit, odd names, bytes that are not UTF-8, changes not committed.
func history(t testing.TB, initArgs ...string) *repo {
	t.Helper()
	r := newRepo(t, initArgs...)
	r.write("server.go", "package server\n\ntype Server struct {\n\tmu sync.Mutex\n}\n\nfunc (s *Server) Close() error {\n"+
		"\treturn s.listener.Close() // first version of closing\n}\n")
	r.write("other.txt", "alpha\nbeta\ngamma\n")
	r.commit("server: first version")
	r.write("server.go", "package server\n\ntype Server struct {\n\tmu     sync.Mutex\n\tclosed atomic.Bool\n}\n\n"+
		"func (s *Server) Close() error {\n\tif !s.closed.CompareAndSwap(false, true) {\n\t\treturn nil\n\t}\n"+
		"\treturn s.listener.Close() // first version of closing\n}\n")
	r.commit("server: safe close")
	r.git("tag", "-a", "-m", "one", "v1")
	r.git("checkout", "-q", "-b", "side", "HEAD~1")
	r.write("other.txt", "alpha\nbeta\ngamma\ndelta from the side branch with enough text to be found\n")
	r.commit("other: delta")
	r.git("checkout", "-q", "main")
	r.write("other.txt", "zero\nalpha\nbeta\ngamma\n")
	r.commit("other: zero")
	r.git("merge", "-q", "-m", "merge side", "side")
	r.git("mv", "server.go", "sub.go")
	r.commit("rename server.go")
	r.write("dir/lib.go", "package dir\n\nfunc (s *Server) Close() error {\n\tif !s.closed.CompareAndSwap(false, true) {\n"+
		"\t\treturn nil\n\t}\n\treturn s.listener.Close() // first version of closing\n}\n\nvar X = 1\n")
	r.write("crlf.txt", "one\r\ntwo\r\n")
	r.write("latin1.txt", "caf\xe9\ntrace-agent not a header\n\x00\x1b[31mred\n")
	r.write(`od"d n`+"\u00e4"+"me\t.txt", "odd\n")
	r.commit("dir: copy close")
	r.write("latin1.txt", "caf\xe9\ntrace-agent still not a header\n\x00\x1b[31mred\nend without newline")
	r.write(`od"d n`+"\u00e4"+"me\t.txt", "odd\nodder\n")
	r.write("sub.go", strings.Replace(r.read("sub.go"), "return nil", "return ErrClosed", 1))
	r.commit("return ErrClosed")
	r.write("sub.go", r.read("sub.go")+"\n// not committed\n")
	r.write("revs", strings.TrimSpace(r.git("rev-parse", "HEAD"))+"\n")
	r.write("contents.txt", "zero\nnew line\nalpha\n")
	return r
}

func (r *repo) read(name string) string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// forms are argument vectors as people and programs write them; {} stands for the format. dir is where they are given.
var forms = []form{
	{"", "{} sub.go"},
	{"", "sub.go {}"},
	{"", "{} -- sub.go"},
	{"", "{} HEAD sub.go"},
	{"", "{} HEAD -- sub.go"},
	{"", "HEAD {} sub.go"},
	{"", "{} sub.go HEAD"},
	{"", "{} -- sub.go HEAD"},
	{"", "{} HEAD~1 -- sub.go"},
	{"", "{} v1 server.go"},
	{"", "{} v1 -- server.go"},
	{"", "{} HEAD~3..HEAD -- sub.go"},
	{"", "{} HEAD~3.. -- sub.go"},
	{"", "{} HEAD~3..HEAD sub.go"},
	{"", "{} ^HEAD~3 -- sub.go"},
	{"", "{} HEAD --not HEAD~2 -- sub.go"},
	{"", "{} HEAD^! -- sub.go"},
	{"", "{} --since=2023-11-20 sub.go"},
	{"", "{} --since 2023-11-20 sub.go"},
	{"", "{} --after=2023-11-20 --until=2030-01-01 -- sub.go"},
	{"", "{} --max-age 1700350000 sub.go"},
	{"", "{} -3 sub.go"},
	{"", "{} --max-count 3 sub.go"},
	{"", "{} --reverse v1..HEAD -- server.go"},
	{"", "{} --reverse HEAD~1 -- sub.go"},
	{"", "{} --reverse HEAD~1..HEAD other.txt"},
	{"", "{} --first-parent other.txt"},
	{"", "{} other.txt"},
	{"", "{} -L1,3 sub.go"},
	{"", "{} -L 2,+2 sub.go"},
	{"", "{} -L 3 sub.go"},
	{"", "{} -L ,3 sub.go"},
	{"", "{} -L 1,2 -L 5,6 sub.go"},
	{"", "{} -L /Close/,+2 sub.go"},
	{"", "{} -L '/type/,/^}/' sub.go"},
	{"", "{} -L :Close sub.go"},
	{"", "{} -L:Close HEAD -- dir/lib.go"},
	{"", "{} -w sub.go"},
	{"", "{} -M sub.go"},
	{"", "{} -M10 -w sub.go"},
	{"", "{} -C -C dir/lib.go"},
	{"", "{} -C -C -C20 -M5 dir/lib.go"},
	{"", "{} -wC dir/lib.go"},
	{"", "{} -swtl sub.go"},
	{"", "{} -sefnbtlc sub.go"},
	{"", "{} --root sub.go"},
	{"", "{} --no-root sub.go"},
	{"", "{} -b sub.go"},
	{"", "{} --show-stats sub.go"},
	{"", "{} --score-debug -f -n sub.go"},
	{"", "{} --abbrev=12 sub.go"},
	{"", "{} --abbrev sub.go"},
	{"", "{} --no-abbrev sub.go"},
	{"", "{} --date=relative sub.go"},
	{"", "{} --date iso sub.go"},
	{"", "{} --encoding=ISO-8859-1 sub.go"},
	{"", "{} --encoding none sub.go"},
	{"", "{} --color-lines --color-by-age sub.go"},
	{"", "{} --no-progress sub.go"},
	{"", "{} --minimal sub.go"},
	{"", "{} --diff-algorithm=patience sub.go"},
	{"", "{} --indent-heuristic --no-renames sub.go"},
	{"", "{} --no-follow sub.go"},
	{"", "{} --ignore-rev HEAD sub.go"},
	{"", "{} --ignore-rev=HEAD~1 --ignore-rev v1 sub.go"},
	{"", "{} --ignore-revs-file revs sub.go"},
	{"", "{} --ignore-revs-file=revs --ignore-revs-file= sub.go"},
	{"", "{} -S grafts sub.go"},
	{"", "{} -Sgrafts HEAD sub.go"},
	{"", "{} --contents contents.txt other.txt"},
	{"", "{} --contents=contents.txt -- other.txt"},
	{"", "{} --contents - other.txt"},
	{"", "{} --cont - -L2,3 other.txt"},
	{"", "{} --no-contents other.txt"},
	{"", "{} crlf.txt"},
	{"", "{} latin1.txt"},
	{"", "{} -- od\"d nä" + "me\t.txt"},
	{"", "{} -f HEAD~1 -- od\"d nä" + "me\t.txt"},
	{"dir", "{} lib.go"},
	{"dir", "{} ./lib.go"},
	{"dir", "{} ../sub.go"},
	{"dir", "{} ../dir/../sub.go"},
	{"dir", "{} HEAD ../sub.go"},
	{"dir", "{} ABS/sub.go"},
	{"", "{} ABS/dir/lib.go"},
	{"", "{} LINK/dir/lib.go"},
	{"", "{} nosuch"},
	{"", "{} HEAD nosuch"},
	{"", "{} HEAD~99 sub.go"},
	{"", "{} ../outside"},
	{"", "{} dir"},
	{"", "{}"},
	{"", "{} -L 900,901 sub.go"},
	{"", "{} -L nonsense sub.go"},
	{"", "{} --no-such-option sub.go"},
	{"", "{} -Z sub.go"},
	{"", "{} --show sub.go"},
	{"", "{} --progress sub.go"},
	{"", "{} --contents nosuch sub.go"},
	{"", "{} a b c d"},
}

type form struct{ dir, args string }

// split cuts a form into words; names with blanks come last, after "-- ".
func split(form string) []string {
	head, tail, quoted := strings.Cut(form, "-- od")
	var words []string
	for _, word := range strings.Fields(head) {
		words = append(words, strings.Trim(word, "'"))
	}
	if quoted {
		words = append(words, "--", "od"+tail)
	}
	return words
}

var traceLine = regexp.MustCompile(`(?m)^trace-[a-z-]+ .*\n`)

func TestWithoutItsHeadersThePassThroughIsGitsOutputByteForByte(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"--porcelain", "--line-porcelain", "--incremental"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			comparePassThrough(t, history(t), format, forms)
		})
	}
	t.Run("other ways to say it", func(t *testing.T) {
		t.Parallel()
		r := history(t)
		for _, words := range []string{"-p", "-wp", "--porc", "--line-p", "--inc", "--porcelain --incremental",
			"--incremental --line-porcelain", "--line-porcelain -p", "--incremental --no-inc -p", "-p --root --"} {
			comparePassThrough(t, r, words, forms[:1])
		}
	})
	t.Run("SHA-256", func(t *testing.T) {
		t.Parallel()
		comparePassThrough(t, history(t, "--object-format=sha256"), "--porcelain", forms[:30])
	})
	t.Run("hostile configuration", func(t *testing.T) {
		t.Parallel()
		r := history(t)
		for _, entry := range strings.Fields(`color.ui=always blame.coloring=repeatedLines core.quotePath=false
			blame.showRoot=true blame.markIgnoredLines=true blame.markUnblamableLines=true blame.date=relative
			blame.showEmail=true diff.noprefix=true diff.mnemonicPrefix=true diff.algorithm=histogram
			diff.renames=copies core.pager=false pager.blame=true log.showSignature=true`) {
			key, value, _ := strings.Cut(entry, "=")
			r.git("config", key, value)
		}
		r.git("config", "diff.external", "false")
		for i, format := range []string{"--porcelain", "--line-porcelain", "--incremental"} {
			var some []form
			for j := i; j < len(forms); j += 3 {
				some = append(some, forms[j])
			}
			comparePassThrough(t, r, format, some)
		}
	})
}

func comparePassThrough(t *testing.T, r *repo, format string, forms []form) {
	t.Helper()
	r.write("grafts", r.graft())
	link := filepath.Join(t.TempDir(), "link") // of its own: one repository may be compared several times
	if err := os.Symlink(r.dir, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	const stdin = "zero\nfrom standard input\nalpha\n"
	for _, form := range forms {
		text := strings.NewReplacer("ABS", r.dir, "LINK", link, "{}", format).Replace(form.args)
		args := split(text)
		dir := filepath.Join(r.dir, form.dir)
		want, code := r.try(dir, stdin, append([]string{"blame"}, args...)...)
		k := &knows{lines: map[string]Attribution{}}
		got, err := r.blameStdin(dir, stdin, k, Style{}, args...)
		if code != 0 {
			if err == nil || got != "" {
				t.Errorf("%s: git fails with %d\n%s\nwe print %q, error %v", text, code, want, got, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		// the time of lines not committed is now, and differs between two runs
		want, got = clock.ReplaceAllString(want, "$1"), clock.ReplaceAllString(got, "$1")
		if stripped := traceLine.ReplaceAllString(got, ""); stripped != want {
			t.Errorf("%s: differs from git's\n--- git\n%s\n--- ours\n%s", text, want, stripped)
		}
		if n := strings.Count(got, "\ntrace-contributor "); n == 0 && want != "" {
			t.Errorf("%s: no headers of ours", text)
		}
	}
}

// clock matches the times that git invents for lines that no commit has, which are all of the present.
var clock = regexp.MustCompile(`(?m)^((?:author|committer)-time )` + `(?:17[6-9]|1[89]\d)\d{7}$`)

// graft gives HEAD the parent of its parent.
func (r *repo) graft() string {
	return strings.TrimSpace(r.git("rev-parse", "HEAD")) + " " + strings.TrimSpace(r.git("rev-parse", "HEAD~2")) + "\n"
}

// reader is a reader of git's porcelain formats as others write them: it knows git's words and skips the rest.
type reader struct {
	lines map[int]string // final line to "commit:path:original line"
	text  map[int]string
}

// readPorcelain follows git-blame(1) to the letter, without any of the package's code.
func readPorcelain(t *testing.T, stream string) reader {
	t.Helper()
	position := regexp.MustCompile(`^([0-9a-f]{40,64}) (\d+) (\d+)(?: (\d+))?$`)
	r := reader{lines: map[int]string{}, text: map[int]string{}}
	paths := map[string]string{}
	commit, orig, final := "", 0, 0
	for _, line := range strings.Split(strings.TrimSuffix(stream, "\n"), "\n") {
		switch m := position.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "\t"):
			r.lines[final] = commit + ":" + paths[commit] + ":" + strconv.Itoa(orig)
			r.text[final] = line[1:]
		case m != nil:
			commit = m[1]
			orig, _ = strconv.Atoi(m[2])
			final, _ = strconv.Atoi(m[3])
		case strings.HasPrefix(line, "filename "):
			paths[commit] = strings.TrimPrefix(line, "filename ")
		}
	}
	return r
}

func TestReadersOfGitsFormatSkipTheHeaders(t *testing.T) {
	t.Parallel()
	r := history(t)
	for _, format := range []string{"--porcelain", "--line-porcelain"} {
		plain := readPorcelain(t, r.git("blame", format, "-C", "-C", "dir/lib.go"))
		ours, err := r.blame(r.dir, &knows{}, Style{}, format, "-C", "-C", "dir/lib.go")
		if err != nil {
			t.Fatal(err)
		}
		got := readPorcelain(t, ours)
		if len(plain.lines) != 10 || len(got.lines) != len(plain.lines) {
			t.Fatalf("%s: %d lines, git has %d", format, len(got.lines), len(plain.lines))
		}
		for n, want := range plain.lines {
			if got.lines[n] != want || got.text[n] != plain.text[n] {
				t.Errorf("%s: line %d is %s %q, git says %s %q", format, n, got.lines[n], got.text[n], want, plain.text[n])
			}
		}
	}
}

// Git's own graphical blame reads the incremental format with three patterns: an entry opens, a file name ends it,
// anything else of the shape "name value" is stored under its name.
func TestAnIncrementalReaderInTheMannerOfGitGuiFindsEveryEntry(t *testing.T) {
	t.Parallel()
	r := history(t)
	out, err := r.blame(r.dir, &knows{}, Style{}, "--incremental", "sub.go")
	if err != nil {
		t.Fatal(err)
	}
	opening := regexp.MustCompile(`^([0-9a-f]{40}) (\d+) (\d+) (\d+)$`)
	ending := regexp.MustCompile(`^filename (.+)$`)
	other := regexp.MustCompile(`^([a-z-]+) (.*)$`)
	open, covered := false, 0
	for _, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		switch m := opening.FindStringSubmatch(line); {
		case m != nil:
			if open {
				t.Fatalf("an entry opens within another: %q", line)
			}
			open = true
			n, _ := strconv.Atoi(m[4])
			covered += n
		case ending.MatchString(line):
			if !open {
				t.Fatalf("a file name outside an entry: %q", line)
			}
			open = false
		case !other.MatchString(line) && line != "boundary":
			t.Errorf("a line that such a reader does not match: %q", line)
		case !open:
			t.Errorf("a header outside an entry: %q", line)
		}
	}
	if want := strings.Count(r.read("sub.go"), "\n"); covered != want {
		t.Errorf("entries cover %d lines of %d", covered, want)
	}
}
