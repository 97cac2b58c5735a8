// Package cells prepares text for a terminal: it makes foreign text safe to print, measures it in the cells it takes on
// the screen, and fits it to a number of them.
//
// A file name, a commit, a prompt or a fetched log may hold anything. What Safe returns has no control characters, no
// line or paragraph separators, and no invalid bytes. Nor has it characters that act on the order of the text around
// them. All of them stay visible as what they are. Every other function expects text that went through Safe, without
// escape sequences: colour comes after fitting.
//
// Widths follow the East Asian Width property, ambiguous characters take one cell and combining characters none, as
// terminals do by default. A sequence that is shown as one character (a family of emoji, a skin tone, a flag) is
// measured as one and never cut in two. Terminals that draw the parts of such a sequence beside each other need more
// cells than are counted.
package cells
