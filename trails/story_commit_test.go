package trails

import (
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/vector"
)

// commit takes HEAD into the timeline, as the hook of git-commit(1) does, and tells who owns the lines of its files.
func (y *story) commit() {
	y.t.Helper()
	head, parent := y.id("HEAD"), refs.OID{}
	if list := strings.Fields(y.git("log", "-1", "--format=%P")); len(list) > 0 {
		parent = y.id(list[0])
	}
	var paths []string
	changed := y.changed("HEAD")
	for _, c := range changed {
		paths = append(paths, c.path)
	}
	y.check(y.engine().AtCommit(y.t.Context(), time.Now(), head, parent, paths, func(v *View) ([]events.Draft, error) {
		return y.anchored(v, head, refs.OID{}, changed)
	}))
}

// rewritten takes the last commits into the timeline, as many as is said, which git made of as many others that HEAD
// had before the last rebase.
func (y *story) rewritten(count string) {
	y.t.Helper()
	fresh := strings.Fields(y.git("rev-list", "--reverse", "-"+count, "HEAD"))
	old := strings.Fields(y.git("rev-list", "--reverse", "-"+count, "ORIG_HEAD"))
	var ids []refs.OID
	for _, id := range fresh {
		ids = append(ids, y.id(id))
	}
	y.check(y.engine().AtRewrite(y.t.Context(), time.Now(), ids, func(v *View) ([]events.Draft, error) {
		var all []events.Draft
		for i, id := range fresh {
			drafts, err := y.anchored(v, ids[i], y.id(old[i]), y.changed(id))
			if err != nil {
				return nil, err
			}
			all = append(all, drafts...)
		}
		return all, nil
	}))
	for _, id := range ids {
		if !slices.Contains(y.engine().Anchored(), id) {
			y.t.Errorf("%s is not noted as anchored", id)
		}
	}
}

func (y *story) id(rev string) refs.OID {
	y.t.Helper()
	oid, err := refs.ParseOID(y.git("rev-parse", rev))
	y.check(err)
	return oid
}

type changedBlob struct {
	path    string
	was, is refs.OID
}

// changed are the files that a commit changed.
func (y *story) changed(commit string) (out []changedBlob) {
	y.t.Helper()
	for line := range strings.Lines(y.git("diff-tree", "-r", "--root", "--no-commit-id", "--no-renames", commit)) {
		fields := strings.Fields(line)
		was, err := refs.ParseOID(fields[2])
		y.check(err)
		is, err := refs.ParseOID(fields[3])
		y.check(err)
		out = append(out, changedBlob{fields[5], was, is})
	}
	return out
}

// anchored tells who owns the lines of the files of a commit, in words and in an event.
func (y *story) anchored(v *View, commit, replaced refs.OID, changed []changedBlob) ([]events.Draft, error) {
	data := events.CommitData{Commit: commit}
	for _, c := range changed {
		raw, err := v.Blob(c.is)
		if err != nil {
			continue // it was deleted
		}
		lines := newText(c.is, raw).Lines
		vec, seen := v.Known.Get(c.path, c.is)
		if seen && vec.Len() == len(lines) {
			y.tellOwners(c.path+" was seen:", vec, v.Owners.Describe, nil)
		} else if vec, err = y.made(v, c, replaced, lines); err != nil {
			return nil, err
		}
		file := events.AnchorFile{Path: events.EncodePath(c.path), Blob: c.is}
		for _, run := range vec.Runs() {
			owner := events.AnchorOwner{Kind: run.Owner.Kind}
			if run.Owner.Patch != "" {
				owner = v.Owners.Describe(run.Owner.Patch)
			}
			owner.Previous = run.Owner.Previous
			file.Runs = append(file.Runs, events.AnchorRun{Start: run.Start + 1, Count: run.Count, Owner: len(data.Owners)})
			data.Owners = append(data.Owners, owner)
			data.Added += run.Count
		}
		data.Files = append(data.Files, file)
	}
	raw, err := events.Encode(data)
	return []events.Draft{{Type: events.CommitAnchored, Method: []events.Method{events.PostCommit}, Data: raw}}, err
}

// made finds the owners of a content that nobody saw before it was committed.
func (y *story) made(v *View, c changedBlob, replaced refs.OID, lines [][]byte) (vector.Vector, error) {
	found, err := v.Origins(Committed{Path: c.path, OldPath: c.path, Old: c.was, Lines: lines, Replaced: replaced})
	if err != nil {
		return vector.Vector{}, err
	}
	var b vector.Builder
	var why []string
	for _, run := range found {
		for line := run.Start; line < run.Start+run.Count; line++ {
			owner := run.Owner
			if run.Source < 0 {
				owner = v.Unseen(c.path, lines[line])
			}
			b.Add(owner, 1)
			why = append(why, string(run.Why))
		}
	}
	y.tellOwners(c.path+" was made:", b.Vector(), v.Owners.Describe, why)
	v.Known.Put(c.path, c.is, b.Vector())
	return b.Vector(), nil
}

// recall tells who owns the lines of what HEAD has of a path, as somebody finds it long after who did not see it made.
func (y *story) recall(path string) {
	y.t.Helper()
	objects := y.repo.Objects()
	defer objects.Close()
	recall := NewRecall(y.repo, objects)
	if !recall.Remembers(path) {
		y.said.WriteString("  nothing is remembered\n")
	}
	raw, err := objects.Blob(y.id("HEAD:" + path))
	y.check(err)
	lines := newText(refs.OID{}, raw).Lines
	_, err = y.made(recall.View(func(events.PatchID) bool { return true }), changedBlob{path: path}, refs.OID{}, lines)
	y.check(err)
}
