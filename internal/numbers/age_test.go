package numbers

import (
	"testing"
	"time"
)

func TestAgeIsOneSmallNumber(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		passed     time.Duration
		short, ago string
	}{
		"a moment ago":           {20 * time.Second, "now", "just now"},
		"yet to come":            {-time.Hour, "now", "just now"},
		"a minute":               {61 * time.Second, "1m", "1 minute ago"},
		"an hour in minutes":     {80 * time.Minute, "80m", "80 minutes ago"},
		"two hours":              {2*time.Hour + 10*time.Minute, "2h", "2 hours ago"},
		"a day and a half":       {35 * time.Hour, "35h", "35 hours ago"},
		"three days":             {3 * day, "3d", "3 days ago"},
		"five weeks":             {36 * day, "5w", "5 weeks ago"},
		"eleven months":          {335 * day, "11mo", "11 months ago"},
		"a year":                 {370 * day, "1y", "1 year ago"},
		"many years":             {3 * year, "3y", "3 years ago"},
		"before the first clock": {60 * year, "60y", "60 years ago"},
	} {
		if got := Age(now.Add(-test.passed), now); got != test.short {
			t.Errorf("%s: Age = %q, want %q", name, got, test.short)
		}
		if got := Ago(now.Add(-test.passed), now); got != test.ago {
			t.Errorf("%s: Ago = %q, want %q", name, got, test.ago)
		}
	}
	if got := Ago(time.Time{}, now); got != "time unknown" {
		t.Errorf("no time: Ago = %q", got)
	}
}
