// Package web serves pages that show why a line is there: conversations, blame, commits, figures.
//
// It computes nothing. Each page draws the --json output of a command of git-trace, and /api/1 returns that output
// unchanged. So a page and a command cannot disagree. Contents of files come from git's objects, by commit and path.
//
// The pages show texts of conversations that were never shared, so the server trusts nothing:
//
//   - It listens on the loopback device alone. A request must name it by a loopback name, carry the token of this
//     start, and come from a page of its own.
//   - It only reads: a request changes nothing.
//   - Data from conversations, files and other clones is text. It is escaped, and characters that would act on the
//     screen are shown as marks. The policy of each answer forbids script and style that are not files of this package.
//
// Every page works without script; page.js adds keys, and a notice of new data.
package web
