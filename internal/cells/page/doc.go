// Package page writes Markdown that quotes anybody's text, and keeps it to a number of bytes.
//
// A prompt, a path or the name of an agent may hold anything. On a forge it must mention nobody, close no issue, load
// no image and end no table. It must also run no command of a bot or of a runner:
//
//   - Foreign text is in a code span (Code, Cell), in a fence (Fence), or in <code> inside our HTML (HTML). CommonMark
//     and the additions of forges interpret nothing in these.
//   - Some programs read the source and not the page. So foreign text never begins a line: in a fence, a bar precedes
//     it. A word joiner (U+2060) follows the "@" of a mention. A no-break space follows a word that closes issues, and
//     "##" before the name of a command.
//   - In a table cell a pipe is shown as "¦": forges do not agree on how it is escaped there.
//
// Example: the path "a|b" gives the cell `a¦b`, and the prompt "/merge" the line "│ /merge" between fences.
//
// Document leaves out whole parts of a text, in a given order, until it is small enough, and says so in the text. The
// rest has all its fences and tags closed.
package page
