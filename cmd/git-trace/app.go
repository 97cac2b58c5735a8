package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/view"
)

// app is one call of the command line: its directory and its streams.
type app struct {
	std streams
	dir string // from -C and the process's working directory
	// life ends when the person interrupts the command; signals listens for that. line is the status line, nil for none.
	hinted  sync.Once       // see hintSilence
	life    context.Context // an app lives for one call
	signals terminal.Interrupts
	line    *terminal.StatusLine
	fold    int // see foldsAt
	leftOut refs.LeftOut
	grafts  string // see cutHistory
}

// runApp parses the options before the verb as git does, then runs the verb.
func runApp(args []string, std streams) int {
	a := &app{std: std, dir: "."}
	rest, err := a.globals(args)
	if err != nil {
		return report(std.err, err)
	}
	ctx, stop := a.signals.Listen(context.Background())
	defer stop()
	if a.life = ctx; !slices.Contains(rest, "watch") { // watch keeps running while the user changes the configuration
		a.life = refs.SettingsOnce(ctx)
	}
	c := called(rest)
	if c.Is(fetchless) {
		if err := refs.FetchNothing(); err != nil {
			return exit.Done // the environment is full
		}
	}
	a.beginLine(rest)
	a.fold = a.foldsAt(c, rest)
	if c.Is(bounded) {
		boundMemory(a.endWith)
	}
	a.std.out = terminal.Fold(a.std.out, a.fold)
	if terminal.Is(a.std.out) && printsJSON(rest) {
		a.std.out = &terminal.JSON{To: a.std.out}
	}
	if err = a.command(c, rest); err != nil && c.Is(anew) && a.cutHistory(rest, err) {
		err = a.command(c, rest)
		_ = os.Remove(a.grafts)
	}
	a.line.End()
	a.tellLeftOut()
	if errors.Is(err, context.Canceled) && ctx.Err() == nil { // git got the interrupt before this process did
		select {
		case <-ctx.Done():
		case <-time.After(terminal.Grace):
		}
	}
	if status := a.signals.Status(); status != 0 && err != nil {
		return status
	}
	return report(std.err, err)
}

// command runs a command, or reports an unknown one.
func (a *app) command(c *command, args []string) error {
	switch {
	case c != nil:
		return a.call(a.life, c, args[1:])
	case len(args) == 0:
		_ = a.help()
		return exit.Silent(exit.Finding) // git's status without a command
	case args[0] == "__complete":
		err := os.Setenv(view.Unasked, view.ByAgent)
		if err == nil {
			a.complete(args[1:])
		}
		return err
	case slices.Contains([]string{"help", "h", "--help", "-h"}, args[0]):
		return a.help(args[1:]...)
	case strings.HasPrefix(args[0], "-"):
		return exit.Fail(exit.Misuse, fmt.Errorf("unknown option '%s'", args[0]), "git trace help lists the commands")
	}
	return unknownVerb(args[0])
}

// beginLine begins the status line, unless the person wants none.
func (a *app) beginLine(args []string) {
	file, isFile := a.std.err.(*os.File)
	if !isFile || len(args) == 0 || slices.Contains(args, "--no-progress") || slices.Contains(args, "--quiet") {
		return
	}
	piped := !terminal.Is(file)
	if a.line = terminal.NewStatusLine(file, args[0], piped); piped {
		return
	}
	a.std.err = terminal.Below{File: file, Line: a.line, Speak: true}
	if out, isFile := a.std.out.(*os.File); isFile && terminal.Is(out) {
		a.std.out = terminal.Below{File: out, Line: a.line}
	}
}

// globals parses the options before the verb: -C, --git-dir, --work-tree and --no-pager.
func (a *app) globals(args []string) ([]string, error) {
	for len(args) > 0 {
		arg := args[0]
		name, value, inline := strings.Cut(arg, "=")
		switch {
		case arg == "-C", name == "--git-dir", name == "--work-tree":
			args = args[1:]
			if !inline {
				if len(args) == 0 {
					return nil, exit.Usage("option '%s' needs a value", arg)
				}
				value, args = args[0], args[1:]
			}
			if err := a.setGlobal(name, value); err != nil {
				return nil, err
			}
		case arg == "--no-pager":
			if err := os.Setenv("GIT_PAGER", "cat"); err != nil {
				return nil, err
			}
			args = args[1:]
		default:
			return args, nil
		}
	}
	return args, nil
}

func (a *app) setGlobal(name, value string) error {
	switch name {
	case "-C":
		if value == "" {
			return nil // as in git: unchanged
		}
		if err := os.Chdir(value); err != nil {
			var path *os.PathError
			if errors.As(err, &path) {
				err = path.Err
			}
			return exit.Fail(exit.Git, fmt.Errorf("cannot change to '%s': %w", value, err), "")
		}
		return nil
	case "--git-dir":
		return os.Setenv("GIT_DIR", value)
	default:
		return os.Setenv("GIT_WORK_TREE", value)
	}
}

// repo finds the repository of the command.
func (a *app) repo() (*refs.Repo, error) {
	r, err := refs.Discover(a.dir)
	if err == nil {
		r.LeftOut, r.Grafts = &a.leftOut, a.grafts
	}
	if asks := os.Getenv(view.Unasked); err == nil && asks != "" {
		err = a.unasked(r, asks)
	}
	return r, err
}

