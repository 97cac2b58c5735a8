// Package steering finds how people steered an agent in conversations: the relation of each prompt to the previous one,
// declined and failed calls, work that went wrong, and the prompt that corrected it. The result is a TreeTrace 0.3
// document.
//
// Evidence has priority over words. Evidence is: calls that ran, failed or were declined; lines that edits added and
// removed; and, if the log is available ([Known]), patches, commits and the fate of each line. Words of prompts
// (words.json) are weaker: their confidence is at most 0.84, and they are used only for prompts that are corrections.
//
//   - A declined call never ran. It is a rejection of its prompt and has no other effect. Example: "rm -rf build" that
//     the person declined is not a risk.
//   - A failure belongs to the prompt whose calls, lines or files failed. Example: if "npm test" failed after prompt 1,
//     it is a failure of prompt 1.
//   - Lines are compared only within one file. If the next prompt deletes lines, the prompt that wrote them failed.
//   - Uncommitted work is not abandoned: it may be committed tomorrow.
//   - Without the log, only the record is evidence: it has the writes of edit tools, but not the writes of shells and
//     people.
//
// The package reads neither the work tree nor a clock. Its time is linear in the number of steps. Records are redacted
// before they are passed to this package: it shortens texts, but does not search them for secrets.
package steering
