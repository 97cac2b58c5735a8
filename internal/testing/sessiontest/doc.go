// Package sessiontest is what every parser of session files is tested by: records beside the sessions they come from,
// the schema, files that grow, and what holds for any real session.
//
// Real sessions are no part of the project. They are looked for in $GITTRACE_CORPUS, or in a directory beside the
// repository; without them those tests are skipped.
package sessiontest
