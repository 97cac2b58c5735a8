package gitblame

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// inquiry is a blame question that the cache can answer, about a path in a commit or in the work tree.
type inquiry struct {
	*Session
	pending bool     // the question is about the work tree
	commit  refs.OID // the commit in question; HEAD for the work tree
	raw     []byte   // the file in the work tree
	blob    refs.OID // blob id of raw if git stores the file unchanged, otherwise zero
	wanted  lineRange
	how     []string // options that change the answer: -w, -M, -C and similar ones
	whole   bool     // the answer cannot be composed from an older commit's answer
	since   string   // option that ends the history at a time, or empty
	context digest
}

// subject is the key of stored answers: the path, and the options that change the answer.
func (q *inquiry) subject() string { return strings.Join(append([]string{q.path}, q.how...), "\x00") }

// inquiry returns the question for the cache. `ok` is false if the cache cannot answer it.
func (s *Session) inquiry(format Format) (*inquiry, bool) {
	q := &inquiry{Session: s, pending: len(s.target.revs) == 0}
	if !q.readOptions(format) {
		return nil, false
	}
	config := s.settings()
	var ok bool
	if q.context, ok = s.context(config.Config); config.err != nil || !ok {
		return nil, false
	}
	if q.commit, ok = s.askedCommit(); !ok {
		return nil, false
	}
	if q.pending {
		if _, err := os.Lstat(filepath.Join(s.repo.GitDir, "MERGE_HEAD")); err == nil {
			return nil, false // during a merge the work tree has several parents for git blame
		}
		if q.raw, ok = s.readFile(); !ok {
			return nil, false
		}
	}
	return q, true
}

// readOptions reads the range and the comparison options. It returns false if there are options that the cache does not
// support.
func (q *inquiry) readOptions(format Format) bool {
	o := &q.opts
	if q.target.file == "" || outside(q.path) || len(q.target.revs) > 1 || q.target.cutsHistory() ||
		format == Incremental || // git prints entries in the order of its search
		o.HasContents || o.ScoreDebug || o.ShowStats || strings.Trim(o.Abbrev, "0123456789") != "" {
		return false
	}
	for _, arg := range o.args {
		switch arg.role {
		case draws, names:
		case formats:
			if strings.Contains(arg.words[0], "progress") { // git refuses it outside of its own formats
				return false
			}
		case ranges:
			if q.wanted != (lineRange{}) {
				return false
			}
			var ok bool
			if q.wanted, ok = parseRange(arg.words); !ok {
				return false
			}
		case passes:
			if name, _, _ := strings.Cut(arg.words[0], "="); name != "--date" || !knownDate(o.Date) {
				return false
			}
		case compares:
			q.how = append(q.how, arg.words...)
		case moves:
			q.how, q.whole = append(q.how, arg.words...), true
		case copies:
			if q.how, q.whole = append(q.how, arg.words...), true; q.pending {
				return false
			}
		case limits, contents:
			return false
		}
	}
	if q.whole && q.wanted != (lineRange{}) { // git searches for moves of these lines alone
		return false
	}
	if !o.dashes { // git then requires a file in the work tree, for any revision
		if _, err := os.Lstat(q.file()); err != nil {
			return false
		}
	}
	return true
}

// knownDate reports whether git knows a date format. Git refuses an unknown one.
func knownDate(mode string) bool {
	mode = strings.TrimSuffix(mode, "-local")
	switch mode {
	case "relative", "local", "default", "human", "iso", "iso8601", "iso-strict", "iso8601-strict", "rfc", "rfc2822",
		"short", "raw", "unix":
		return true
	}
	return false
}

// askedCommit returns the commit in question: HEAD for the work tree.
func (s *Session) askedCommit() (refs.OID, bool) {
	rev := "HEAD"
	if len(s.target.revs) > 0 {
		rev = s.target.revs[0]
	}
	if rev == "HEAD" || rev == "@" {
		head, _, err := s.repo.Head()
		return head, err == nil && !head.IsZero()
	}
	if strings.HasPrefix(rev, "-") {
		return refs.OID{}, false
	}
	if oid, err := refs.ParseOID(rev); err == nil {
		objects, done := s.objects()
		defer done()
		typ, _, err := objects.Read(oid)
		return oid, err == nil && typ == refs.CommitObject
	}
	text, err := s.Ask(nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return refs.OID{}, false
	}
	oid, err := refs.ParseOID(text)
	return oid, err == nil
}

// objects returns the reader of objects. The caller must call the result `done`.
func (s *Session) objects() (objects *refs.Objects, done func()) {
	if s.opts.History != nil {
		return s.opts.History.objects, func() {}
	}
	objects = s.repo.Objects()
	return objects, func() { _ = objects.Close() }
}

// file returns the path of the blamed file in the work tree.
func (s *Session) file() string { return filepath.Join(s.repo.WorkTree, filepath.FromSlash(s.path)) }

// maxFile limits the size in bytes of files whose answers are stored.
const maxFile = 16 << 20

// readFile reads the file in the work tree if it is a regular file. Otherwise git must read it.
func (s *Session) readFile() ([]byte, bool) {
	info, err := os.Lstat(s.file())
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || info.Size() > maxFile {
		return nil, false
	}
	raw, err := os.ReadFile(s.file())
	return raw, err == nil && len(raw) > 0
}
