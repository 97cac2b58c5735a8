package gitdiff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/git-trace/git-trace/refs"
)

// ErrShape is returned for output that git would not write.
var ErrShape = errors.New("unexpected output of git diff")

// Record is the change of one path.
type Record struct {
	Path             string // raw bytes
	OldPath          string // path before the change; equal to Path unless git found a rename
	OldMode, NewMode uint32 // 0 for a side without a file
	Old, New         refs.OID
	Status           byte // A, D, M, R, T
}

// Raw returns the arguments with which git-diff-tree(1) and git-diff-index(1) print raw records, whatever the user
// configured.
func Raw() []string {
	return []string{"-r", "-z", "--raw", "--no-abbrev", "--no-color", "--no-ext-diff", "--no-textconv",
		"--ignore-submodules=none"}
}

// Patch returns the arguments of Raw, and the arguments for a patch without context after the records. Renames are
// found as in git-blame(1), for whole files.
func Patch() []string {
	return append(Raw(), "-M", "-p", "-U0", "--full-index", "--diff-algorithm=default", "--indent-heuristic",
		"--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--inter-hunk-context=0")
}

// Renames lists the files that have another name in the second of two trees. The trees are given as revisions.
func Renames(ctx context.Context, repo *refs.Repo, from, to string) ([]Record, error) {
	out, err := repo.Git(ctx, nil, append(append([]string{"diff-tree"}, Raw()...), "-M", "--diff-filter=R", from, to)...)
	if err != nil {
		return nil, err
	}
	return Records(out)
}

// Records parses output that has only raw records.
func Records(out []byte) ([]Record, error) {
	r := NewReader(bytes.NewReader(out))
	list, err := r.Records()
	if _, more := r.in.Peek(1); err == nil && more == nil {
		return nil, fmt.Errorf("%w: text after the last record", ErrShape)
	}
	return list, err
}

// Records reads raw records up to the first other output.
func (r *Reader) Records() ([]Record, error) {
	var list []Record
	for {
		switch first, err := r.ahead(1); {
		case err != nil:
			return nil, err
		case len(first) == 0 || first[0] != ':':
			return list, nil
		}
		record, err := r.record()
		if err != nil {
			return nil, err
		}
		if list = append(list, record); r.MaxRecords > 0 && len(list) > r.MaxRecords {
			return nil, ErrManyRecords
		}
	}
}

// Combined reads the raw records of a merge, as with -c. It lists the files that differ from all parents, in one list
// for each parent; no lists if there are no such files.
func (r *Reader) Combined() ([][]Record, error) {
	var lists [][]Record
	for {
		first, err := r.ahead(1)
		if err != nil || len(first) == 0 || first[0] != ':' {
			return lists, err
		}
		head, err := r.field()
		path, failed := r.field()
		if err := errors.Join(err, failed); err != nil {
			return nil, err
		}
		fields := bytes.Fields(bytes.TrimLeft(head, ":"))
		n := len(fields)/2 - 1 // number of parents
		if len(fields)%2 == 0 || n < 1 || len(fields[2*n+2]) < n || lists != nil && len(lists) != n {
			return nil, fmt.Errorf("%w: record of %d fields", ErrShape, len(fields))
		}
		if lists == nil {
			lists = make([][]Record, n)
		}
		for i := range n {
			one := Record{Path: string(path), OldPath: string(path), Status: fields[2*n+2][i]}
			if err := one.sides(fields[i], fields[n], fields[n+1+i], fields[2*n+1]); err != nil {
				return nil, err
			}
			lists[i] = append(lists[i], one)
		}
	}
}

// sides parses the modes and ids of a record.
func (f *Record) sides(oldMode, newMode, old, now []byte) error {
	modes, ids := [...][]byte{oldMode, newMode}, [...][]byte{old, now}
	for i, mode := range [...]*uint32{&f.OldMode, &f.NewMode} {
		n, err := strconv.ParseUint(string(modes[i]), 8, 32)
		if err != nil {
			return fmt.Errorf("%w: mode: %w", ErrShape, err)
		}
		*mode = uint32(n)
	}
	for i, oid := range [...]*refs.OID{&f.Old, &f.New} {
		parsed, err := refs.ParseOID(string(ids[i]))
		if err != nil {
			return fmt.Errorf("%w: %w", ErrShape, err)
		}
		if !parsed.IsZero() {
			*oid = parsed
		}
	}
	return nil
}

// record parses ":OLDMODE NEWMODE OLDOID NEWOID STATUS\0PATH\0", with a second path after a rename.
func (r *Reader) record() (Record, error) {
	head, err := r.field()
	if err != nil {
		return Record{}, err
	}
	fields := bytes.Fields(head[1:])
	if len(fields) != 5 {
		return Record{}, fmt.Errorf("%w: record of %d fields", ErrShape, len(fields))
	}
	out := Record{Status: fields[4][0]}
	if err := out.sides(fields[0], fields[1], fields[2], fields[3]); err != nil {
		return Record{}, err
	}
	path, err := r.field()
	if err != nil {
		return Record{}, err
	}
	out.Path = string(path)
	out.OldPath = out.Path
	if out.Status == 'R' || out.Status == 'C' {
		if path, err = r.field(); err != nil {
			return Record{}, err
		}
		out.Path = string(path)
	}
	return out, nil
}
