package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// hashByGit finds the ids of the jobs whose content git converts (filters, line endings, keywords, encodings). One git
// process stores all of them through a small private index. The index starts with the user's entries at these paths:
// for automatic line endings, git reads there whether a file was stored with CRs before.
func (s *scan) hashByGit(jobs []job) error {
	byPath := make(map[string]*job)
	var paths []string
	for i := range jobs {
		if j := &jobs[i]; j.git && j.err == nil {
			paths = append(paths, j.path())
			byPath[j.path()] = j
		}
	}
	if len(paths) == 0 {
		return nil
	}
	slices.Sort(paths)
	index := filepath.Join(filepath.Dir(s.e.path), "convert-index")
	defer func() { _ = os.Remove(index) }()
	result, err := s.convert(index, paths, byPath)
	if err != nil {
		return err
	}
	objects := s.e.repo.Objects()
	objects.Max = keepLimit
	defer func() { _ = objects.Close() }()
	for _, path := range paths {
		j := byPath[path]
		ie := result.find(path)
		switch {
		case j.err != nil:
		case ie == nil:
			j.err = os.ErrNotExist
		default:
			j.oid = ie.oid
			j.flags |= flagByGit
			if err := s.e.keepBy(objects, path, Entry{OID: j.oid}); err != nil { // git did not store what the repository has
				return errStore{err}
			}
			if ie.size != uint32(j.st.size) || int64(ie.mtimeSec) != j.st.mtime/1e9 || int64(ie.mtimeNano) != j.st.mtime%1e9 {
				j.flags |= flagRacy
			}
		}
	}
	return nil
}

// convert runs git on the private index until no path fails. Each failing path gets its error.
func (s *scan) convert(index string, paths []string, byPath map[string]*job) (*gitIndex, error) {
	left := slices.Clone(paths)
	for failures := 0; len(left) > 0; failures++ {
		if err := s.startIndex(index, left); err != nil {
			return nil, err
		}
		input := []byte(strings.Join(left, "\x00") + "\x00")
		_, stderr, err := s.e.side(s.ctx, index, bytes.NewReader(input), "update-index", "--add", "--remove", "--replace",
			"-z", "--stdin")
		if err == nil {
			break
		}
		var failed *refs.GitError
		path, filter, ok := culprit(stderr, func(path string) bool { return slices.Contains(left, path) })
		if !ok || !errors.As(err, &failed) {
			return nil, err
		}
		lost := []string{path}
		if filter != "" && failures >= maxSingleFailures {
			more, err := s.e.withFilter(s.ctx, index, input, filter)
			if err != nil {
				return nil, err
			}
			lost = append(lost, more...)
		}
		for _, p := range lost {
			byPath[p].err = err
		}
		left = slices.DeleteFunc(left, func(p string) bool { return slices.Contains(lost, p) })
	}
	return readIndex(index, s.e.repo.Format)
}

// startIndex writes the index that git starts from. It has the user's entries at the paths, without stat data, so that
// git reads every file.
func (s *scan) startIndex(path string, paths []string) error {
	idx, err := s.index()
	if err != nil {
		return err
	}
	var entries []indexEntry
	for _, p := range paths {
		if ie := idx.find(p); ie != nil && ie.mode&typeMask == typeFile && ie.flags&intentToAdd == 0 && ie.stage&1 == 0 {
			entries = append(entries, indexEntry{path: p, mode: ie.mode, oid: ie.oid})
		}
	}
	_ = os.Remove(path + ".lock")
	return refs.WriteFileAtomic(path, encodeIndex(entries, s.e.repo.Format), 0o600)
}

// encodeIndex returns an index file of version 2, without stat data. The entries must be sorted.
func encodeIndex(entries []indexEntry, format refs.ObjectFormat) []byte {
	out := append([]byte("DIRC"), 0, 0, 0, 2)
	out = binary.BigEndian.AppendUint32(out, uint32(len(entries)))
	for i := range entries {
		e, start := &entries[i], len(out)
		out = append(out, make([]byte, 24)...)
		out = binary.BigEndian.AppendUint32(out, e.mode)
		out = append(out, make([]byte, 12)...)
		out = e.oid.AppendTo(out)
		out = binary.BigEndian.AppendUint16(out, uint16(min(len(e.path), 0xfff)))
		out = append(out, e.path...)
		out = append(out, make([]byte, 8-(len(out)-start)%8)...)
	}
	sum := format.New()
	_, _ = sum.Write(out)
	return sum.Sum(out)
}
