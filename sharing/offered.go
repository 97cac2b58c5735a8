package sharing

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

// AskKey is the setting that allows to ask remotes for traces automatically.
const AskKey = "trace.askRemote"

// askEvery is the time for which a remote's answer is valid.
const askEvery = 24 * time.Hour

// askPatience is the time that an unrelated command waits for a remote.
const askPatience = 4 * time.Second

// Offer describes the traces that a first pull would bring.
type Offer struct {
	Remote  string
	Writers int  // number of writers with traces on the remote; 0 is also an answer
	New     bool // the remote has just answered
}

// Offered returns the traces that a pull would bring. It returns nil after a pull, unless there is exactly one remote
// to pull from, and if git-trace may not ask that remote. A remote that does not answer counts as one without traces.
// It asks once a day, and starts no program that only the repository names.
func Offered(ctx context.Context, repo *refs.Repo, now time.Time) *Offer {
	if repo.MayHaveRefs("refs/traces/remotes/") {
		return nil
	}
	s, err := ReadSettings(ctx, repo)
	if err != nil || !s.always.Bool(AskKey, true) {
		return nil
	}
	sources := s.Sources()
	if len(sources) != 1 {
		return nil
	}
	r := sources[0]
	dir, err := recorded.MakeDir("offers")
	if err != nil {
		return nil
	}
	path := filepath.Join(dir, shortHash(repo.CommonDir+"\n"+r.Name))
	if offer := readOffer(path, r, now); offer != nil {
		return offer
	}
	found, err := refs.FindHook(rootOf(repo))
	if err != nil || recorded.Answers(ctx, found) != nil {
		return nil
	}
	offer := &Offer{Remote: r.Name, New: true}
	if offer.Writers, err = askWriters(ctx, repo, s, r); err != nil {
		offer.Writers = 0 // do not ask it again before tomorrow
	}
	_ = refs.WriteFileAtomic(path, fmt.Appendf(nil, "%d %d\n", now.Unix(), offer.Writers), 0o600)
	return offer
}

// readOffer returns an answer of the last day.
func readOffer(path string, r Remote, now time.Time) *Offer {
	raw, err := os.ReadFile(path)
	if err != nil || len(raw) > 64 {
		return nil
	}
	offer, asked := &Offer{Remote: r.Name}, int64(0)
	if _, err := fmt.Sscanf(string(raw), "%d %d", &asked, &offer.Writers); err != nil {
		return nil
	}
	if age := now.Sub(time.Unix(asked, 0)); age < 0 || age > askEvery {
		return nil
	}
	return offer
}

// askWriters counts the writers with traces on a remote.
func askWriters(ctx context.Context, repo *refs.Repo, s *Settings, r Remote) (int, error) {
	command, _ := s.always.Get("core.sshcommand")
	if err := refs.AskNobody(command); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	// status denies all protocols to git's child processes, so that a partial clone fetches nothing (refs.FetchNothing).
	env := []string{"GIT_ALLOW_PROTOCOL=file:git:http:https:ssh"}
	out, err := repo.GitWith(ctx, nil, env, patient("ls-remote", "--", r.Name, r.Prefix+"*")...)
	writers := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		_, ref, _ := strings.Cut(line, "\t")
		writer, _, _ := strings.Cut(strings.TrimPrefix(ref, r.Prefix), "/")
		writers[writer] = true
	}
	return len(writers), err
}
