package shards

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
)

// columnsName is the name of the file without rows.
const columnsName = "columns"

// Columns puts a file without rows into the directory of each table, so that engines know the columns of an empty
// table. JSON lines have no such file.
func (s *Set) Columns(tables []Table) error {
	if s.Pack == nil {
		return nil
	}
	made, err := os.CreateTemp("", "git-trace-*."+s.Ext)
	if err != nil {
		return err
	}
	err = made.Close()
	defer func() { _ = os.Remove(made.Name()) }()
	for _, t := range tables {
		err = errors.Join(err, s.columns(t, made.Name()))
	}
	return err
}

func (s *Set) columns(t Table, made string) error {
	if err := s.Pack(t.Columns, os.DevNull, made); err != nil {
		return err
	}
	raw, err := os.ReadFile(made)
	if err != nil {
		return err
	}
	to := filepath.Join(s.Dir, t.Name, columnsName+"."+s.Ext)
	if have, err := os.ReadFile(to); err == nil && bytes.Equal(have, raw) {
		return nil
	}
	if err := makeDirs(filepath.Dir(to)); err != nil {
		return err
	}
	return replace(to, raw)
}
