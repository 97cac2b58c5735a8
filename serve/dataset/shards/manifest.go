package shards

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/refs"
)

// ManifestSchema names the form of a manifest; docs/schema/dataset-1.schema.json describes it.
const ManifestSchema = "git-trace.dataset/1"

// Manifest lists the files of a writer.
type Manifest struct {
	Schema     string   `json:"schema"`
	Name       string   `json:"name"`
	Source     string   `json:"source"`
	Partitions []string `json:"partitions"`
	Files      []File   `json:"files"`
}

// Sum is a total over files.
type Sum struct {
	Files int64 `json:"files"`
	Rows  int64 `json:"rows"`
	Bytes int64 `json:"bytes"`
}

func (s *Sum) add(f File, sign int64) {
	s.Files += sign
	s.Rows += sign * f.Rows
	s.Bytes += sign * f.Bytes
}

// Totals adds up the manifests of all writers of a directory.
type Totals struct {
	Writers int64           `json:"writers"`
	Tables  map[string]*Sum `json:"tables"`
}

const totalsName = "_totals.json"

// publish writes the manifest, and updates the totals.
func (s *Set) publish(old, m *Manifest) error {
	if err := makeDirs(filepath.Join(s.Dir, manifests)); err != nil {
		return err
	}
	lock, err := refs.Flock(filepath.Join(s.Dir, manifests, ".lock"), lockWait)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	raw, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	if err := replace(s.manifest(), append(raw, '\n')); err != nil {
		return err
	}
	t, err := s.totals(old, m)
	if err != nil {
		return err
	}
	if raw, err = json.MarshalIndent(t, "", " "); err != nil {
		return err
	}
	return replace(filepath.Join(s.Dir, manifests, totalsName), append(raw, '\n'))
}

// totals returns the totals with the new manifest. A writer may have been killed between its manifest and the totals:
// then the next run counts everything again.
func (s *Set) totals(old, m *Manifest) (*Totals, error) {
	if s.done.went {
		return recount(s.Dir)
	}
	t, err := ReadTotals(s.Dir)
	if err != nil {
		return nil, err
	}
	if old == nil {
		t.Writers++
	} else {
		t.add(old, -1)
	}
	t.add(m, 1)
	return t, nil
}

func recount(dir string) (*Totals, error) {
	t := &Totals{Tables: map[string]*Sum{}}
	paths, err := filepath.Glob(filepath.Join(dir, manifests, "*.json"))
	for _, path := range paths {
		if filepath.Base(path) == totalsName {
			continue
		}
		m, err := readManifest(path)
		if err != nil {
			return nil, err
		}
		t.Writers++
		t.add(m, 1)
	}
	return t, err
}

func replace(path string, raw []byte) error { return refs.WriteFileAtomic(path, raw, fileMode) }

func (t *Totals) add(m *Manifest, sign int64) {
	for _, f := range m.Files {
		sum := t.Tables[f.Table]
		if sum == nil {
			sum = &Sum{}
			t.Tables[f.Table] = sum
		}
		sum.add(f, sign)
	}
}

// ReadTotals reads the totals of a directory; zero if nobody wrote there.
func ReadTotals(dir string) (*Totals, error) {
	t := &Totals{}
	raw, err := os.ReadFile(filepath.Join(dir, manifests, totalsName))
	if err == nil {
		err = json.Unmarshal(raw, t)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", totalsName, err)
	}
	if t.Tables == nil {
		t.Tables = map[string]*Sum{}
	}
	return t, nil
}

func readManifest(path string) (*Manifest, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(raw, m); err != nil || m.Schema != ManifestSchema {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), errForm)
	}
	return m, nil
}
