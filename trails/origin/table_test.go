package origin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/vector"
)

// world is what a test says of git, of what is known, and of other work trees.
type world struct {
	*told
	commits map[refs.OID]refs.Commit
	files   map[refs.OID]map[string]refs.OID
	newest  []refs.OID
	base    map[[2]refs.OID]refs.OID // merge bases
	order   map[string][]refs.OID    // contents of paths, the last one first
	aliases map[string][]string

	there map[string]refs.OID // in another work tree
	taken map[string]refs.OID // what git took out of it there
	lost  map[string]refs.OID // what lines left
	apart map[string]refs.OID // what they went with when git switched
	marks []gitfacts.Mark     // of that

	others                []Tree
	leftAlone, old        bool      // git left the files alone; commits are from before the last look
	latest, madeOf, older Candidate // see World; none if it is zero
}

func (w *world) Commit(commit refs.OID) (refs.Commit, error) {
	c, found := w.commits[commit]
	if !found {
		return c, refs.ErrMissing
	}
	return c, nil
}

func (w *world) Named(id string) (refs.OID, bool) {
	for oid := range w.commits {
		if id != "" && strings.HasPrefix(oid.String(), id) {
			return oid, true
		}
	}
	return refs.OID{}, false
}

func (w *world) Blob(commit refs.OID, path string) (refs.OID, error) {
	return w.files[commit][path], nil
}
func (w *world) Files(refs.OID) ([]gitfacts.File, error) { return nil, errors.ErrUnsupported }
func (w *world) Newest() []refs.OID                      { return w.newest }

func (w *world) Changed(from, to refs.OID) ([]snapshot.Change, error) {
	var out []snapshot.Change
	for path, blob := range w.files[to] {
		if w.files[from][path] != blob {
			out = append(out, snapshot.Change{Path: path, Old: w.files[from][path], New: blob})
		}
	}
	return out, nil
}

func (w *world) MergeBase(a, b refs.OID) (refs.OID, bool) {
	base, found := w.base[[2]refs.OID{a, b}]
	return base, found
}

func (w *world) Put(path string, blob refs.OID, v vector.Vector) {
	if w.known[path] == nil {
		w.known[path] = map[refs.OID]vector.Vector{}
	}
	w.known[path][blob] = v
	w.order[path] = slices.Insert(w.order[path], 0, blob)
}

func (w *world) Blobs(path string, limit int) []refs.OID {
	return w.order[path][:max(0, min(limit, len(w.order[path])))]
}
func (w *world) Left(path string, _ func() [][]byte, _ int) []refs.OID {
	if oid, found := w.lost[path]; found {
		return []refs.OID{oid}
	}
	return nil
}
func (w *world) Apart(path string, _ func() [][]byte, _ int) []refs.OID {
	return slices.DeleteFunc([]refs.OID{w.apart[path]}, refs.OID.IsZero)
}
func (w *world) Names(path string) []string { return w.aliases[path] }

func (w *world) Lookup(path string) (snapshot.Entry, bool) {
	oid, found := w.there[path]
	return snapshot.Entry{OID: oid}, found
}
func (w *world) Marks() []gitfacts.Mark { return w.marks }
func (w *world) Taken(path string) (refs.OID, bool) {
	oid, found := w.taken[path]
	return oid, found
}

func (w *world) Stored(refs.OID) bool                      { return true }
func (w *world) Keep(raw []byte) Text                      { return w.texts[w.bare(string(raw))] }
func (w *world) LeftAlone(string) bool                     { return w.leftAlone }
func (w *world) Young(refs.OID) bool                       { return !w.old }
func (w *world) Others() []Tree                            { return w.others }
func (w *world) Latest(string, [][]byte) (Candidate, bool) { return w.latest, w.latest != Candidate{} }
func (w *world) MadeOf(refs.OID, string) (Candidate, bool) { return w.madeOf, w.madeOf != Candidate{} }
func (w *world) UnderOlderName(refs.OID, string) (Candidate, bool) {
	return w.older, w.older != Candidate{}
}

// story is a world with a question about a.txt: it had was, and has is.
type story struct {
	*world
	t *testing.T
	*Query
}

// Contents that stories tell of. Each line says enough.
const (
	was    = "the first of the lines\nthe second of the lines\n"
	is     = "the first of the lines\na line of another side\nthe second of the lines\n"
	theirs = "the first of the lines\na line of another side\nthe second of the lines\nand what they have more\n"
	other  = "something else altogether\nwith lines of its own\n"
)

