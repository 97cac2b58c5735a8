package intake

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/git-trace/git-trace/correlate/carry"
	"github.com/git-trace/git-trace/correlate/claim"
	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/records/agenttrace"
	"github.com/git-trace/git-trace/records/gitai"
	"github.com/git-trace/git-trace/records/jsonl"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/upkeep/testimony"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/exchange"
)

// lines writes the claims of the files about commits to the log.
func (im *Importer) lines(files []string) (*Imported, error) {
	im.objects = im.Repo.Objects()
	defer func() { _ = im.objects.Close() }()
	im.claims = map[refs.OID]*claim.Commit{}
	if len(files) == 0 {
		err := gitai.EachNote(im.ctx, im.Repo, func(commit string, blob refs.OID) error {
			if _, found := im.commit(commit); !found {
				im.strange++
				return nil
			}
			text, err := im.objects.Blob(blob)
			if err == nil {
				err = im.note(commit, text)
			}
			if err != nil { // other files may be readable
				fmt.Fprintf(im.Err, "git-trace: warning: left out the note of %.7s: %s\n", cells.Message(commit),
					cells.Message(err.Error()))
			}
			return nil
		})
		if err != nil {
			return nil, exit.Fail(exit.Unchecked, err, "nothing was imported")
		}
	}
	for _, name := range files {
		if err := im.file(name); err != nil {
			return nil, exit.Fail(exit.Unchecked, exchange.FileFault(name, err), "nothing was imported")
		}
	}
	return im.write()
}

func (im *Importer) file(name string) error {
	file, err := exchange.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if im.Format.Name == agenttrace.Name {
		return refs.PathCause(agenttrace.Read(file, im.agentTrace))
	}
	in := jsonl.NewReader(file, 0)
	for {
		raw, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return refs.PathCause(err)
		}
		var line exchange.Note
		if err := json.Unmarshal(raw, &line); err != nil || line.Commit == "" || line.Note == "" {
			return in.Fault(errors.New("not a commit and its note"))
		}
		if err := im.note(line.Commit, []byte(line.Note)); err != nil {
			return in.Fault(err)
		}
	}
}

// agentTrace adds a record's claims.
func (im *Importer) agentTrace(_ int, r *agenttrace.Record) error {
	if r.VCS == nil || r.VCS.Type != "git" {
		im.strange++
		return nil
	}
	commit, found := im.commit(r.VCS.Revision)
	if !found {
		im.strange++
		return nil
	}
	data, leftOut, err := r.Commit(im.content(commit))
	if err != nil {
		return err
	}
	im.add(data, leftOut)
	return nil
}

// note adds a note's claims.
func (im *Importer) note(name string, text []byte) error {
	note, err := gitai.Parse(text)
	if err != nil {
		return err
	}
	commit, found := im.commit(name)
	if !found {
		im.strange++
		return nil
	}
	content := im.content(commit)
	data, leftOut := note.Commit(commit, func(path string) (int, error) {
		lines, err := content(path)
		return len(lines), err
	})
	im.add(data, leftOut)
	return nil
}

func (im *Importer) add(data *events.CommitData, leftOut int) {
	im.leftOut += leftOut
	c := im.claims[data.Commit]
	if c == nil {
		c = &claim.Commit{CommitData: events.CommitData{Commit: data.Commit}}
		im.claims[data.Commit], im.order = c, append(im.order, data.Commit)
	}
	c.Add(data)
}

// commit returns the id of a commit by its full name, and whether the commit is here.
func (im *Importer) commit(name string) (refs.OID, bool) {
	id, err := refs.ParseOID(name)
	if err != nil || !im.objects.MayBeStored(id) {
		return id, false
	}
	_, err = im.objects.Commit(id)
	return id, err == nil
}

func (im *Importer) content(commit refs.OID) func(path string) ([]string, error) {
	return view.Content(im.objects, commit)
}

// write writes the claims about lines whose owner the log does not know better.
func (im *Importer) write() (*Imported, error) {
	reader, err := im.Open(im.ctx, im.Repo, view.Options{LogOnly: true})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	if err := im.carry(); err != nil {
		return nil, err
	}
	owners := testimony.NewOwners(im.ctx, reader)
	args := []string{"--no-walk=unsorted"}
	for _, id := range im.order {
		args = append(args, id.String())
	}
	var list []history.Commit
	if len(im.order) > 0 {
		if list, err = history.List(im.ctx, im.Repo, append(args, "--")...); err != nil {
			return nil, err
		}
	}
	var drafts []events.Draft
	now := time.Now()
	commits, added := 0, 0
	damage := &unread{w: im.Err}
	err = history.Walk(im.ctx, im.Repo, list, func(h *history.Commit) error {
		damage.note(h)
		c := im.claims[h.ID]
		delete(im.claims, h.ID) // frees memory
		c.Parents, c.Lines = h.Parents, view.LinesOf(h)
		if c.Anchored, err = owners.Anchored(h.ID); err != nil {
			return err
		}
		if err := c.Fill(owners.Unknown(h.ID), nil); err != nil {
			return err
		}
		more, err := c.Drafts(events.Import, now)
		if err != nil || len(more) == 0 {
			return err
		}
		drafts = append(drafts, more...)
		commits++
		added += c.AI + c.Human
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := testimony.AppendDrafts(im.ctx, events.OpenLog(im.Repo), drafts); err != nil {
		return nil, exit.Fail(exit.Unchecked, err, "")
	}
	return im.report(Imported{Lines: added, Commits: commits}), damage.fault()
}

// carry adds claims about the commits that replaced described ones.
func (im *Importer) carry() error {
	described := make([]*events.CommitData, 0, len(im.order))
	for _, id := range im.order {
		described = append(described, &im.claims[id].CommitData)
	}
	return carry.Find(im.ctx, im.Repo, described, func(found *events.CommitData) error {
		im.add(found, 0)
		return nil
	})
}
