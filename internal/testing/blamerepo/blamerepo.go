// Package blamerepo has the repositories for the tests of blame and of gitblame.
package blamerepo

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// Repo is a repository of a test.
type Repo struct {
	T    testing.TB
	Dir  string
	Tick int // the clock: one day a commit
}

// New makes a repository. The parameter `initArgs` has arguments for git init.
func New(t testing.TB, initArgs ...string) *Repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &Repo{T: t, Dir: dir}
	r.Git(append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	// Make it a recorded repository: otherwise nothing is cached.
	if err := r.Discover(r.Dir).MakeTracesDir(); err != nil {
		t.Fatal(err)
	}
	return r
}

// Git runs git in the repository; it must succeed.
func (r *Repo) Git(args ...string) string {
	r.T.Helper()
	out, code := r.Try(r.Dir, "", args...)
	if code != 0 {
		r.T.Fatalf("git %s: exit status %d\n%s", strings.Join(args, " "), code, out)
	}
	return out
}

// Try runs git in any directory, and returns its output and exit status.
func (r *Repo) Try(dir, stdin string, args ...string) (string, int) {
	r.T.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	date := fmt.Sprintf("%d +0200", 1_700_000_000+86_400*r.Tick)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		r.T.Fatal(err)
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		return out.String() + errs.String(), code
	}
	return out.String(), 0
}

// Write writes a file.
func (r *Repo) Write(name, content string) {
	r.T.Helper()
	file := filepath.Join(r.Dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		r.T.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
		r.T.Fatal(err)
	}
}

// Commit commits everything, one day after the previous commit.
func (r *Repo) Commit(subject string) refs.OID {
	r.T.Helper()
	r.Tick++
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", subject)
	return r.Head()
}

// Head returns the commit that is checked out.
func (r *Repo) Head() refs.OID {
	r.T.Helper()
	oid, err := refs.ParseOID(strings.TrimSpace(r.Git("rev-parse", "HEAD")))
	if err != nil {
		r.T.Fatal(err)
	}
	return oid
}

// Discover opens the repository from one of its directories.
func (r *Repo) Discover(dir string) *refs.Repo {
	r.T.Helper()
	found, err := refs.Discover(dir)
	if err != nil {
		r.T.Fatal(err)
	}
	return found
}

// History returns a repository with most things that affect blame: renames, a merge, moved and copied blocks,
// white-space changes, several paths in one commit, unusual names, bytes that are not UTF-8, and uncommitted changes.
func History(t testing.TB, initArgs ...string) *Repo {
	t.Helper()
	r := New(t, initArgs...)
	r.Write("server.go", "package server\n\ntype Server struct {\n\tmu sync.Mutex\n}\n\nfunc (s *Server) "+
		"Close() error {\n"+
		"\treturn s.listener.Close() // first version of closing\n}\n")
	r.Write("other.txt", "alpha\nbeta\ngamma\n")
	r.Commit("server: first version")
	r.Write("server.go", "package server\n\ntype Server struct {\n\tmu     sync.Mutex\n\tclosed atomic.Bool\n}\n\n"+
		"func (s *Server) Close() error {\n\tif !s.closed.CompareAndSwap(false, true) {\n\t\treturn nil\n\t}\n"+
		"\treturn s.listener.Close() // first version of closing\n}\n")
	r.Commit("server: safe close")
	r.Git("tag", "-a", "-m", "one", "v1")
	r.Git("checkout", "-q", "-b", "side", "HEAD~1")
	r.Write("other.txt", "alpha\nbeta\ngamma\ndelta from the side branch with enough text to be found\n")
	r.Commit("other: delta")
	r.Git("checkout", "-q", "main")
	r.Write("other.txt", "zero\nalpha\nbeta\ngamma\n")
	r.Commit("other: zero")
	r.Git("merge", "-q", "-m", "merge side", "side")
	r.Git("mv", "server.go", "sub.go")
	r.Commit("rename server.go")
	r.Write("dir/lib.go", "package dir\n\nfunc (s *Server) Close() error {\n"+
		"\tif !s.closed.CompareAndSwap(false, true) {\n"+
		"\t\treturn nil\n\t}\n\treturn s.listener.Close() // first version of closing\n}\n\nvar X = 1\n")
	r.Write("crlf.txt", "one\r\ntwo\r\n")
	r.Write("latin1.txt", "caf\xe9\ntrace-agent not a header\n\x00\x1b[31mred\n")
	r.Write(`od"d n`+"\u00e4"+"me\t.txt", "odd\n")
	r.Commit("dir: copy close")
	r.Write("latin1.txt", "caf\xe9\ntrace-agent still not a header\n\x00\x1b[31mred\nend without newline")
	r.Write(`od"d n`+"\u00e4"+"me\t.txt", "odd\nodder\n")
	r.Write("sub.go", strings.Replace(r.Read("sub.go"), "return nil", "return ErrClosed", 1))
	r.Commit("return ErrClosed")
	r.Write("sub.go", r.Read("sub.go")+"\n// not committed\n")
	r.Write("revs", strings.TrimSpace(r.Git("rev-parse", "HEAD"))+"\n")
	r.Write("contents.txt", "zero\nnew line\nalpha\n")
	return r
}

// Read reads a file.
func (r *Repo) Read(name string) string {
	r.T.Helper()
	text, err := os.ReadFile(filepath.Join(r.Dir, name))
	if err != nil {
		r.T.Fatal(err)
	}
	return string(text)
}

// Forms are calls of blame as people and programs make them. {} is replaced by the format.
var Forms = []Form{
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

// Form is the arguments of a call, and its directory in the repository.
type Form struct{ Dir, Args string }

// Words splits the arguments of a form. A name with blanks is the last argument, after "-- ".
func Words(form string) []string {
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

// Clock matches the times that git prints for uncommitted lines, which are the present time.
var Clock = regexp.MustCompile(`(?m)^((?:author|committer)-time )` + `(?:17[6-9]|1[89]\d)\d{7}$`)

// Graft returns a line of a graft file that makes HEAD~2 the parent of HEAD.
func (r *Repo) Graft() string {
	return strings.TrimSpace(r.Git("rev-parse", "HEAD")) + " " + strings.TrimSpace(r.Git("rev-parse", "HEAD~2")) + "\n"
}

// Asked is a form with git's output for it.
type Asked struct {
	Text       string // the arguments as typed
	Args       []string
	Dir, Stdin string
	Want       string
	Code       int // git's exit status
}

// Ask runs git blame for each form, with format for {}, and passes the result to judge.
func (r *Repo) Ask(t *testing.T, format string, forms []Form, judge func(Asked)) {
	t.Helper()
	r.Write("grafts", r.Graft())
	link := filepath.Join(t.TempDir(), "link") // a new link, since Ask may be called several times
	if err := os.Symlink(r.Dir, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for _, form := range forms {
		a := Asked{Dir: filepath.Join(r.Dir, form.Dir), Stdin: "zero\nfrom standard input\nalpha\n"}
		a.Text = strings.NewReplacer("ABS", r.Dir, "LINK", link, "{}", format).Replace(form.Args)
		a.Args = Words(a.Text)
		a.Want, a.Code = r.Try(a.Dir, a.Stdin, append([]string{"blame"}, a.Args...)...)
		judge(a)
	}
}
