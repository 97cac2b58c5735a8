// Package cells prepares text for a terminal: it makes foreign text safe to print, measures it in cells (columns of the
// screen), and fits it to a number of cells.
//
// A file name, a commit, a prompt or a fetched log may contain any characters. The result of Safe has no control
// characters, no line or paragraph separators, no invalid bytes, and no characters that change the order of the text
// around them. Safe replaces each of them by a visible form. The functions that measure and fit text expect safe text.
// All except Fold expect text without escape sequences, so colour is added after fitting.
//
// Widths follow the East Asian Width property, ambiguous characters take one cell, and combining characters take none,
// as by default in terminals. A sequence that is shown as one character (a family of emoji, a skin tone, a flag) counts
// as one, and is never cut. A terminal that draws the parts of such a sequence side by side needs more cells than are
// counted.
package cells
