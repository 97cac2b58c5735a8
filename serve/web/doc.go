// Package web serves pages that show why a line is there: conversations, blame, commits, figures.
//
// It computes nothing itself. Each page draws the --json output of a command of git-trace, and /api/1 returns that
// output unchanged. So a page and a command cannot disagree. Contents of files come from git's objects, by commit and
// path.
//
// The pages show texts of conversations that were never shared, so the server trusts nothing:
//
//   - It listens only on the loopback device. A request must use a loopback name as its host, carry the token of this
//     start, and come from one of the server's own pages.
//   - It only reads: a request changes nothing.
//   - Data from conversations, files and other clones is text. It is escaped, and characters that control the display
//     are shown as marks. The policy of each answer allows only the scripts and styles of this package.
//
// Every page works without script. page.js adds keys, and a notice when there is new data.
package web
