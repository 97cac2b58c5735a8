package purge

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

// mainObjects finds the objects to delete in the repository's own store: former objects of the record refs, objects in
// the plan of an interrupted purge, and unreachable versions of records. A killed process, a deleted ref, or a tool
// that rewrote all refs leaves such versions. Objects of the user's refs are not deleted.
func (p *Purge) mainObjects(s *store.Store, judge store.Judge) (map[refs.OID]bool, error) {
	if err := p.ctx.Err(); err != nil {
		return nil, err
	}
	gone := map[refs.OID]bool{}
	for oid := range p.Records.Old {
		gone[oid] = true
	}
	for _, oid := range p.plan.Main {
		if !p.Records.Kept[oid] {
			gone[oid] = true
		}
	}
	needed, err := p.Repo.Reached(p.ctx)
	if err != nil {
		if p.ctx.Err() != nil {
			return nil, p.ctx.Err()
		}
		p.leave("versions of records that no ref leads to", err.Error(), "git fsck, then purge again")
		return gone, nil
	}
	all, err := p.Repo.ListObjects(p.ctx, p.Repo.MainObjects())
	if err != nil {
		return nil, err
	}
	var loose []refs.Listed // unreachable objects
	for _, o := range all {
		if _, is := needed[o.OID]; !is && !p.Records.Kept[o.OID] && !gone[o.OID] {
			loose = append(loose, o)
		}
	}
	for _, o := range loose {
		if o.Type != refs.BlobObject {
			continue
		}
		if err := p.ctx.Err(); err != nil {
			return nil, err
		}
		must, err := s.JudgeFile(p.ctx, o.OID, judge)
		if err != nil && !errors.Is(err, refs.ErrMissing) && !errors.Is(err, refs.ErrCorrupt) {
			return nil, err
		}
		if must {
			gone[o.OID] = true
			p.Lost++
		}
	}
	p.above(loose, gone)
	if err := p.logged(loose, gone); err != nil {
		return nil, err
	}
	kept := 0
	for oid := range gone {
		if _, is := needed[oid]; is {
			delete(gone, oid)
			kept++
			if kept == 1 {
				p.leave("git objects of records", "a ref, a reflog or an index of yours leads to them",
					"git log --all --reflog --find-object="+oid.String())
			}
		}
	}
	return gone, nil
}

// `above` adds the unreachable trees and commits that refer to deleted objects. Otherwise git fsck would report the
// deleted objects as missing.
func (p *Purge) above(loose []refs.Listed, gone map[refs.OID]bool) {
	objects := p.Repo.Objects()
	defer func() { _ = objects.Close() }()
	parents := map[refs.OID][]refs.OID{} // parents by child
	for _, o := range loose {
		switch o.Type {
		case refs.TreeObject:
			entries, err := objects.Tree(o.OID)
			if err != nil {
				continue
			}
			for _, e := range entries {
				parents[e.OID] = append(parents[e.OID], o.OID)
			}
		case refs.CommitObject:
			c, err := objects.Commit(o.OID)
			if err != nil {
				continue
			}
			for _, below := range append(c.Parents, c.Tree) {
				parents[below] = append(parents[below], o.OID)
			}
		case refs.BlobObject, refs.TagObject:
		}
	}
	work := keys(gone)
	for len(work) > 0 {
		oid := work[len(work)-1]
		work = work[:len(work)-1]
		for _, above := range parents[oid] {
			if !gone[above] {
				gone[above] = true
				work = append(work, above)
			}
		}
	}
}

