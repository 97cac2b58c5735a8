// Package prices turns tokens into money by a table of prices, which the user can replace.
//
// git-trace's own table is prices.json. It has the list prices of the vendors in US dollars for a million tokens, on
// the day that it names, with their pages. It has no discounts, and no batch or priority prices; of surcharges for long
// prompts it has the listed ones. So a cost is an estimate. A model that is not in the table has no cost, never a cost
// of zero.
//
// A user's table has the same form ([Read]); of several prefixes that fit a model the longest counts.
package prices
