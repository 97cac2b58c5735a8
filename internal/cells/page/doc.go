// Package page writes Markdown that quotes anybody's text, and keeps it to a number of bytes.
//
// A prompt, a path or the name of an agent may hold anything. On a forge it must mention nobody, close no issue, load
// no image and end no table. It must also run no command of a bot or of a runner:
//
//   - Foreign text stands in a code span (Code, Cell), in a fence (Fence), or in <code> inside HTML of ours (HTML).
//     CommonMark and the forges' own additions find nothing in these.
//   - Some programs read the source and not the page. So no line begins with foreign text: in a fence it stands
//     behind a bar. A mention has a word joiner (U+2060) behind its "@". A word that closes issues has a no-break
//     space behind it, and so has "##" before the name of a command.
//   - In a table cell a pipe is shown as "¦": forges do not agree on how it is escaped there.
//
// Example: the path "a|b" gives the cell `a¦b`, and the prompt "/merge" the line "│ /merge" between fences.
//
// Document is text whose parts are left out whole, in a given order, until it is small enough. What was left out is
// said. What is left has all its fences and tags closed.
package page
