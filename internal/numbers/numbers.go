package numbers

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Count returns a number with its noun: "1 event", "18,204 events", "2 batches", "3 histories".
func Count(n int, word string) string {
	if n != 1 {
		word = many(word)
	}
	return Thousands(n) + " " + word
}

// `many` returns the plural of a word.
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

// Agree returns the verb form for n things: Agree(2, "is", "are") is "are".
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

// Short writes a non-negative number, rounded, in at most six characters: "9,999", "20k", "1.3M", "23M".
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

// Percents returns Shares as text, at most three digits wide. A positive share is never shown as 0.
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

// Shares returns the parts in percent of `whole`. They add up to 100 if the parts add up to `whole`. A part smaller
// than `whole` is never 100.
func Shares(parts []int, whole int) []int {
	percent := make([]int, len(parts))
	order := make([]int, len(parts))
	whole = max(whole, 1)
	lost := func(i int) int { return parts[i] * 100 % whole } // the remainder that rounding down drops
	left, all := 100, 0
	for i, part := range parts {
		order[i] = i
		percent[i] = min(part*100/whole, 100)
		left -= percent[i]
		all += part
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lost(b), lost(a)) })
	for _, i := range order { // round up where the remainder is largest
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

// Dollars returns an amount of money with cents. It adds digits if cents would show zero.
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