// snapshotBlobs finds the contents to delete in the side store: the ones that contain the texts, and the ones at the
// paths.
func (p *Purge) snapshotBlobs() (map[refs.OID]bool, error) {
	out := map[refs.OID]bool{}
	if err := p.ctx.Err(); err != nil {
		return nil, err
	}
	all, err := p.Repo.ListObjects(p.ctx, p.Repo.SideObjects())
	if err != nil {
		return nil, err
	}
	there := map[refs.OID]bool{}
	for _, o := range all {
		there[o.OID], p.searched[o.OID] = true, true
	}
	for _, oid := range p.plan.Side {
		out[oid] = there[oid]
	}
	if p.Target.Texts.HasTexts() {
		if err := p.heldBy(contents(all), out); err != nil {
			return nil, err
		}
		if err := p.named(all); err != nil {
			return nil, err
		}
	}
	if len(p.Target.Texts.Paths()) > 0 {
		if err := p.pathBlobs(all, there, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// heldBy adds the objects that contain the texts to out. It reads large ones as a stream.
func (p *Purge) heldBy(all []refs.Listed, out map[refs.OID]bool) error {
	objects := p.Repo.Objects()
	defer func() { _ = objects.Close() }()
	for _, o := range all {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		if out[o.OID] {
			continue
		}
		held, err := p.inContent(objects, o)
		switch {
		case errors.Is(err, refs.ErrMissing): // another process has just packed or deleted it
		case errors.Is(err, refs.ErrCorrupt):
			p.leave("git object "+o.OID.String(), "it is damaged, and cannot be searched", "git fsck, then purge again")
		case err != nil:
			return fmt.Errorf("search object: %w", err)
		case held:
			out[o.OID] = true
		}
	}
	return nil
}

// contents returns only the blobs.
func contents(all []refs.Listed) []refs.Listed {
	return slices.DeleteFunc(slices.Clone(all), func(o refs.Listed) bool { return o.Type != refs.BlobObject })
}

func (p *Purge) inContent(objects *refs.Objects, o refs.Listed) (bool, error) {
	if o.Size > p.most {
		return p.Target.holdsStream(func(to io.Writer) error { return p.Repo.CopyObject(p.ctx, o.OID, to) })
	}
	_, raw, err := objects.Read(o.OID)
	return err == nil && p.Target.holds(string(raw)), err
}

// pathBlobs finds the contents that the paths had in any snapshot: from their patches in the log, and by walking the
// trees of the side store.
func (p *Purge) pathBlobs(all []refs.Listed, side, out map[refs.OID]bool) error {
	for e, err := range events.OpenLog(p.Repo).Walk(p.ctx, events.Range{}) {
		if err != nil {
			return err
		}
		if e.Type != events.PatchRecorded {
			continue
		}
		var d events.PatchData
		if events.ReadData(e.Data, &d) != nil || !p.Target.isPath(events.RawPath(d.Path)) &&
			!p.Target.isPath(events.RawPath(d.OldPath)) {
			continue
		}
		for _, oid := range []refs.OID{d.Before, d.After} {
			if side[oid] {
				out[oid] = true
			}
		}
	}
	objects := p.Repo.Objects()
	defer func() { _ = objects.Close() }()
	for _, o := range all {
		if o.Type != refs.TreeObject {
			continue
		}
		entries, err := objects.Tree(o.OID)
		if err != nil {
			continue
		}
		for _, path := range p.Target.Texts.Paths() {
			if blob := p.follow(objects, entries, strings.Split(path, "/")); side[blob] {
				out[blob] = true
			}
		}
	}
	return nil
}

// follow walks down a path from a tree; zero if the path does not exist.
func (p *Purge) follow(objects *refs.Objects, entries []refs.TreeEntry, path []string) refs.OID {
	for _, e := range entries {
		if e.Name != path[0] {
			continue
		}
		if len(path) == 1 {
			if e.IsDir() {
				return refs.OID{}
			}
			return e.OID
		}
		below, err := objects.Tree(e.OID)
		if !e.IsDir() || err != nil {
			return refs.OID{}
		}
		return p.follow(objects, below, path[1:])
	}
	return refs.OID{}
}

func (t *Target) isPath(path string) bool {
	return slices.Contains(t.Texts.Paths(), path)
}
