package gitblame

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// By default dates are shown as a day. This file makes the formats that need no locale, clock or time zone. For other
// formats git is called once for all commits, so every format of git-log(1) works and looks as in git.

// dateMode returns the format of dates: from --date, otherwise from blame.date, otherwise the day. -t selects the raw
// time.
func (s *Session) dateMode(configured string, terminal bool) string {
	mode := configured
	if s.opts.Date != "" {
		mode = s.opts.Date
	}
	if form, ok := strings.CutPrefix(mode, "auto:"); ok { // git would check its own output, which is a pipe here
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

// Dates returns the author date of each commit of the lines, in the requested format.
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

// askDates calls git to format the dates. It overrides configuration that would add to the output of git log.
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

// `When` returns the time in the person's own time zone. A zone that git could not read counts as UTC.
func (p *Person) When() time.Time {
	const latest = 253402300800 - 86400 // one day before the year 10000, which RFC 3339 cannot represent
	return time.Unix(min(p.Time, latest), 0).In(zone(p.TZ))
}

// zone reads "+0130" as git does: two digits for hours, two for minutes.
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

// BareMail returns the address without the angle brackets that git adds.
func (p *Person) BareMail() string {
	return strings.TrimSuffix(strings.TrimPrefix(p.Mail, "<"), ">")
}
