package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/pathglob"
)

// File is the path of the policy, at the top of the work tree.
const File = ".git-trace-policy"

// Limits for a policy.
const (
	maxSize  = 64 << 10
	maxRules = 500
	maxWords = 200
)

// Policy is a parsed policy.
type Policy struct {
	Signed    bool
	Reviewers []string // patterns of mail addresses; empty: everybody
	Rules     []*Rule
}

// Rule is a section for paths. A nil list or a nil Unknown sets no limit.
type Rule struct {
	Pattern string
	Agents  []string // empty: no agent
	Models  []string
	Review  *bool
	Unknown *Budget
}

// Budget is a number of lines, or a percentage of the changed lines.
type Budget struct {
	Lines   int
	Percent bool
	text    string
}

// ErrNone means that a commit has no policy.
var ErrNone = errors.New("there is no policy")

func Read(ctx context.Context, repo *refs.Repo, commit refs.OID) (*Policy, error) {
	objects := repo.Objects()
	defer func() { _ = objects.Close() }()
	blob, kind, err := objects.Resolve(commit.String() + ":" + File)
	if errors.Is(err, refs.ErrMissing) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, err
	}
	if kind != refs.BlobObject {
		return nil, fmt.Errorf("%s is not a file", File)
	}
	size, err := repo.Git(ctx, nil, "cat-file", "-s", blob.String())
	if err != nil {
		return nil, err
	}
	if n, err := strconv.Atoi(strings.TrimSpace(string(size))); err != nil || n > maxSize {
		return nil, fmt.Errorf("%s has more than %d bytes", File, maxSize)
	}
	return list(ctx, repo, "--blob", blob.String())
}

// ReadFile reads a policy from a file, so that it can be tried.
func ReadFile(ctx context.Context, repo *refs.Repo, name string) (*Policy, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxSize:
		return nil, fmt.Errorf("%s is not a file of at most %d bytes", name, maxSize)
	}
	return list(ctx, repo, "--file", name)
}

// list lets git parse the policy, without includes (git-config(1)).
func list(ctx context.Context, repo *refs.Repo, from, name string) (*Policy, error) {
	out, err := repo.Git(ctx, nil, "config", "--no-includes", from, name, "-z", "--list")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", File, err)
	}
	return parse(string(out))
}

// parse parses the output of git config --list.
func parse(listed string) (*Policy, error) {
	p := &Policy{}
	for item := range strings.SplitSeq(strings.TrimSuffix(listed, "\x00"), "\x00") {
		if item == "" {
			continue
		}
		key, value, given := strings.Cut(item, "\n")
		if !given {
			value = "true" // git's value for a key without one
		}
		section, rest, _ := strings.Cut(key, ".")
		var err error
		switch {
		case section == "policy":
			err = p.set(rest, value)
		case section == "paths" && strings.Contains(rest, "."):
			at := strings.LastIndexByte(rest, '.')
			var r *Rule
			if r, err = p.rule(rest[:at]); err == nil {
				err = r.set(rest[at+1:], value)
			}
		default:
			err = errors.New("no such key")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %.100q: %w", File, key, err)
		}
	}
	return p, nil
}

func (p *Policy) set(key, value string) (err error) {
	switch key {
	case "signed":
		p.Signed, err = boolean(value)
	case "reviewers":
		var more []string
		more, err = words(value)
		p.Reviewers = append(p.Reviewers, more...)
	default:
		err = errors.New("no such key")
	}
	return err
}

// rule returns the rule of a pattern, and adds it if it is new.
func (p *Policy) rule(pattern string) (*Rule, error) {
	if at := slices.IndexFunc(p.Rules, func(r *Rule) bool { return r.Pattern == pattern }); at >= 0 {
		return p.Rules[at], nil
	}
	if len(p.Rules) == maxRules {
		return nil, fmt.Errorf("more than %d rules", maxRules)
	}
	if err := pathglob.Valid(pattern); err != nil {
		return nil, err
	}
	switch first, _, _ := strings.Cut(strings.TrimLeft(pattern, "/"), "/"); {
	case first == "", first == ".", first == "..", pattern[0] == '!':
		return nil, errors.New("the pattern fits no path")
	}
	r := &Rule{Pattern: pattern}
	p.Rules = append(p.Rules, r)
	return r, nil
}

func (r *Rule) set(key, value string) (err error) {
	switch key {
	case "agents":
		r.Agents, err = names(r.Agents, value)
	case "models":
		r.Models, err = names(r.Models, value)
	case "review":
		var needed bool
		needed, err = boolean(value)
		r.Review = &needed
	case "unknown":
		r.Unknown, err = budget(value)
	default:
		err = errors.New("no such key")
	}
	return err
}

// names adds name patterns to a list. "none" means that no name is allowed.
func names(list []string, value string) ([]string, error) {
	more, err := words(value)
	if err != nil {
		return nil, err
	}
	if slices.Equal(more, []string{"none"}) {
		more = nil
	}
	if list == nil {
		list = []string{}
	}
	return append(list, more...), nil
}

func words(value string) ([]string, error) {
	list := strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
	if len(list) == 0 || len(list) > maxWords {
		return nil, fmt.Errorf("1 to %d names are needed", maxWords)
	}
	for _, word := range list {
		if err := pathglob.Valid(word); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func boolean(value string) (bool, error) {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true, nil
	case "false", "no", "off", "0":
		return false, nil
	}
	return false, fmt.Errorf("%.40q is neither true nor false", value)
}

func budget(value string) (*Budget, error) {
	digits, percent := strings.CutSuffix(value, "%")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || percent && n > 100 {
		return nil, fmt.Errorf("%.40q is neither a number of lines nor a share", value)
	}
	return &Budget{n, percent, value}, nil
}

// `allows` reports whether this many unknown lines are within the budget.
func (b *Budget) allows(unknown, all int) bool {
	if b.Percent {
		return unknown*100 <= b.Lines*all
	}
	return unknown <= b.Lines
}
