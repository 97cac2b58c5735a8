package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/view/exchange"
)

// damages are what is wrong with a file, by a name. A false result is a file that this cannot be done to.
var damages = map[string]func(whole []byte) ([]byte, bool){
	"cut": func(whole []byte) ([]byte, bool) { return whole[:len(whole)*2/3], true },
	"cut and compressed": func(whole []byte) ([]byte, bool) {
		return packedWith(whole[:len(whole)*2/3]), true
	},
	"compressed and cut": func(whole []byte) ([]byte, bool) {
		packed := packedWith(whole)
		return packed[:len(packed)-12], true
	},
	"bytes of something else": func(whole []byte) ([]byte, bool) {
		return slices.Concat(whole[:len(whole)/2], bytes.Repeat([]byte("\x00\xff\x1b[31m\n"), 99)), true
	},
	"another file behind it": func(whole []byte) ([]byte, bool) {
		return slices.Concat(whole, []byte("\n[1, \"no object\"]\n")), true
	},
	"nested too deeply": func(whole []byte) ([]byte, bool) {
		deep := strings.Repeat(`{"a":`, 600) + "1" + strings.Repeat("}", 600)
		at := bytes.IndexByte(whole, '{')
		if at < 0 {
			return nil, false
		}
		return slices.Concat(whole[:at+1], []byte(`"z":`+deep+`,`), whole[at+1:]), true
	},
	"longer than what is read": func(whole []byte) ([]byte, bool) {
		return slices.Concat(packedWith(whole), farTooLong()), true
	},
}

// farTooLong is a part of a compressed file, of a line far longer than an honest file would have.
var farTooLong = sync.OnceValue(func() []byte {
	return packedWith([]byte("\n{\"z\":\""), bytes.Repeat([]byte("z"), 120<<20))
})

func packedWith(parts ...[]byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	for _, part := range parts {
		_, _ = z.Write(part)
	}
	_ = z.Close()
	return out.Bytes()
}

// converted runs convert on a file in a home of its own.
func converted(t *testing.T, from, path string) (out, said string, status int) {
	t.Helper()
	args := []string{"convert", "--format", "opentraces", "--no-redact"}
	if from != "" {
		args = append(args, "--from", from)
	}
	cmd := exec.Command("git-trace", append(args, path)...)
	cmd.Env = append(os.Environ(), "HOME="+testenv.TempDir(t))
	var err bytes.Buffer
	cmd.Stderr = &err
	text, failed := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(failed, &exit) {
		status = exit.ExitCode()
	}
	return string(text), err.String(), status
}

// Of every exchange format: what is wrong with a file ends it with status 2, is told with the file, the row and the
// byte, and nothing of the file is written.
func TestWhatIsWrongWithAFileIsToldWithItsPlaceAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/formats/*.*")
	if err != nil || len(files) < 12 {
		t.Fatal(files, err)
	}
	for _, file := range testenv.Some(files, 3) {
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		format, found := exchange.Recognise(whole)
		if !found {
			t.Fatalf("%s is of no format", file)
		}
		for name, damage := range damages {
			t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) {
				t.Parallel()
				damaged, possible := damage(whole)
				if !possible {
					t.Skip("this cannot be done to the file")
				}
				path := filepath.Join(testenv.TempDir(t), "file")
				if err := os.WriteFile(path, damaged, 0o600); err != nil {
					t.Fatal(err)
				}
				out, said, status := converted(t, format.Name, path)
				want := regexp.MustCompile(`(?m)^git-trace: error: ` + regexp.QuoteMeta(path) +
					`: .*\b(line|element) \d+, byte \d+: [^\x00-\x08\x1b]+$`)
				if status != exit.Unchecked || out != "" || !want.MatchString(said) {
					t.Errorf("status %d, %d bytes written, said:\n%s", status, len(out), said)
				}
			})
		}
	}
}

// Of every agent: of a session file that is damaged the rest is read, since an agent may be writing it. What was lost
// is told with its place; where nothing is left to read, or the file cannot be unpacked, that is an error.
func TestWhatIsLostOfASessionFileIsToldWithItsPlace(t *testing.T) {
	t.Parallel()
	lost := regexp.MustCompile(`(?m)^git-trace: warning: .*: line \d+, byte \d+: \d+ lines? could not be read, whole or in part$`)
	none := regexp.MustCompile(`(?m)^git-trace: error: .*(line \d+, byte \d+: |page \d+|row|: holds no conversation of |no such )`)
	for _, agent := range testenv.Some(agents.All(agents.Env{Home: "/home/dev"}), 4) {
		if agent.Parser == nil {
			continue
		}
		seen := 0
		err := filepath.WalkDir(filepath.Join("../../testdata/sessions", agent.Name), func(path string, entry fs.DirEntry, err error) error {
			ending := filepath.Ext(path)
			if err != nil || entry.IsDir() || strings.HasSuffix(path, ".record.json") ||
				!slices.Contains([]string{".json", ".jsonl", ".md", ".db", ".vscdb"}, ending) || seen > 1 {
				return err
			}
			whole, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if _, said, status := converted(t, agent.Name, path); status != 0 || said != "" {
				return nil // a part of a session that lies in several files
			}
			seen++
			for name, damage := range damages {
				if seen > 1 && name == "longer than what is read" {
					continue // it takes much room, and no other part of the program
				}
				t.Run(agent.Name+"/"+filepath.Base(path)+"/"+name, func(t *testing.T) {
					t.Parallel()
					damaged, possible := damage(whole)
					if !possible {
						t.Skip("this cannot be done to the file")
					}
					copied := filepath.Join(testenv.TempDir(t), filepath.Base(path))
					if err := os.WriteFile(copied, damaged, 0o600); err != nil {
						t.Fatal(err)
					}
					out, said, status := converted(t, agent.Name, copied)
					switch {
					case status == 0 && (said == "" || lost.MatchString(said)):
						// text of Aider, or what comes behind a document, is no damage
						if said == "" && name == "cut" && ending == ".jsonl" {
							t.Error("a line that was cut is not told")
						}
					case status == exit.Unchecked && out == "" && none.MatchString(said):
					default:
						t.Errorf("status %d, %d bytes written, said:\n%s", status, len(out), said)
					}
				})
			}
			return nil
		})
		if err != nil || seen == 0 && agent.Name != "zed" { // its threads are unpacked by git-trace-serve
			t.Errorf("%s: %d files, %v", agent.Name, seen, err)
		}
	}
}