func commitID(n int) refs.OID {
	oid, err := refs.ParseOID(fmt.Sprintf("%040d", n))
	if err != nil {
		panic(err)
	}
	return oid
}

// tell begins a story. HEAD has moved as the entries of its reflog say, beginning with the first commit.
func tell(t *testing.T, m moment.Moment, entries ...string) *story {
	t.Helper()
	w := &world{
		told: newTold(), commits: map[refs.OID]refs.Commit{}, files: map[refs.OID]map[string]refs.OID{},
		base: map[[2]refs.OID]refs.OID{}, order: map[string][]refs.OID{}, aliases: map[string][]string{},
		there: map[string]refs.OID{}, taken: map[string]refs.OID{}, lost: map[string]refs.OID{}, apart: map[string]refs.OID{},
	}
	dir := t.TempDir()
	var log strings.Builder
	head := 1
	for _, e := range entries {
		from := head
		_, message, _ := strings.Cut(e, " ")
		if _, err := fmt.Sscan(e, &head); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&log, "%040d %040d A <a@b> 1 +0000\t%s\n", from, head, message)
	}
	if err := os.MkdirAll(filepath.Join(dir, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "logs", "HEAD"), []byte(log.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	repo := &refs.Repo{GitDir: dir, CommonDir: dir, RefFormat: "files", Format: refs.SHA1}
	work := &Work{
		Work: gitfacts.Between(repo, w, gitfacts.Mark{Head: commitID(1), Index: 1},
			gitfacts.Mark{Head: commitID(head), Log: int64(log.Len()), Index: 2}),
		Restored: true,
	}
	c := &Case{World: w, Memory: w, Git: w, Anchored: Anchored{Parent: commitID(head)}, Head: commitID(head), Whole: work}
	s := &story{w, t, &Query{
		Case: c, Moment: m, Work: work, Path: "a.txt", OldPath: "a.txt", Renamed: func() map[string]string { return nil },
	}}
	s.Old, s.New = s.text(was), s.text(is)
	return s
}

// text is a content that is there.
func (s *story) text(content string) Text {
	if content == "" {
		return Text{}
	}
	return s.texts[s.bare(content)]
}

// knows puts down that a path had a content of one owner.
func (s *story) knew(path, owner, content string) refs.OID {
	oid := s.bare(content)
	v := vector.Uniform(len(linediff.Split([]byte(content))), ownerCalled(owner))
	s.Put(path, oid, v)
	return oid
}

// commit is a commit with files, given as path and content in turn.
func (s *story) commit(n int, parents []int, files ...string) refs.OID {
	var list []refs.OID
	for _, p := range parents {
		list = append(list, commitID(p))
	}
	oid := commitID(n)
	s.commits[oid] = refs.Commit{Parents: list, Message: "x"}
	s.files[oid] = map[string]refs.OID{}
	for i := 0; i+1 < len(files); i += 2 {
		s.files[oid][files[i]] = s.bare(files[i+1])
	}
	return oid
}

// stashed is a stash of HEAD as the commit head, whose index has what HEAD has.
func (s *story) stashed(n, head int, files ...string) refs.OID {
	s.commit(n+1, []int{head})
	s.files[commitID(n+1)] = s.files[commitID(head)]
	return s.commit(n, []int{head, n + 1}, files...)
}

// stories tell, of each finder, what it alone finds: a content with the line of another side, of an owner o.
var stories = map[string]func(*testing.T, moment.Moment) *story{
	"latest": func(t *testing.T, m moment.Moment) *story {
		s := tell(t, m)
		oid := s.knew("a.txt", "o", theirs)
		s.order["a.txt"] = nil
		s.latest = Candidate{Path: "a.txt", Blob: oid}
		return s
	},
	"carried": func(t *testing.T, m moment.Moment) *story {
		s := tell(t, m)
		s.commit(5, []int{4}, "a.txt", theirs)
		s.knew("a.txt", "o", theirs)
		s.order["a.txt"] = nil
		s.Replaced = commitID(5)
		return s
	},
	"before": func(t *testing.T, m moment.Moment) *story {
		s := tell(t, m)
		s.Old = s.texts[s.knew("a.txt", "o", theirs)]
		s.order["a.txt"] = nil
		return s
	},
	"amended": func(t *testing.T, m moment.Moment) *story {
		s := tell(t, m, "4 commit: x", "2 commit (amend): x")
		s.Query.Commit = commitID(2)
		s.commit(2, []int{1}, "a.txt", is)
		s.commit(4, []int{1}, "a.txt", theirs)
		s.knew("a.txt", "o", theirs)
		s.order["a.txt"] = nil
		s.Work.Restored = false // operands would find it
		return s
	},
	"autostash": func(t *testing.T, m moment.Moment) *story {
		s := tell(t, m)
		s.Work.Before.Autostash = s.stashed(5, 1, "a.txt", theirs)
		s.knew("a.txt", "o", theirs)
		s.order["a.txt"] = nil
		return s
	},
	"operands": func(t *testing.T, m moment.Moment) *story {
		s := tell(t, m, "2 merge topic: Merge made by the 'ort' strategy.")
		s.commit(1, nil, "a.txt", was)
		s.commit(2, []int{1, 3})
		s.commit(3, []int{1}, "a.txt", theirs)
		s.knew("a.txt", "o", theirs)
		s.order["a.txt"] = nil
		return s
	},
	"elsewhere": func(t *testing.T, m moment.Moment) *story {
		s := tell(t, m)
		s.there["a.txt"] = s.knew("a.txt", "o", theirs)
		s.order["a.txt"] = nil
		s.others = []Tree{s.world}
		s.Work.Elsewhere = true
		return s
	},
	"head": func(t *testing.T, m moment.Moment) *story {
		s := tell(t, m)
		s.commit(1, nil, "a.txt", theirs)
		s.knew("a.txt", "o", theirs)
		s.order["a.txt"] = nil
		return s
	},
	"stash": func(t *testing.T, m moment.Moment) *story {
		s := tell(t, m)
		s.popped = s.knew("a.txt", "o", theirs)
		s.order["a.txt"] = nil
		return s
	},
	"brought": func(t *testing.T, m moment.Moment) *story {
		s := tell(t, m)
		s.newest = []refs.OID{s.commit(7, nil, "a.txt", is)}
		s.knew("a.txt", "o", is)
		s.order["a.txt"] = nil
		s.Work.Now.Log = 1
		return s
	},
	"repeated": func(t *testing.T, m moment.Moment) *story { // commit 2 changes what commit 7 changed in another file
		s := tell(t, m)
		s.commit(1, nil, "a.txt", was)
		s.Query.Commit, s.Paths = s.commit(2, []int{1}, "a.txt", is), []string{"a.txt"}
		s.commit(6, nil, "a.txt", was+"and what they have more\n")
		s.newest = []refs.OID{s.commit(7, []int{6}, "a.txt", theirs)}
		s.base[[2]refs.OID{commitID(2), commitID(7)}] = commitID(6)
		s.knew("a.txt", "o", theirs)
		return s
	},
	"marked": func(t *testing.T, m moment.Moment) *story {
		s := tell(t, m)
		s.commit(3, nil, "a.txt", theirs)
		label := s.commit(7, []int{3}).String()
		s.New = s.text("<<<<<<< HEAD\n=======\na line of another side\n>>>>>>> parent of " + label + " (more)\n" + was)
		s.knew("a.txt", "o", theirs)
		s.order["a.txt"] = nil
		return s
	},
	"earlier": func(t *testing.T, m moment.Moment) *story {
		s := tell(t, m)
		s.aliases["a.txt"] = []string{"b.txt"}
		s.knew("b.txt", "o", theirs)
		return s
	},
	"left": func(t *testing.T, m moment.Moment) *story {
		s := tell(t, m)
		s.lost["a.txt"] = s.knew("a.txt", "o", theirs)
		s.order["a.txt"] = nil
		return s
	},
	"staged": func(t *testing.T, m moment.Moment) *story {
		s := tell(t, m)
		s.knew("a.txt", "o", theirs)
		return s
	},
}

// The table is the decision: each finder finds at the moments that it is asked at, and nothing finds it at others.
func TestEveryFinderAtEveryMoment(t *testing.T) {
	t.Parallel()
	for i := range finders {
		f := &finders[i]
		for at, decided := range otherwise {
			m := moment.Moment(at)
			if decided.Why == "" {
				continue // the table is never asked then
			}
			if f.at.At(m, otherwise).Why == "" {
				t.Errorf("%s at moment %d: nobody has decided", f.name, m)
			}
			s := stories[f.name](t, m)
			found, err := f.find(s.Query)
			if err != nil || len(found) == 0 {
				t.Errorf("%s at moment %d: the story has nothing for it: %v", f.name, m, err)
			}
			want := found[0]
			list, err := Gather(s.Query)
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.Contains(list, want); got != f.at.At(m, otherwise).Asked {
				t.Errorf("%s at moment %d: found %v, but: %s", f.name, m, got, f.at.At(m, otherwise).Why)
			}
		}
	}
}
