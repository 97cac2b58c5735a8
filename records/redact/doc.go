// Package redact takes secrets and names out of conversations before anything of them is stored.
//
// A [Redactor] makes a [Record], and nothing else does: its fields are not exported and its zero value holds nothing, so
// that what takes a Record (package store) cannot be given a conversation that nobody has looked at.
//
// What is taken out:
//
//   - secrets, by the rules of gitleaks v8 (package gitleaks behind [Finder]), passwords in URLs, private keys, tokens of
//     HTTP authorization, strings of high entropy, and what the user's own rules match;
//   - in plain text and behind one or two encodings: JSON and C escapes, percent-encoding, base64, wrapped lines;
//   - the names of home directories and the name of the user.
//
// What is found once is taken out of the whole conversation, wherever it stands. In its place stands [REDACTED:rule].
//
// Redaction fails closed: after an error, a panic or the end of its time a redactor gives no Record. It is best effort all
// the same: what no rule describes is not found, nor is a secret behind another encoding than those above, or typed in
// pieces. Ids, times and names of models and tools are searched for secrets but not for high entropy.
//
// It does not run in hooks. The process that stores records is started by them and waits for nobody.
package redact
