// Package sessiontest tests every parser of session files: the records of sample sessions, the schema, files that grow,
// and invariants of real sessions.
//
// Real sessions are not part of the project. They are in $GITTRACE_CORPUS, or in a directory beside the repository.
// Without them, their tests are skipped.
package sessiontest
