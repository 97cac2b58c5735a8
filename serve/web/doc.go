// Package web serves the pages on which one sees why a line is there: conversations, blame, commits, figures.
//
// It computes nothing. Each page draws what a command of git-trace prints with --json, and /api/1 gives that as it is;
// so a page and a command cannot disagree. Contents of files come from git's objects, by commit and path.
//
// The pages show what was said in conversations that were never shared, so the server takes nothing on trust:
//
//   - It listens on the loopback device alone. A request must name it by a loopback name, carry the token of this
//     start, and come from a page of its own.
//   - It reads. There is no request that changes anything.
//   - What comes from conversations, files and other clones is text. It is escaped, and what would act on the screen is
//     shown as a mark. The policy of each answer forbids script and style that are not files of this package.
//
// Every page works without script; page.js adds keys, and word of what is new.
package web
