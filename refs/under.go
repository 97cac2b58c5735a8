package refs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// NamedRef is a ref and the object that it names.
type NamedRef struct {
	Name string
	OID  OID
}

// RefsUnder lists the refs whose names begin with a prefix, sorted by name; the prefix ends in a slash. It reads git's
// files (gitrepository-layout(5)), and calls git if it finds something other than a plain ref. Callers share the list
// and must not change it.
func (r *Repo) RefsUnder(ctx context.Context, prefix string) ([]NamedRef, error) {
	list, err := r.readUnder(prefix)
	if err != nil {
		return r.askUnder(ctx, prefix)
	}
	return sorted(list), nil
}

// `sorted` sorts a list by name and removes duplicates.
func sorted(list []NamedRef) []NamedRef {
	for i := range list {
		if i > 0 && list[i-1].Name >= list[i].Name {
			list = slices.Clone(list)
			slices.SortFunc(list, func(a, b NamedRef) int { return cmp.Compare(a.Name, b.Name) })
			return slices.CompactFunc(list, func(a, b NamedRef) bool { return a.Name == b.Name })
		}
	}
	return list
}

// askUnder lists the refs with git (git-for-each-ref(1)).
func (r *Repo) askUnder(ctx context.Context, prefix string) ([]NamedRef, error) {
	out, err := r.Git(ctx, nil, "for-each-ref", "--format=%(objectname) %(refname)", prefix)
	if err != nil {
		return nil, fmt.Errorf("list refs: %w", err)
	}
	var list []NamedRef
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		oid, err := ParseOID(id)
		if err != nil {
			return nil, fmt.Errorf("list refs: %s: %w", name, err)
		}
		list = append(list, NamedRef{name, oid})
	}
	return list, nil
}

// readUnder reads the refs for RefsUnder, in any order. If it fails, git must be called.
func (r *Repo) readUnder(prefix string) ([]NamedRef, error) {
	if !r.fileRef(prefix) {
		return r.tablesUnder(prefix)
	}
	loose, err := r.filesUnder(prefix) // files first: git adds the packed line before it removes the file
	if err != nil {
		return nil, err
	}
	packed, err := r.packedUnder(prefix)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(loose) == 0 {
		return slices.Clip(packed), nil
	}
	list := make([]NamedRef, 0, len(loose)+len(packed))
	for _, ref := range packed {
		if _, moved := loose[ref.Name]; !moved {
			list = append(list, ref)
		}
	}
	for name, oid := range loose {
		list = append(list, NamedRef{name, oid})
	}
	return list, nil
}

// filesUnder reads the refs that are stored as files.
func (r *Repo) filesUnder(prefix string) (map[string]OID, error) {
	found := map[string]OID{}
	top := strings.TrimSuffix(prefix, "/")
	err := filepath.WalkDir(r.refPath(top), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the file is missing, or git has just packed the ref
		}
		if err != nil || entry.IsDir() || strings.HasSuffix(path, ".lock") {
			return err
		}
		below, err := filepath.Rel(r.refPath(top), path)
		if err != nil || below == "." { // a ref has the name of the directory
			return err
		}
		name := prefix + filepath.ToSlash(below)
		if err := checkRefName(name); err != nil {
			return err
		}
		oid, target, err := r.readRefFile(name)
		switch {
		case errors.Is(err, ErrRefMissing):
			return nil
		case err != nil || target != "" || entry.Type()&os.ModeSymlink != 0:
			return errors.Join(errAskGit, err)
		}
		found[name] = oid
		return nil
	})
	return found, err
}

// tablesUnder reads the refs that are stored in tables.
func (r *Repo) tablesUnder(prefix string) ([]NamedRef, error) {
	stack, err := r.tables(prefix)
	if err != nil {
		return nil, err
	}
	defer stack.Close()
	list, err := stack.Below(prefix)
	if err != nil {
		return nil, err
	}
	found := make([]NamedRef, len(list))
	for i, ref := range list {
		found[i].Name = ref.Name
		if found[i].OID, err = OIDFromBytes(ref.ID); err != nil {
			return nil, err // a symbolic ref has no id, so it fails too
		}
	}
	return found, nil
}
