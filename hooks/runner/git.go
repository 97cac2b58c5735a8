package runner

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/gitfacts"
)

// pairLimit is the additional time that the hook of a rewrite may take for each commit: git itself took longer to make
// the commit.
const pairLimit = 25 * time.Millisecond

// maxPairs limits the number of pairs of one rewrite that are recorded.
const maxPairs = 100_000

// runGit handles `git trace git-hook NAME ARGS`, which the shell lines in git's hooks call. Like the hook of an agent
// it never prints, never fails and ends in time, so that the user's git command is not affected.
func runGit(args []string, in io.Reader) int {
	if len(args) == 0 {
		return 0
	}
	switch args[0] {
	case LaterHook:
		return runLater(args[1:])
	case SealHook:
		return runSeal(args[1:])
	}
	soft, hard := Limits()
	var pairs []events.RewritePair
	if args[0] == "post-rewrite" {
		pairs = readPairs(in)
	}
	more := time.Duration(len(pairs)) * pairLimit
	var traced atomic.Pointer[refs.Repo]
	unfinished := func(why error) {
		repo := traced.Load()
		if repo == nil {
			return
		}
		job := later.Job{Hook: args[0], Args: args[1:], Commit: about(repo, args[0]), Pairs: pairs, Time: time.Now()}
		if !putOff(repo, job, why) {
			NoteFailure(repo, fmt.Errorf("%s: %w", args[0], why))
		}
	}
	guard := Guard(hard+more, unfinished)
	defer guard()
	repo, err := recorded.Here()
	if err != nil {
		if found, missed := refs.Find("."); missed == nil && errors.Is(err, recorded.ErrUnlisted) {
			recorded.NoteUnlisted(found, false)
		}
		return 0
	}
	traced.Store(repo)
	queue := later.Open(repo)
	log := &committedLog{Log: events.OpenLog(repo)}
	engine := Engine(repo, log)
	engine.Most = MostChanges
	if queue.Busy() {
		soft, engine.GivesWay = busyLimit(soft), true
	}
	ctx, cancel := context.WithTimeout(context.Background(), soft+more)
	defer cancel()
	ahead := false
	meanwhile := func() { ahead = startAhead(repo) }
	if err := TakeGitHook(ctx, repo, engine, args[0], args[1:], pairs, meanwhile); err != nil {
		unfinished(err)
	} else if queue.Any() {
		startLater(repo) // the process that should have done it was killed
	}
	log.noteConversations(repo)
	anchored := len(log.anchors) > 0
	if ahead {
		_ = log.SealAsked() // if this fails, the next hook starts another process, which finds nothing to do
	} else if !tellRecords(repo, args[0], anchored) { // the process that stores records also seals
		startSeal(repo, anchored)
	}
	startUpkeep(repo)
	if anchored {
		publish(repo)
	}
	return 0
}

// tellRecords starts the process that stores waiting records and reads session files that hooks do not report. It does
// so if commits were anchored, or if the hook may have left waiting records. Git reports an amended commit twice
// (githooks(5)): post-commit runs before post-rewrite, and only post-rewrite names the replaced commit. A record that
// is stored in between would keep the link to the older commit, so post-commit leaves the work to post-rewrite.
// tellRecords reports whether it started the process.
func tellRecords(repo *refs.Repo, hook string, anchored bool) (started bool) {
	if hook == "post-commit" && amended(repo) {
		return false
	}
	told := hook == "post-commit" || hook == "post-rewrite"
	return (anchored || told && waiting.Open(repo).Any()) && startRecorder(repo)
}

// `amended` reports whether HEAD's last move was an amended commit.
func amended(repo *refs.Repo) bool {
	last := gitfacts.Last(repo, 1)
	return len(last) > 0 && last[0].Kind == gitfacts.Amended
}

// committedLog is a log that stores the appended anchors, from which the records of conversations get their commits.
type committedLog struct {
	*events.Log
	anchors []json.RawMessage
}

// Append appends events, and stores the anchors among them.
func (l *committedLog) Append(ctx context.Context, drafts []events.Draft) ([]events.Event, error) {
	for i := range drafts {
		if drafts[i].Type == events.CommitAnchored {
			l.anchors = append(l.anchors, drafts[i].Data)
		}
	}
	return l.Log.Append(ctx, drafts)
}

// noteConversations adds the conversations whose lines were committed to the waiting list, if the repository has stored
// records. If that fails, nothing is lost: the record gets the commit when it is read the next time.
func (l *committedLog) noteConversations(repo *refs.Repo) {
	if len(l.anchors) == 0 {
		return
	}
	if _, err := repo.ReadRef(refs.RecordsRef); err != nil {
		return
	}
	list := waiting.Open(repo)
	for _, raw := range l.anchors {
		var data events.CommitData
		if json.Unmarshal(raw, &data) != nil {
			continue
		}
		for _, o := range data.Owners {
			if o.Trace != "" {
				_ = list.NoteOnce(waiting.Session{Trace: o.Trace, Agent: o.Agent, Session: o.Session, WorkTree: repo.WorkTree})
			}
		}
	}
}

// `heard` lists git's hooks that report changes of the work tree or of commits (githooks(5)).
var heard = [...]string{"post-commit", "post-applypatch", "post-merge", "post-checkout", "post-rewrite"}

// TakeGitHook handles one hook (githooks(5)). For meanwhile, see correlate.Head.
func TakeGitHook(
	ctx context.Context, repo *refs.Repo, engine *trails.Engine, name string, args []string, pairs []events.RewritePair,
	meanwhile func(),
) error {
	now := time.Now()
	switch name {
	case "post-commit", "post-applypatch":
		return correlate.Head(ctx, repo, engine, GitProcess(), now, meanwhile)
	case "post-merge":
		err := engine.Touched(ctx, now, events.PostCommit, "merge")
		return errors.Join(err, correlate.Merged(ctx, repo, engine, now))
	case "post-checkout":
		if len(args) == 3 && args[2] == "0" { // a checkout of paths, not of a branch
			return engine.Restored(ctx, now, events.PostCommit, "checkout")
		}
		return engine.Touched(ctx, now, events.PostCommit, "checkout")
	case "post-rewrite":
		return correlate.Rewritten(ctx, events.OpenLog(repo), repo, engine, rewriteKind(args), pairs, now)
	}
	return nil
}

// rewriteKind returns the command that rewrote commits, as git gives it: "amend" or "rebase".
func rewriteKind(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return "rewrite"
}

// GitProcess returns the id of the git process that runs the hook, or 0 if unknown. The shell lines of the hook set it.
func GitProcess() int {
	id, err := strconv.Atoi(os.Getenv("GITTRACE_GIT_PID"))
	if err != nil {
		return 0
	}
	return id
}

// readPairs parses lines "OLD NEW[ EXTRA]", which git passes to post-rewrite.
func readPairs(in io.Reader) []events.RewritePair {
	var out []events.RewritePair
	scan := bufio.NewScanner(in)
	for scan.Scan() && len(out) < maxPairs {
		fields := strings.Fields(scan.Text())
		if len(fields) < 2 {
			continue
		}
		old, errOld := refs.ParseOID(fields[0])
		replacement, errNew := refs.ParseOID(fields[1])
		if errOld == nil && errNew == nil {
			out = append(out, events.RewritePair{Old: old, New: replacement})
		}
	}
	return out
}
