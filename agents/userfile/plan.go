package userfile

import (
	"bytes"
	"fmt"
	"io/fs"
)

// Change is an edit that can be undone.
type Change interface {
	Apply() error
	Revert() error
}

// Step is a change with its announcement; changes of git-trace's own lists have none.
type Step[A any] struct {
	Action *A
	Change Change
}

// Plan lists the steps in order.
type Plan[A any] []Step[A]

// Add appends a change with an announcement.
func (p *Plan[A]) Add(action A, change Change) { *p = append(*p, Step[A]{&action, change}) }

// Quietly appends a change that is not announced.
func (p *Plan[A]) Quietly(change Change) { *p = append(*p, Step[A]{Change: change}) }

// Actions returns the announcements.
func (p Plan[A]) Actions() []A {
	var list []A
	for _, step := range p {
		if step.Action != nil {
			list = append(list, *step.Action)
		}
	}
	return list
}

// Apply applies all steps or none: if one fails, it undoes the earlier ones.
func (p Plan[A]) Apply() error {
	for i, step := range p {
		err := step.Change.Apply()
		if err == nil {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			if back := p[j].Change.Revert(); back != nil {
				err = fmt.Errorf("%w (and undoing: %w)", err, back)
			}
		}
		return err
	}
	return nil
}

// Edit sets the content of a file; nil Data deletes the file, and the directories below Root that become empty. If Made
// names a list of directories that were made, only directories on the list are deleted.
type Edit struct {
	File File
	Data []byte
	Root string
	Made string
}

// Apply makes the edit, unless the file has changed since it was read.
func (e Edit) Apply() error {
	if e.Data == nil {
		return e.named(e.File.Delete(e.Root, made(e.Made)))
	}
	dirs := missing(e.File.Path, e.Root)
	err := e.File.Replace(e.Data)
	if err == nil {
		made(e.Made).note(dirs)
	}
	return e.named(err)
}

// Revert restores the earlier content of the file. Later changes by others are kept.
func (e Edit) Revert() error {
	now, err := e.File.again()
	switch {
	case err != nil:
	case !bytes.Equal(now.Data, e.Data) || (now.Data == nil) != (e.Data == nil):
		err = ErrChanged
	case e.File.Data == nil:
		err = now.Delete(e.Root, made(e.Made))
	default:
		now.info = e.File.info
		err = now.Replace(e.File.Data)
	}
	return e.named(err)
}

func (e Edit) named(err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: "write", Path: e.File.Path, Err: err}
}

// `again` reads the file again.
func (f File) again() (File, error) {
	if f.root != "" {
		return ReadIn(f.in, f.Path)
	}
	return Read(f.Path)
}
