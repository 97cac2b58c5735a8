// Package numbers writes numbers as people read them: things that are counted, large numbers, and shares of a whole.
//
// It promises plurals that are right, figures that are rounded and never cut, and shares that add up to 100. It knows
// English words only, and nothing of screens.
package numbers
