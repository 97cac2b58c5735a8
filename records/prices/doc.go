// Package prices turns tokens into money by a table of prices, which the user can replace.
//
// The table that comes with git-trace is prices.json. It holds the list prices of the vendors in US dollars for a
// million tokens. They hold for the day that it names, with the pages that say so. It knows no discounts, no batch
// and no priority prices, and of surcharges for long prompts those that it lists: a cost is an estimate. A model that
// the table does not know has no cost, never a cost of zero.
//
// A table of one's own has the same form ([Read]); of several prefixes that fit a model the longest counts.
package prices
