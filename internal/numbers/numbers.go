package numbers

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Count counts things: "1 event", "18,204 events", "2 batches", "3 histories".
func Count(n int, word string) string {
	if n != 1 {
		word = many(word)
	}
	return Thousands(n) + " " + word
}

// many returns the plural of a word.
func many(word string) string {
	for _, ending := range [...]string{"ch", "sh", "s", "x"} {
		if strings.HasSuffix(word, ending) {
			return word + "es"
		}
	}
	if stem, ok := strings.CutSuffix(word, "y"); ok && stem != "" && !strings.ContainsAny(stem[len(stem)-1:], "aeiou") {
		return stem + "ies"
	}
	return word + "s"
}

// Agree returns the form of a verb that goes with a number of things: Agree(2, "is", "are") is "are".
func Agree(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// Thousands writes a number with a comma before every third digit from the right.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return sign + digits
}

// Short writes a number that is not negative in at most six characters, rounded: "9,999", "20k", "1.3M",
// "23M".
func Short(n int64) string {
	const k, m = 1000, 1000 * 1000
	switch {
	case n >= 10*m-m/20:
		return strconv.FormatInt((n+m/2)/m, 10) + "M"
	case n >= m-k/2:
		return strconv.FormatFloat(float64(n)/m, 'f', 1, 64) + "M"
	case n >= 10*k:
		return strconv.FormatInt((n+k/2)/k, 10) + "k"
	}
	return Thousands(int(n))
}

// Percents are Shares as text. A positive share is never shown as 0. They fit a column of three digits.
func Percents(parts []int, whole int) []string {
	out := make([]string, len(parts))
	for i, percent := range Shares(parts, whole) {
		out[i] = fmt.Sprintf("%3d %%", percent)
		if percent == 0 && parts[i] > 0 {
			out[i] = " <1 %"
		}
	}
	return out
}

// Shares are parts of a whole in percent, rounded so that they add up to 100 if the parts are the whole. Less than all
// is never 100.
func Shares(parts []int, whole int) []int {
	percent := make([]int, len(parts))
	order := make([]int, len(parts))
	whole = max(whole, 1)
	lost := func(i int) int { return parts[i] * 100 % whole } // by rounding down
	left, all := 100, 0
	for i, part := range parts {
		order[i] = i
		percent[i] = min(part*100/whole, 100)
		left -= percent[i]
		all += part
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lost(b), lost(a)) })
	for _, i := range order { // the largest rounding losses are rounded up
		up := left > 0 && lost(i)*2 >= whole
		if all == whole {
			up = left > 0 && lost(i) > 0
		}
		if up && percent[i] < 99 {
			percent[i]++
			left--
		}
	}
	return percent
}

// Dollars returns a sum of money, with cents, and with more digits if cents would show nothing.
func Dollars(sum float64) string {
	if sum > 0 && sum < 0.01 {
		return "$" + strconv.FormatFloat(sum, 'f', 4, 64)
	}
	text := strconv.FormatFloat(sum, 'f', 2, 64)
	if n, err := strconv.Atoi(text[:len(text)-3]); err == nil {
		text = Thousands(n) + text[len(text)-3:]
	}
	return "$" + text
}
