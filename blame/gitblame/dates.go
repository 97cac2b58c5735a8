package gitblame

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Dates are shown as the day by default. This file makes the forms that need no locale, clock or zone. For the others
// git is asked once for all commits, so every form of git-log(1) works and looks as in git.

// dateMode returns the form of dates: from --date, else from blame.date, else the day; -t gives the raw time.
func (s *Session) dateMode(configured string, terminal bool) string {
	mode := configured
	if s.opts.Date != "" {
		mode = s.opts.Date
	}
	if form, ok := strings.CutPrefix(mode, "auto:"); ok { // git would look at its own output, a pipe here
		if mode = "default"; terminal {
			mode = form
		}
	}
	switch {
	case s.opts.RawTime:
		return "raw"
	case mode == "" && s.opts.Annotate:
		return "iso"
	case mode == "":
		return "short"
	}
	return mode
}

// Dates returns the author date of each commit of the lines, in the requested form.
func (s *Session) Dates(lines []Line, terminal bool) (map[*Commit]string, error) {
	config, err := s.Config()
	if err != nil {
		return nil, err
	}
	configured, _ := config.Get("blame.date")
	mode := s.dateMode(configured, terminal)
	var commits []*Commit
	dates := map[*Commit]string{}
	for i := range lines {
		c := lines[i].Commit
		if _, ok := dates[c]; !ok && c.Committed() {
			dates[c] = ""
			commits = append(commits, c)
		}
	}
	format := dateFormat(mode)
	if format == nil {
		return dates, s.askDates(commits, mode, dates)
	}
	for _, c := range commits {
		dates[c] = format(&c.Author)
	}
	return dates, nil
}

func dateFormat(mode string) func(*Person) string {
	switch mode {
	case "short":
		return func(p *Person) string { return p.When().Format("2006-01-02") }
	case "iso", "iso8601":
		return func(p *Person) string { return p.When().Format("2006-01-02 15:04:05 -0700") }
	case "raw":
		return func(p *Person) string { return fmt.Sprintf("%d %s", p.Time, p.TZ) }
	case "unix":
		return func(p *Person) string { return strconv.FormatInt(p.Time, 10) }
	}
	return nil
}

// askDates lets git write the dates. It overrides configuration that would add to the output of git log.
func (s *Session) askDates(commits []*Commit, mode string, dates map[*Commit]string) error {
	if len(commits) == 0 {
		return nil
	}
	byID := map[string]*Commit{}
	var ids strings.Builder
	for _, c := range commits {
		byID[c.ID.String()] = c
		fmt.Fprintln(&ids, c.ID)
	}
	out, err := s.Ask(strings.NewReader(ids.String()), "log", "--stdin", "--no-walk=unsorted", "-z", "--no-patch",
		"--no-show-signature", "--no-color", "--no-notes", "--date="+mode, "--format=tformat:%H %ad")
	if err != nil {
		return err
	}
	for record := range strings.SplitSeq(out, "\x00") {
		id, date, _ := strings.Cut(record, " ")
		if c := byID[id]; c != nil {
			dates[c] = date
		}
	}
	return nil
}

// When returns the moment in the person's own time zone; a zone that git could not read counts as UTC.
func (p *Person) When() time.Time {
	const latest = 253402300800 - 86400 // a day before the year 10000, which RFC 3339 cannot write
	return time.Unix(min(p.Time, latest), 0).In(zone(p.TZ))
}

// zone reads "+0130" as git does: hours and minutes as decimal digits.
func zone(text string) *time.Location {
	n, err := strconv.Atoi(text)
	if err != nil || n <= -2400 || n >= 2400 || n%100 >= 60 || n%100 <= -60 {
		return time.UTC
	}
	seconds := (n/100*60 + n%100) * 60
	if seconds == 0 {
		return time.UTC
	}
	return time.FixedZone("", seconds)
}

// BareMail returns the address without the angle brackets git puts around it.
func (p *Person) BareMail() string {
	return strings.TrimSuffix(strings.TrimPrefix(p.Mail, "<"), ">")
}
