// Package driver runs real coding-agent clients offline, against a scripted model server. So tests see the hooks,
// transcripts and file edits of the client itself and not of an imitation.
//
// A [Script] says what the model answers, turn by turn. A [Server] plays it on 127.0.0.1 in the wire protocol the
// client speaks. [RunClaude] starts the client in a [Repo] with an environment built from scratch, and waits for it. It
// hands back everything that can be observed from outside.
//
// Promises:
//
//   - the client reaches no address but 127.0.0.1 through its HTTP stack: a
//     proxy that refuses and records is set for everything else;
//   - nothing of the caller's environment but PATH enters the client;
//   - no process of a run outlives [Options].Linger (on Linux also those that
//     left the process group of the client);
//   - tool ids are readable and the same in every execution of a test.
//
// Not promised: it is not a sandbox, since scripts run with the rights of the test. It does not judge what the client
// did, apart from a script that it failed to play.
//
// The package is for tests and for continuous integration; git-trace does not
// link it. Clients are installed by `go run ./internal/testing/driver/install NAME`.
package driver
