package snapshot

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// Sight identifies a content of a path by its stat data, without reading it. Equal sights mean the same content. The
// empty sight means that the path is missing.
type Sight string

// Unsure never counts as the same sight, not even as itself: the time stamps prove nothing.
const Unsure Sight = "?"

// `Same` reports whether a path certainly had the same content at two moments.
func (s Sight) Same(other Sight) bool { return s == other && s != Unsure }

func sightOf(st fileStat) Sight {
	return Sight(strconv.FormatInt(st.ctime, 36) + "." + strconv.FormatUint(st.ino, 36))
}

var errNoGlance = errors.New("nothing to compare with")

// maxGlance limits the number of changed paths of a glance.
const maxGlance = 20_000

// Glance lists the paths that may differ from the last saved snapshot. It checks the work tree as Engine.Full does, but
// reads no content and changes nothing. It fails if only git can find the answer.
func Glance(ctx context.Context, repo *refs.Repo, statePath string) (map[string]Sight, error) {
	e, err := Open(ctx, repo, statePath)
	if err != nil {
		return nil, fmt.Errorf("glance: %w", err)
	}
	defer e.Close()
	if e.root == nil || e.meta.Git != nil {
		return nil, fmt.Errorf("glance: %w", errNoGlance)
	}
	if err := e.refresh(ctx); err != nil {
		return nil, fmt.Errorf("glance: %w", err)
	}
	if reason, err := e.reasonForGit(ctx); err != nil || reason != nil || e.meta.Reseed {
		return nil, fmt.Errorf("glance: %w", errors.Join(err, errNoGlance))
	}
	tree, err := openWorkTree(repo.WorkTree)
	if err != nil {
		return nil, fmt.Errorf("glance: %w", err)
	}
	defer tree.close()
	s, err := e.newScan(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("glance: %w", err)
	}
	defer s.close()
	if err := s.update(); err != nil {
		return nil, fmt.Errorf("glance: %w", err)
	}
	if e.damaged() {
		return nil, fmt.Errorf("glance: %w", errBadState)
	}
	return s.glance()
}

// `glance` lists the paths that an update has changed.
func (s *scan) glance() (map[string]Sight, error) {
	out := map[string]Sight{}
	for path := range s.before { // includes changes of the index alone
		out[path] = Unsure
		if _, found := s.e.Lookup(path); !found {
			out[path] = ""
		}
	}
	young := map[string]fileStat{}
	for _, d := range s.touched {
		for i := range d.entries {
			e := &d.entries[i]
			switch path := join(d.path, e.name); {
			case e.flags&flagUnreadable != 0:
				out[path] = Unsure
			case e.flags&flagGone != 0 || e.flags&flagTodo == 0:
			case e.st.racy(s.start, s.slack):
				out[path], young[path] = Unsure, e.st
			default:
				out[path] = sightOf(e.st)
			}
		}
	}
	if len(out) > maxGlance {
		return nil, fmt.Errorf("glance: %w", ErrMany)
	}
	if len(young) > 0 {
		s.lookTwice(young, out)
	}
	return out, nil
}

// lookTwice waits until new writes would change the time stamps, and then adds the files that stayed the same to `out`.
func (s *scan) lookTwice(young map[string]fileStat, out map[string]Sight) {
	time.Sleep(2 * time.Duration(fineSlack))
	now := s.e.now().UnixNano()
	for path, was := range young {
		if st, err := s.tree.lstat(path); err == nil && st == was && !st.racy(now, s.slack) {
			out[path] = sightOf(st)
		}
	}
}

// Sight returns the sight of the content that the last snapshot has at a path.
func (e *Engine) Sight(path string) Sight {
	if e.root == nil || e.meta.Git != nil {
		return Unsure
	}
	x := e.entryAt(path)
	switch {
	case x.mode == 0:
		return ""
	case x.flags&flagRacy != 0:
		return Unsure
	}
	return sightOf(x.st)
}
