package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// receiptName is the file in <common>/traces that lists the installed parts. With it, a hook that a manager has
// overwritten can be distinguished from a hook that never had our part. Removal needs only the hooks themselves.
const receiptName = "hooks.json"

// receiptVersion is the version of the receipt's format.
const receiptVersion = 1

type receipt struct {
	Version int     `json:"version"`
	Binary  string  `json:"binary"`
	Places  []place `json:"places"`
}

// place is one hooks directory with our part in it. If core.hooksPath is relative, each work tree has its own. Paths
// are absolute in memory. In the file, paths near the common directory are relative to it, so that the repository can
// be moved.
type place struct {
	Dir    string   `json:"dir"`
	Apart  bool     `json:"own_directory,omitempty"` // our own directory, to which core.hooksPath points
	Shared bool     `json:"shared,omitempty"`        // shared with other repositories
	Made   []string `json:"made,omitempty"`          // directories that the install created, deepest first
}

func (in Installer) receiptPath() string { return filepath.Join(in.Repo.TracesDir(), receiptName) }

// readReceipt reads the receipt. If it is missing or damaged, the result is empty, and an install writes it again.
func (in Installer) readReceipt() (receipt, error) {
	data, err := os.ReadFile(in.receiptPath())
	if errors.Is(err, fs.ErrNotExist) {
		return receipt{}, nil
	}
	if err != nil {
		return receipt{}, named(err, "read", in.receiptPath())
	}
	r := decodeReceipt(data)
	for i := range r.Places {
		r.Places[i].Dir = in.absolute(r.Places[i].Dir)
		for j, dir := range r.Places[i].Made {
			r.Places[i].Made[j] = in.absolute(dir)
		}
	}
	return r, nil
}

func decodeReceipt(data []byte) receipt {
	var r receipt
	if err := json.Unmarshal(data, &r); err != nil || r.Version != receiptVersion {
		return receipt{}
	}
	return r
}

// `with` returns the receipt with a place added or updated.
func (r receipt) with(at place, binary string) receipt {
	r.Version, r.Binary, r.Places = receiptVersion, binary, slices.Clone(r.Places)
	for i, old := range r.Places {
		if old.Dir == at.Dir {
			if len(at.Made) == 0 {
				at.Made = old.Made
			}
			r.Places[i] = at
			return r
		}
	}
	r.Places = append(r.Places, at)
	return r
}

// `at` returns the entry for a directory.
func (r receipt) at(dir string) (place, bool) {
	i := slices.IndexFunc(r.Places, func(p place) bool { return p.Dir == dir })
	if i < 0 {
		return place{}, false
	}
	return r.Places[i], true
}

// planReceipt writes the receipt if it has changed.
func (in Installer) planReceipt(p *plan, r receipt) error {
	for i := range r.Places {
		r.Places[i].Dir = in.relative(r.Places[i].Dir)
		made := make([]string, 0, len(r.Places[i].Made))
		for _, dir := range r.Places[i].Made {
			made = append(made, in.relative(dir))
		}
		r.Places[i].Made = made
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write receipt: %w", err)
	}
	data = append(data, '\n')
	if old, err := os.ReadFile(in.receiptPath()); err == nil && bytes.Equal(old, data) {
		return nil
	}
	p.quietly(&writeFile{path: in.receiptPath(), data: data, mode: 0o644})
	return nil
}

func (in Installer) planForget(p *plan) {
	if present(in.receiptPath()) {
		p.quietly(&removeFile{path: in.receiptPath()})
	}
}

func (in Installer) relative(path string) string {
	if !within(path, filepath.Dir(in.Repo.CommonDir)) {
		return path
	}
	rel, err := filepath.Rel(in.Repo.CommonDir, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

func (in Installer) absolute(path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(in.Repo.CommonDir, path)
}
