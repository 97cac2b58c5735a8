package numbers_test

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/numbers"
)

func TestThingsAreCountedInEnglish(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"1 event":         numbers.Count(1, "event"),
		"0 events":        numbers.Count(0, "event"),
		"18,204 events":   numbers.Count(18204, "event"),
		"2 paths":         numbers.Count(2, "path"),
		"2 batches":       numbers.Count(2, "batch"),
		"2 addresses":     numbers.Count(2, "address"),
		"2 repositories":  numbers.Count(2, "repository"),
		"1 repository":    numbers.Count(1, "repository"),
		"2 keys":          numbers.Count(2, "key"),
		"2 hook events":   numbers.Count(2, "hook event"),
		"1,234,567 lines": numbers.Count(1234567, "line"),
		"-1,234":          numbers.Thousands(-1234),
		"999":             numbers.Thousands(999),
		"$1,182.13":       numbers.Dollars(1182.13),
		"$0.08":           numbers.Dollars(0.08),
		"$0.0012":         numbers.Dollars(0.0012),
		"1 is, 2 are":     "1 " + numbers.Agree(1, "is", "are") + ", 2 " + numbers.Agree(2, "is", "are"),
		"0 were":          "0 " + numbers.Agree(0, "was", "were"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestLargeFiguresAreRounded(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0", 9_999: "9,999", 10_000: "10k", 19_874: "20k", 19_499: "19k", 999_999: "1.0M", 1_218_000: "1.2M",
		9_999_499: "10M", 9_999_500: "10M", 22_577_493: "23M",
	} {
		if got := numbers.Short(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestSharesAddUpAndNeverSayAllOfLess(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		parts []int
		whole int
		want  string
	}{
		"all":                                   {[]int{7}, 7, "100 %"},
		"nearly all is not all":                 {[]int{999}, 1000, " 99 %"},
		"hardly any is not none":                {[]int{1}, 1000, " <1 %"},
		"both together are all":                 {[]int{999, 1}, 1000, " 99 %  1 %"},
		"none":                                  {[]int{0}, 5, "  0 %"},
		"more than all cannot be":               {[]int{9}, 5, "100 %"},
		"nothing added gives no one":            {[]int{0}, 0, "  0 %"},
		"two thirds are 67":                     {[]int{12}, 18, " 67 %"},
		"two thirds and one add up":             {[]int{12, 6}, 18, " 67 % 33 %"},
		"three thirds: the first gets the rest": {[]int{1, 1, 1}, 3, " 34 % 33 % 33 %"},
		"a part alone is rounded":               {[]int{1, 1}, 6, " 17 % 17 %"},
	} {
		if got := strings.Join(numbers.Percents(test.parts, test.whole), ""); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
