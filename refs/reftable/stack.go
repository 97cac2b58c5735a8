package reftable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Errors that callers check for.
var (
	ErrCorrupt     = errors.New("reftable is damaged")
	ErrUnsupported = errors.New("reftable of an unknown kind")
)

const (
	maxTables = 4096 // git keeps the number of tables logarithmic in the number of refs
	maxTries  = 16   // attempts to open a stack whose tables git is merging
)

// Stack holds the tables of one directory at one moment. Callers must close it.
type Stack struct {
	tables []*table // oldest first
}

// Open opens the tables that <dir>/tables.list names.
func Open(dir string) (*Stack, error) {
	for range maxTries {
		s, err := open(dir)
		if !errors.Is(err, errGone) {
			return s, err
		}
	}
	return nil, fmt.Errorf("%w: listed tables are missing", ErrCorrupt)
}

// errGone says that a listed table does not exist any longer.
var errGone = errors.New("table is gone")

func open(dir string) (*Stack, error) {
	list, err := os.ReadFile(filepath.Join(dir, "tables.list"))
	if err != nil {
		return nil, err
	}
	names := strings.Fields(string(list))
	if len(names) > maxTables {
		return nil, fmt.Errorf("%w: %d tables", ErrUnsupported, len(names))
	}
	s := &Stack{}
	for _, name := range names {
		if name != filepath.Base(name) {
			s.Close()
			return nil, fmt.Errorf("%w: table outside of its directory", ErrCorrupt)
		}
		t, err := openTable(filepath.Join(dir, name))
		if err != nil {
			s.Close()
			if errors.Is(err, fs.ErrNotExist) {
				return nil, errGone
			}
			return nil, err
		}
		s.tables = append(s.tables, t)
	}
	return s, nil
}

// Close closes the tables.
func (s *Stack) Close() {
	for _, t := range s.tables {
		_ = t.file.Close()
	}
}

// Ref is the value of a name in a stack.
type Ref struct {
	Name   string
	Update uint64 // number of the change that wrote it; it grows with each change of the stack
	ID     []byte // id of the object; nil for a symbolic ref
	Target string // the target of a symbolic ref
}

// Ref finds a ref by its full name. The result `found` is false if the ref is missing.
func (s *Stack) Ref(name string) (ref Ref, found bool, err error) {
	for _, t := range slices.Backward(s.tables) {
		met := false
		err := t.scanRefs([]byte(name), func(r refRecord) bool {
			if met = r.Name == name; met {
				ref, found = r.Ref, !r.deleted
			}
			return false
		})
		if met || err != nil {
			return ref, found, err
		}
	}
	return Ref{}, false, nil
}

// `Below` lists the refs whose names begin with prefix, in any order.
func (s *Stack) Below(prefix string) ([]Ref, error) {
	var out []Ref
	known := map[string]bool{} // a newer table wins
	for _, t := range slices.Backward(s.tables) {
		err := t.scanRefs([]byte(prefix), func(r refRecord) bool {
			if !strings.HasPrefix(r.Name, prefix) {
				return false
			}
			if !known[r.Name] && !r.deleted {
				out = append(out, r.Ref)
			}
			known[r.Name] = true
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// HasBelow reports whether a ref has a name that begins with prefix.
func (s *Stack) HasBelow(prefix string) (bool, error) {
	hidden := map[string]bool{}
	for _, t := range slices.Backward(s.tables) {
		found := false
		err := t.scanRefs([]byte(prefix), func(r refRecord) bool {
			if !strings.HasPrefix(r.Name, prefix) {
				return false
			}
			if r.deleted {
				hidden[r.Name] = true
			}
			found = !r.deleted && !hidden[r.Name]
			return !found
		})
		if found || err != nil {
			return found, err
		}
	}
	return false, nil
}
