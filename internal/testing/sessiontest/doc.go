// Package sessiontest tests every parser of session files: records beside the sessions they come from, the schema,
// files that grow, and what holds for any real session.
//
// Real sessions are not part of the project. They are looked for in $GITTRACE_CORPUS, or in a directory beside the
// repository; without them those tests are skipped.
package sessiontest
