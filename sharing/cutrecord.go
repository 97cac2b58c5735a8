package sharing

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
)

// leastID is the least number of digits of an abbreviated id, mostID the number of a whole one.
const (
	leastID = 7
	mostID  = 64
)

// A leaving removes from the head of a record the members that the list excludes, and the commits that the remote does
// not have.
type leaving struct {
	may    map[string]bool // allowed members, with the members that contain them
	commit map[string]bool // members that name commits
	hidden map[string]bool // ids of commits
	cut    bool            // something was removed
	unsent bool            // something that named commits was removed
}

// leaves reduces a record to the members that may leave at the plan's level. It returns the record itself if nothing
// was removed. The result `unsent` reports whether it had commits that the remote does not have.
func (p *Plan) leaves(ctx context.Context, r *records.Record) (_ *records.Record, unsent bool, err error) {
	head := *r
	head.Steps = nil
	raw, err := records.Encode(&head)
	if err != nil {
		return nil, false, err
	}
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		return nil, false, fmt.Errorf("read record: %w", err)
	}
	l := leaving{hidden: map[string]bool{}}
	l.may, l.commit = recordMembers(p.Level)
	ids := map[string]bool{}
	l.ids(all, "", ids)
	if err := l.hide(ctx, p, ids); err != nil {
		return nil, false, err
	}
	l.object(all, "")
	if !l.cut {
		return r, false, nil
	}
	if raw, err = json.Marshal(all); err != nil {
		return nil, false, err
	}
	out, err := records.Decode(raw)
	if err != nil {
		return nil, false, err
	}
	if r.Outcome.CommitSHA != nil && out.Outcome.CommitSHA == nil {
		out.Outcome.Patch = nil // it is that commit's
	}
	if a := out.Attribution; a != nil && len(r.Attribution.Revision) != len(a.Revision) {
		out.Attribution = nil // its lines are that commit's
	}
	out.Steps = r.Steps
	return out, l.unsent, nil
}

// ids gathers texts that may be ids of commits. The value is true if the commit must be published.
func (l *leaving) ids(value any, at string, out map[string]bool) {
	switch v := value.(type) {
	case string:
		if mayBeID(v) {
			out[v] = out[v] || l.commit[at] || l.commit[at[:max(0, strings.LastIndexByte(at, '.'))]]
		}
	case []any:
		for _, one := range v {
			l.ids(one, at, out)
		}
	case map[string]any:
		for name, one := range v {
			l.ids(one, below(at, name), out)
		}
	}
}

func below(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func mayBeID(text string) bool {
	return len(text) >= leastID && len(text) <= mostID && strings.Trim(text, "0123456789abcdef") == ""
}

// hide finds the commits that the remote does not have. An id that must be published counts as missing on the remote if
// it is missing here.
func (l *leaving) hide(ctx context.Context, p *Plan, ids map[string]bool) error {
	var asked []string
	var input strings.Builder
	for id, must := range ids {
		l.hidden[id] = must
		asked = append(asked, id)
		fmt.Fprintln(&input, id)
	}
	if len(asked) == 0 {
		return nil
	}
	out, err := p.repo.Git(ctx, strings.NewReader(input.String()), "cat-file", "--batch-check=%(objectname) %(objecttype)")
	if err != nil {
		return err
	}
	whole := map[string]refs.OID{}
	var commits []refs.OID
	at := 0
	for line := range strings.Lines(string(out)) {
		name, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		id, err := refs.ParseOID(name)
		if err == nil && kind == "commit" && at < len(asked) {
			whole[asked[at]] = id
			commits = append(commits, id)
		}
		at++
	}
	there, err := p.published(commits)
	for id, commit := range whole {
		l.hidden[id] = !there[commit]
	}
	return err
}

// object removes the members that do not leave from an object. It reports whether one of them was a commit.
func (l *leaving) object(o map[string]any, at string) (unsent bool) {
	ofSchema := at == "" || l.may[at+"."]
	for name, value := range o {
		where := below(at, name)
		if ofSchema && !l.may[where] {
			delete(o, name)
			l.cut = true
			continue
		}
		switch v := value.(type) {
		case string:
			if l.hidden[v] {
				delete(o, name)
				unsent = true
			}
		case map[string]any:
			l.object(v, where)
		case []any:
			o[name] = l.list(v, where)
		}
	}
	l.cut, l.unsent = l.cut || unsent, l.unsent || unsent
	return unsent
}

// list removes elements that are or name a commit that the remote does not have.
func (l *leaving) list(all []any, at string) []any {
	out := []any{}
	for _, one := range all {
		switch v := one.(type) {
		case string:
			if l.hidden[v] {
				l.cut, l.unsent = true, true
				continue
			}
		case map[string]any:
			if l.object(v, at) {
				continue
			}
		case []any:
			one = l.list(v, at)
		}
		out = append(out, one)
	}
	return out
}