// unasked prevents that a command which no person typed starts programs that a stranger's repository names.
func (a *app) unasked(repo *refs.Repo, asks string) error {
	listed := recorded.Is(repo)
	if asks == view.ByEditor && !listed && !repo.MayHaveRefs("refs/traces/") {
		return exit.Fail(exit.Unchecked, errors.New("nothing is recorded here, and no traces were pulled"),
			"git trace init starts recording; git trace blame works without it")
	}
	if asks == view.ByPage && listed {
		return nil
	}
	return repo.StartNothing(a.life)
}

// workTree returns the repository for commands that need a work tree.
func (a *app) workTree() (*refs.Repo, error) {
	r, err := a.repo()
	if err == nil && r.Bare() {
		err = refs.ErrBare
	}
	if err == nil {
		a.tellEnrolled(r)
	}
	return r, err
}

// memoryOfReaders limits the memory of a command that reads: the amount of data depends on the publications of others.
// A user with a larger history sets GOMEMLIMIT, which Go reads.
const memoryOfReaders = 1 << 30

// boundMemory ends a reading command that needs more memory than the limit.
func boundMemory(end func(error)) {
	most := debug.SetMemoryLimit(-1)
	if most == math.MaxInt64 {
		most = memoryOfReaders
		debug.SetMemoryLimit(most) // Go collects more often near the limit
	}
	lookAtMemory(&outgrown{most: uint64(most)}, end)
}

// lookAtMemory checks the memory after each collection.
func lookAtMemory(o *outgrown, end func(error)) {
	runtime.AddCleanup(new([64]byte), func(o *outgrown) {
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		if o.by(now.HeapAlloc) {
			end(o.failure())
			return
		}
		lookAtMemory(o, end)
	}, o)
}

// outgrown counts consecutive collections that left more memory in use than the limit. One collection need not free all
// unused memory.
type outgrown struct {
	most  uint64
	times int
}

const mostOutgrown = 8

// `by` reports whether enough collections in a row left too much.
func (o *outgrown) by(left uint64) bool {
	if left <= o.most {
		o.times = 0
		return false
	}
	o.times++
	return o.times >= mostOutgrown
}

func (o *outgrown) failure() error {
	return exit.Fail(exit.Git, fmt.Errorf("out of memory: %w", errTooLarge),
		fmt.Sprintf("GOMEMLIMIT=%dMiB allows twice as much"+anotherHint+"the logs of others may be the reason: "+
			"git -c trace.trust=own trace … reads only this clone's log", o.most>>19))
}

var errTooLarge = errors.New("reading needs more memory than the limit")

// endWith reports an error and ends the process.
func (a *app) endWith(err error) {
	a.line.End()
	os.Exit(report(a.std.err, err))
}

// cutHistory lets git work without missing or damaged objects, after it failed because of them. For this command,
// commits have only their readable parents, as after a graft. It returns false if no object is missing, so git had
// another reason. Package gitblame does the same for a file whose older contents are missing.
func (a *app) cutHistory(args []string, cause error) bool {
	var failed *refs.GitError
	if a.grafts != "" || !errors.As(cause, &failed) || !refs.NamesUnread(failed.Stderr) {
		return false
	}
	repo, err := a.repo()
	if err != nil {
		return false
	}
	// All objects, since the logs also name commits that no ref leads to.
	out, err := repo.Git(a.life, nil, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)")
	if err != nil {
		return false
	}
	var tips []refs.OID
	for line := range strings.Lines(string(out)) {
		kind, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		if tip, err := refs.ParseOID(id); err == nil && kind == string(refs.CommitObject) {
			tips = append(tips, tip)
		}
	}
	list, unread, err := history.Past(repo, tips)
	if err != nil {
		return false
	}
	lost := map[refs.OID]bool{}
	for _, c := range unread {
		lost[c.ID] = true
		a.leftOut.Note(c.ID)
	}
	text := ""
	for i := range list {
		text += graft(&list[i], lost)
	}
	if text == "" {
		return false
	}
	known, _ := os.ReadFile(filepath.Join(repo.CommonDir, "info", "grafts")) // usually there is none
	return a.writeGrafts(strings.TrimRight(string(known), "\n") + "\n" + text)
}

func (a *app) writeGrafts(text string) bool {
	file, err := os.CreateTemp("", "git-trace-grafts-")
	if err != nil {
		return false
	}
	_, err = file.WriteString(text)
	if errors.Join(err, file.Close()) != nil {
		_ = os.Remove(file.Name())
		return false
	}
	a.grafts = file.Name()
	return true
}

// graft returns the line of a graft file for a commit, with its readable parents; "" if all parents are readable.
func graft(c *history.Commit, lost map[refs.OID]bool) string {
	line := c.ID.String()
	for _, p := range c.Parents {
		if !lost[p] {
			line += " " + p.String()
		}
	}
	if !slices.ContainsFunc(c.Parents, func(p refs.OID) bool { return lost[p] }) {
		return ""
	}
	return line + "\n"
}
