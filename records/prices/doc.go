// Package prices computes costs from tokens and a table of prices, which the user can replace.
//
// git-trace's own table is prices.json. It has the vendors' list prices in US dollars per million tokens on a given
// day, and the pages that list them. It has no discounts, and no batch or priority prices; surcharges for long prompts
// are included if they are listed. So a cost is an estimate. A model that is not in the table has no cost; its cost is
// never zero.
//
// A user's table has the same form ([Read]). If several prefixes match a model, the longest counts.
package prices
