package purged

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Plan is a purge that was started.
type Plan struct {
	Started time.Time        `json:"started"`
	Rules   []string         `json:"rules,omitempty"` // ids of rules in the set
	Traces  []events.TraceID `json:"traces,omitempty"`
	Paths   []string         `json:"paths,omitempty"`
	// The objects to delete. They are listed before the refs move, because afterwards no ref leads to them.
	Main  []refs.OID `json:"main,omitempty"`  // objects in the repository's object store
	Side  []refs.OID `json:"side,omitempty"`  // objects in the object store of snapshots
	Packs []string   `json:"packs,omitempty"` // the packs that contain some of them, as names without extension

	name string
}

const planSuffix = ".plan"

// Keep writes the plan and replaces its earlier version.
func (p *Plan) Keep(repo *refs.Repo) error {
	if p.name == "" {
		p.name = filepath.Join(dir(repo), strconv.FormatInt(p.Started.UnixNano(), 10)+planSuffix)
	}
	if err := refs.WriteJSON(p.name, p, refs.WriteFileDurable); err != nil {
		return fmt.Errorf("write the plan of the purge: %w", err)
	}
	return nil
}

// Done removes the plan.
func (p *Plan) Done() error {
	if p.name == "" {
		return nil
	}
	if err := os.Remove(p.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the plan of the purge: %w", err)
	}
	return nil
}

// Plans returns the plans of unfinished purges. A plan that cannot be read, on a damaged disk, is returned without its
// content.
func Plans(repo *refs.Repo) ([]*Plan, error) {
	entries, err := os.ReadDir(dir(repo))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read unfinished purges: %w", err)
	}
	var out []*Plan
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), planSuffix) {
			continue
		}
		p := &Plan{}
		name := filepath.Join(dir(repo), e.Name())
		raw, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read unfinished purge: %w", err)
		}
		if json.Unmarshal(raw, p) != nil {
			*p = Plan{}
		}
		p.name = name
		out = append(out, p)
	}
	return out, nil
}

// Unfinished returns the number of unfinished purges.
func Unfinished(repo *refs.Repo) int {
	entries, _ := os.ReadDir(dir(repo)) // a missing directory means that there are none
	n := 0
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), planSuffix) {
			n++
		}
	}
	return n
}

// Join adds the content of another plan to this one.
func (p *Plan) Join(other *Plan) {
	p.Rules = union(p.Rules, other.Rules)
	p.Traces = union(p.Traces, other.Traces)
	p.Paths = union(p.Paths, other.Paths)
	p.Main, p.Side = union(p.Main, other.Main), union(p.Side, other.Side)
	p.Packs = union(p.Packs, other.Packs)
}

func union[T comparable](a, b []T) []T {
	out := slices.Clone(a)
	known := make(map[T]bool, len(a))
	for _, x := range a {
		known[x] = true
	}
	for _, x := range b {
		if !known[x] {
			known[x] = true
			out = append(out, x)
		}
	}
	return out
}
