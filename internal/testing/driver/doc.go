// Package driver runs real clients of coding agents offline, with a scripted model server. So tests see the hooks,
// session files and edits of the client itself, not of an imitation.
//
// A [Script] contains the model's answers, turn by turn. A [Server] plays it on 127.0.0.1 in the client's protocol.
// [RunClaude] starts the client in a [Repo] with a new environment, waits for it, and returns everything that can be
// observed from outside.
//
// Promises:
//
//   - through its HTTP stack the client reaches only 127.0.0.1: all other requests go to a proxy, which refuses and
//     records them;
//   - of the caller's environment the client gets only PATH, and GOCOVERDIR for the coverage of hooks;
//   - no process of the client lives longer than [Options].Linger (on Linux, including processes that left the client's
//     process group; Windows has no such limit); git-trace's own processes have one more minute;
//   - tool ids are readable and the same in every execution of a test.
//
// It is not a sandbox: scripts run with the rights of the test. It does not judge the client, except that a script must
// be played to its end.
//
// The package is for tests and for continuous integration; git-trace does not link it. This installs a client:
//
//	go run ./internal/testing/driver/install NAME
package driver
