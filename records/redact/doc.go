// Package redact removes secrets and names from conversations before any part of them is stored.
//
// Only a [Redactor] can make a [Record]: the fields of a record are not exported, and its zero value holds nothing. So
// package store cannot receive a conversation that was not redacted.
//
// It removes:
//
//   - secrets of known forms: private keys, HTTP authorization tokens, and all matches of the rules. The rules are from
//     gitleaks v8 (package gitleaks, behind [Finder]), from this package for services unknown to gitleaks, and from the
//     user;
//   - any value whose name says that it is a secret: DB_PASSWORD=…, "apiKey": "…", --token …, mysql -p…, .netrc,
//     passwords in URLs; placeholders ($TOKEN, ***, <password>) stay;
//   - strings of high entropy, which are not decoded;
//   - the names of home directories and the name of the user;
//   - the name of the machine, host names in shell prompts (bob@build7:~$), and the domains of mail addresses;
//   - the locations of work trees: a path in a work tree becomes relative to it, /src/shop/a.go becomes a.go.
//
// All kinds but the last and the strings of high entropy are found in plain text and in up to three layers of encoding:
// JSON and C escapes, percent-encoding, HTML entities, base64 (of UTF-8 and UTF-16), hexadecimal digits. Colours and
// other terminal sequences, the zero bytes of UTF-16, invisible characters and wrapped lines do not hide a secret. Byte
// dumps, as hexdump and od print them, are not decoded: no session file that was examined had a secret in a dump.
//
// A secret that is found once is removed from the whole conversation. The marker [REDACTED:rule] replaces it.
//
// Redaction fails closed: after an error, a panic or a timeout a redactor returns no Record. It does not find every
// secret: it misses one that no rule describes, that has another encoding, or that was typed in pieces. Ids, times and
// the names of models and tools are searched for secrets but not for high entropy.
//
// Redaction does not run in hooks. Hooks start the process that stores records, and nobody waits for that process.
package redact
