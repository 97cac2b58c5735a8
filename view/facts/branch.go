package facts

import (
	"context"
	"maps"
	"strings"
	"time"

	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
)

// Birthplaces finds the branch on which commits were made, and the branch's origin. Only reflogs are evidence: a branch
// that reaches a commit today may not be its birthplace.
type Birthplaces struct {
	repo   *refs.Repo
	branch map[refs.OID]string // branches of commits in a reflog
	read   time.Time           // the time at which the reflogs were read
	heads  gitfacts.Heads
	headed time.Time // the time at which HEAD's reflog was read

	asked   bool // config and remotes were read
	config  refs.Config
	remotes []string
}

func NewBirthplaces(repo *refs.Repo) *Birthplaces {
	return &Birthplaces{repo: repo, branch: map[refs.OID]string{}}
}

// reflogsHold is the time for which reflogs are not read again: a missed branch is found when the conversation is
// stored next.
const reflogsHold = time.Second

// `of` returns the branch of a commit, nil if unknown.
func (b *Birthplaces) of(ctx context.Context, commit refs.OID) *string {
	if b.branch[commit] == "" && time.Since(b.read) > reflogsHold {
		b.readAll(ctx)
		b.read = time.Now()
	}
	if name := b.branch[commit]; name != "" {
		return &name
	}
	return nil
}

// headAt returns the commit of HEAD at a moment; zero if unknown.
func (b *Birthplaces) headAt(ctx context.Context, moment time.Time) refs.OID {
	if time.Since(b.headed) > reflogsHold {
		b.heads, b.headed = gitfacts.ReadHeads(ctx, b.repo), time.Now()
	}
	return b.heads.At(moment)
}

// readAll reads the reflogs of all branches. It keeps earlier findings: reflogs expire.
func (b *Birthplaces) readAll(ctx context.Context) {
	maps.Copy(b.branch, gitfacts.MadeOn(ctx, b.repo))
}

// Remote returns the address of a branch's remote, else of origin, else of the only remote; without credentials, and
// nil if the remote is a directory.
func (b *Birthplaces) Remote(ctx context.Context, branch *string) *string {
	if !b.asked {
		b.asked = true
		b.config, _ = b.repo.Config(ctx) // if git fails, nothing is known
		if names, err := b.repo.Git(ctx, nil, "remote"); err == nil {
			b.remotes = strings.Fields(string(names))
		}
	}
	var names []string
	if branch != nil {
		if name, found := b.config.Get("branch." + *branch + ".remote"); found {
			names = append(names, name)
		}
	}
	names = append(names, "origin")
	if len(b.remotes) == 1 {
		names = append(names, b.remotes[0])
	}
	for _, name := range names {
		if remote, found := b.config.Get("remote." + name + ".url"); found {
			if _, address := assemble.Repository(remote); address != nil {
				return address
			}
		}
	}
	return nil
}
