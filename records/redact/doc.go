// Package redact takes secrets and names out of conversations before anything of them is stored.
//
// A [Redactor] makes a [Record], and nothing else does: its fields are not exported and its zero value holds
// nothing. So package store cannot receive a conversation that was not redacted.
//
// It removes:
//
//   - secrets of known forms: private keys, tokens of HTTP authorization, and what the rules match. The rules are those
//     of gitleaks v8 (package gitleaks behind [Finder]), those for services that gitleaks does not know, and the user's
//     own;
//   - what a name tells to be a secret, whatever it looks like: DB_PASSWORD=…, "apiKey": "…", --token …, mysql -p…,
//     .netrc, passwords in URLs; placeholders of secrets ($TOKEN, ***, <password>) stay;
//   - strings of high entropy, without decoding;
//   - the names of home directories and the name of the user;
//   - the name of the machine, the machines of prompts (bob@build7:~$), and the domains of mail addresses;
//   - where the work trees are: what lies in one is told by its path below it, /src/shop/a.go as a.go.
//
// All but the random ones and the work trees are found in plain text and behind up to three layers of: escapes of JSON
// and C, percent-encoding, entities of HTML, base64 (of UTF-8 and UTF-16), hexadecimal digits. Colours and other
// sequences for terminals, the zero bytes of UTF-16 and characters without width hide nothing, nor do lines that were
// wrapped. Dumps, as hexdump and od show bytes, are not read: no session file that was looked at had a secret in one.
//
// A secret that is found once is removed from the whole conversation. [REDACTED:rule] takes its place.
//
// Redaction fails closed: after an error, a panic or the end of its time a redactor gives no Record. Yet it cannot
// find everything: it does not find a secret that no rule describes, that has another encoding, or that was typed
// in pieces. Ids, times and names of models and tools are searched for secrets but not for high entropy.
//
// It does not run in hooks. Hooks start the process that stores records, and nobody waits for it.
package redact
