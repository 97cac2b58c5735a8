package doctor

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
)

func (d *Doctor) checkSpool(ctx context.Context) (string, []Finding) {
	problems := append(d.tornFindings(ctx), d.spoolFindings()...) // the spool cannot follow an incomplete end
	problems = append(problems, d.laterFindings()...)
	bad, err := filepath.Glob(filepath.Join(refs.QuoteGlob(d.log.SpoolDir()), "*.bad"))
	if err == nil {
		for _, name := range bad {
			problems = append(problems, Finding{
				What: d.shorten(name) + " cannot be read as events and was put aside", Mend: "look at it, then delete it",
			})
		}
	}
	return "no event waits to be appended to the log", problems
}

// tornFindings reports an incomplete last line of the log, for example after a loss of power.
func (d *Doctor) tornFindings(ctx context.Context) []Finding {
	torn, err := d.log.FindTorn(ctx)
	if err != nil || torn == nil {
		return nil // checkLog reports other faults of the log
	}
	mend := &repair{}
	mend.run = func(ctx context.Context) error {
		mended, err := d.log.MendTorn(ctx)
		if err != nil || mended == nil {
			return err
		}
		mend.what = fmt.Sprintf("%s of it %s in the log again; all of it is kept in %s",
			numbers.Count(mended.Back, "event"), numbers.Agree(mended.Back, "is", "are"), d.shorten(mended.Kept))
		return nil
	}
	return []Finding{{
		What: fmt.Sprintf("the end of the log is torn: %s behind event %d are no events, and nothing can be appended",
			numbers.Count(int(torn.Bytes), "byte"), torn.After),
		Mend: "git trace doctor --fix puts them aside",
		fix:  mend,
	}}
}

// spoolFindings reports spooled events that wait to be appended to the log.
func (d *Doctor) spoolFindings() []Finding {
	files, err := d.log.Spooled()
	switch {
	case err != nil:
		return []Finding{{
			What: "the events that wait cannot be read: " + err.Error(), Mend: "see whether this user may read them",
		}}
	case len(files) == 0:
		return nil
	}
	return []Finding{{
		What: fmt.Sprintf("%s of events %s to be appended to the log", numbers.Count(len(files), "batch"),
			numbers.Agree(len(files), "waits", "wait")),
		Mend: "git trace doctor --fix",
		fix: &repair{"what waited is appended to the log", func(ctx context.Context) error {
			_, err := d.log.Drain(ctx)
			return err
		}},
	}}
}

// laterFindings reports work that git hooks left to a process that no longer exists. The next hook starts another
// process.
func (d *Doctor) laterFindings() []Finding {
	queue := later.Open(d.repo)
	n := queue.Len()
	if n == 0 || queue.Busy() {
		return nil
	}
	why := ""
	for _, reason := range queue.Reasons() {
		why += "; " + string(reason)
	}
	return []Finding{{
		What: fmt.Sprintf("%s of git %s to be taken in%s", numbers.Count(n, "hook"), numbers.Agree(n, "waits", "wait"), why),
		Mend: "git trace doctor --fix",
		fix: &repair{"what waited is taken in", func(ctx context.Context) error {
			return d.deeds.TakeIn(ctx)
		}},
	}}
}
