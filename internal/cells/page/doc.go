// Package page writes Markdown that quotes foreign text, with a limit in bytes.
//
// A prompt, a path or the name of an agent may contain any text. On a forge, this text must not mention anybody, close
// an issue, load an image, end a table, or run a command of a bot or a CI runner:
//
//   - Foreign text is in a code span (Code, Cell), in a fence (Fence), or in <code> inside our HTML (HTML). There,
//     CommonMark and the extensions of forges interpret nothing.
//   - Some programs read the source, not the page. So foreign text never begins a line: in a fence, each line begins
//     with a bar. A word joiner (U+2060) follows the "@" of a mention. A no-break space follows a word that closes
//     issues, and the "##" before the name of a command.
//   - In a table cell a pipe is shown as "¦": forges do not agree on how it is escaped there.
//
// Example: the path "a|b" gives the cell `a¦b`, and the prompt "/merge" the line "│ /merge" between fences.
//
// Document leaves out whole parts of a text, in a given order, until the text is small enough, and the text says so. In
// the rest, all fences and tags are closed.
package page
