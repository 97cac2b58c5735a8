package trails

import (
	"github.com/git-trace/git-trace/refs"
)

// A file gets a new name, and is committed under it while hooks are off; a rebase then makes that commit anew. What the file was made
// of was seen under the older name alone.

// How many files with a new name are asked for in one step, and among how many that are gone: somebody waits for it.
const (
	maxNewNames = 32
	maxGone     = 256
)

// underOlderName is what a file was last seen with that has got another name since, which nobody has looked at yet, if a commit
// that was made since everything was looked at has it. The state of the last look is left as it is.
func (s *step) underOlderName(commit refs.OID, path string) (Source, bool) {
	if from, asked := s.newNames[path]; asked {
		return from, !from.Blob.IsZero()
	}
	if len(s.newNames) == maxNewNames || len(s.known.Blobs(path, 1)) > 0 || !s.findLast() {
		return Source{}, false
	}
	if _, there := s.last.Lookup(path); there || !s.git.Known() || !s.git.MovedTo(commit) {
		return Source{}, false
	}
	if s.newNames == nil {
		s.newNames = map[string]Source{}
	}
	s.newNames[path] = s.findOlderName(path)
	return s.newNames[path], !s.newNames[path].Blob.IsZero()
}

// findOlderName compares a file of the work tree with those that are gone.
func (s *step) findOlderName(path string) Source {
	content, found := readWorkFile(s.repo, path)
	if !found {
		return Source{}
	}
	if s.gone == nil {
		gone, err := s.deleted(s.last, maxGone)
		if err != nil {
			gone = nil // what cannot be listed has no new name
		}
		s.gone = append([]*file{}, gone...)
	}
	f := &file{path: path, oldPath: path, new: newText(s.repo.Format.Hash(refs.BlobObject, content), content)}
	pair(s.gone, []*file{f}, map[*file]bool{})
	return Source{Path: f.oldPath, Blob: f.old.oid, Far: true}
}
