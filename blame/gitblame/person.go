package gitblame

import (
	"strconv"
	"strings"
	"time"
)

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
