package hooks

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// State is the state of one hook.
type State string

// The states of a hook.
const (
	Absent        State = "absent"         // there is no hook
	ForeignOnly   State = "foreign-only"   // there is only another program's hook
	Installed     State = "installed"      // our part is the same as an install would write
	ByHand        State = "by-hand"        // lines that the user wrote call git-trace
	Stale         State = "stale"          // our part differs from the one that an install would write
	NotExecutable State = "not-executable" // our part is there, but git ignores the file
	Overwritten   State = "overwritten"    // was installed; then another program overwrote the file
	Missing       State = "missing"        // was installed; then the file was deleted
	Bypassed      State = "bypassed"       // is installed in a directory that git does not use any longer
	Damaged       State = "damaged"        // one of the marker lines is missing
	Blocked       State = "blocked"        // the file at the path cannot be a hook
)

// HookStatus describes one hook.
type HookStatus struct {
	Hook   string `json:"hook"`
	Path   string `json:"path"`
	State  State  `json:"state"`
	Beside string `json:"beside,omitempty"` // the other program in the file: "husky", "lefthook", …, "another hook"
	Detail string `json:"detail,omitempty"`
}

// Works reports whether git starts git-trace for the hook.
func (h HookStatus) Works() bool { return h.State == Installed || h.State == ByHand }

// Status describes the git hooks of a work tree.
type Status struct {
	Dir       string       `json:"dir"`              // directory from which git would run hooks without our own directory
	Source    string       `json:"source"`           // the setting that selects Dir
	Shared    bool         `json:"shared,omitempty"` // shared with other repositories
	OwnDir    string       `json:"own_dir,omitempty"`
	Installed bool         `json:"installed"` // an install was made here and not removed
	Hooks     []HookStatus `json:"hooks"`
	Notes     []string     `json:"notes,omitempty"`
	Setting   error        `json:"-"` // error if trace.trailers has an unknown value: then no message gets a trailer
}

// Works reports whether git starts git-trace for every hook.
func (s Status) Works() bool {
	return !slices.ContainsFunc(s.Hooks, func(h HookStatus) bool { return !h.Works() })
}

// Status examines every hook. It changes nothing.
func (in Installer) Status(ctx context.Context) (Status, error) {
	s, err := in.findSite(ctx)
	off := errors.Is(err, ErrHooksOff)
	if err != nil && !off {
		return Status{}, fmt.Errorf("look at git hooks: %w", err)
	}
	r, err := in.readReceipt()
	if err != nil {
		return Status{}, fmt.Errorf("look at git hooks: %w", err)
	}
	st := Status{Dir: s.dir, Source: s.source(), Shared: s.shared(), Installed: len(r.Places) > 0}
	dir := s.dir
	if s.ours != "" {
		dir, st.OwnDir = in.ownDir(), in.ownDir()
	}
	_, recorded := r.at(dir)
	names, wrong := in.wanted(ctx)
	st.Setting = wrong
	for _, hook := range names {
		h := in.hookStatus(filepath.Join(dir, hook), hook, recorded)
		if off {
			h = HookStatus{Hook: hook, Path: h.Path, State: Bypassed, Detail: "git runs no hooks here"}
		}
		if !recorded && !h.Works() {
			in.lookElsewhere(&h, r)
		}
		if s.ours != "" && s.ours != in.ownDir() && h.State == Installed {
			h.State, h.Detail = Bypassed, "the repository was moved; core.hooksPath names "+s.ours
		}
		st.Hooks = append(st.Hooks, h)
	}
	in.notes(&st, s, off)
	return st, nil
}

func (in Installer) notes(st *Status, s site, off bool) {
	if off {
		st.Notes = append(st.Notes, "git runs no hooks here ("+s.source()+")")
	}
	if present(filepath.Join(in.Repo.TracesDir(), offName)) {
		st.Notes = append(st.Notes, "shared hooks are silenced in this repository by `git trace uninstall`")
	}
	if st.Shared {
		st.Notes = append(st.Notes, s.sharing())
	}
}

// hookStatus examines one file. The parameter `recorded` says that the receipt lists its directory.
func (in Installer) hookStatus(path, hook string, recorded bool) HookStatus {
	h := HookStatus{Hook: hook, Path: path}
	f, err := readHook(path)
	switch {
	case errors.Is(err, ErrDamaged):
		h.State = Damaged
	case err != nil:
		h.State, h.Detail = Blocked, err.Error()
	case f.blocked:
		h.State, h.Detail = Blocked, "not a file"
	case f.block != nil:
		in.judgeBlock(&h, f)
	case byHand(f):
		h.State = ByHand
	case !f.exists && recorded:
		h.State = Missing
	case !f.exists:
		h.State = Absent
	default:
		h.State, h.Beside = ForeignOnly, besides(f)
		if recorded {
			h.State = Overwritten
		}
		through(&h)
	}
	return h
}

// judgeBlock compares our part in a file with the part that an install would write.
func (in Installer) judgeBlock(h *HookStatus, f hookFile) {
	our := part{hook: h.Hook, kind: f.block.kind, binary: in.Binary}
	switch our.kind {
	case insert:
		h.Beside = besides(f)
	case chain, source:
		h.Beside = "another hook"
		aside := findAside(filepath.Dir(f.path), h.Hook)
		if other, err := readHook(filepath.Join(filepath.Dir(f.path), filepath.FromSlash(aside))); err == nil &&
			manager(other.content) != "" {
			h.Beside = manager(other.content)
		}
		if our.next = asideWord(aside); aside == "" {
			our.kind = own
		}
	case forward:
		our.next = f.block.lineAfter("git_trace_next=")
	}
	switch {
	case !f.runs:
		h.State, h.Detail = NotExecutable, "git skips it"
	case string(our.text()) == string(f.block.text):
		h.State = Installed
	default:
		h.State, h.Detail = Stale, staleness(f, our)
	}
}

// `through` finds our part in a renamed hook, which pre-commit runs before its own.
func through(h *HookStatus) {
	if h.Beside != "pre-commit" && h.Beside != "prek" {
		return
	}
	if f, _ := readHook(h.Path + ".legacy"); f.block != nil && f.runs {
		h.State, h.Detail = Installed, "through "+filepath.Base(f.path)
	}
}

// lookElsewhere finds our part in an earlier hooks directory, which the receipt lists.
func (in Installer) lookElsewhere(h *HookStatus, r receipt) {
	for _, at := range r.Places {
		if f, _ := readHook(filepath.Join(at.Dir, h.Hook)); f.block != nil {
			h.State, h.Detail = Bypassed, "is in "+at.Dir
			return
		}
	}
}

func besides(f hookFile) string {
	if whose := manager(f.content); whose != "" {
		return whose
	}
	return "another hook"
}

// Neighbours returns the name of a program that shares a hook file with git-trace, otherwise a text about other
// repositories that share the hooks, or "" if there are neither.
func (s Status) Neighbours() string {
	for _, one := range s.Hooks {
		if one.Beside != "" && one.Beside != "another hook" {
			return one.Beside
		}
	}
	if s.Shared {
		return "other repositories in " + filepath.ToSlash(s.Dir)
	}
	return ""
}
