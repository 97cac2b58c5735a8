// Package numbers writes numbers for people: counted things, large numbers, and shares of a whole.
//
// It promises correct plurals, figures that are rounded and never truncated, and shares that add up to 100. It is only
// for English words.
package numbers
