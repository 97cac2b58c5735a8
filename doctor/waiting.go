package doctor

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/numbers"
	"github.com/git-trace/git-trace/refs"
)

func (d *Doctor) checkSpool(context.Context) (string, []Finding) {
	problems := append(d.spoolFindings(), d.laterFindings()...)
	bad, err := filepath.Glob(filepath.Join(refs.QuoteGlob(d.log.SpoolDir()), "*.bad"))
	if err == nil {
		for _, name := range bad {
			problems = append(problems, Finding{
				What: d.shorten(name) + " cannot be read as events and was put aside", Mend: "look at it, then delete it",
			})
		}
	}
	return "empty", problems
}

// spoolFindings says what waits to be appended to the log.
func (d *Doctor) spoolFindings() []Finding {
	files, err := d.log.Spooled()
	switch {
	case err != nil:
		return []Finding{{What: "the spool cannot be read: " + err.Error(), Mend: "see whether this user may read it"}}
	case len(files) == 0:
		return nil
	}
	return []Finding{{
		What: fmt.Sprintf("%s of events %s to be appended to the log", numbers.Count(len(files), "batch"),
			numbers.Agree(len(files), "waits", "wait")),
		Mend: "git trace doctor --fix",
		fix: &repair{"the spool is appended to the log", func(ctx context.Context) error {
			_, err := d.log.Drain(ctx)
			return err
		}},
	}}
}

// laterFindings says which git hooks wait for a process that is not there any more. The next hook starts another.
func (d *Doctor) laterFindings() []Finding {
	queue := later.Open(d.repo)
	n := queue.Len()
	if n == 0 || queue.Busy() {
		return nil
	}
	return []Finding{{
		What: fmt.Sprintf("%s of git %s to be taken in", numbers.Count(n, "hook"), numbers.Agree(n, "waits", "wait")),
		Mend: "git trace doctor --fix",
		fix: &repair{"what waited is taken in", func(ctx context.Context) error {
			return d.deeds.TakeIn(ctx)
		}},
	}}
}
