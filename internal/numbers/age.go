package numbers

import (
	"strconv"
	"time"
)

// Age returns the time between two moments as one number with a unit: "2h", "3d", "1y". A moment in the future gives
// "now", because clocks differ.
func Age(then, now time.Time) string {
	n, unit := age(then, now)
	if n == 0 {
		return "now"
	}
	return strconv.Itoa(n) + unit.short
}

// Ago returns the age in words: "2 hours ago". For a zero time it is "time unknown".
func Ago(then, now time.Time) string {
	if then.IsZero() {
		return "time unknown"
	}
	n, unit := age(then, now)
	switch n {
	case 0:
		return "just now"
	case 1:
		return "1 " + unit.word + " ago"
	}
	return strconv.Itoa(n) + " " + unit.word + "s ago"
}

type ageUnit struct {
	short, word string
	length      time.Duration
	below       int // the unit is used for numbers below this
}

const (
	day  = 24 * time.Hour
	year = 8766 * time.Hour // a quarter of four years with a leap day
)

var ageUnits = [...]ageUnit{
	{"m", "minute", time.Minute, 90},
	{"h", "hour", time.Hour, 36},
	{"d", "day", day, 14},
	{"w", "week", 7 * day, 10},
	{"mo", "month", year / 12, 12},
	{"y", "year", year, 1 << 30},
}

// age returns the rounded time from then to now, in the finest unit whose number is below its limit; 0 below 30 s.
func age(then, now time.Time) (int, ageUnit) {
	passed := now.Sub(then)
	if passed < time.Minute/2 {
		return 0, ageUnit{}
	}
	for _, unit := range ageUnits {
		if n := int((passed + unit.length/2) / unit.length); n < unit.below {
			return n, unit
		}
	}
	return 0, ageUnit{} // not reached: no number is beyond the last limit
}

// Took returns a duration as one number with a unit: "12.5 s", "40 min", "2.3 h"; "" for 0.
func Took(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Second:
		return strconv.Itoa(int(d.Milliseconds())) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < time.Hour:
		return strconv.Itoa(int(d.Round(time.Minute).Minutes())) + " min"
	}
	return strconv.FormatFloat(d.Hours(), 'f', 1, 64) + " h"
}
