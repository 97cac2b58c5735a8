// Package steering finds in conversations how people steered an agent: the relation of each prompt to the previous one,
// declined and failed calls, work that went wrong, and the prompt that corrected it. The result is a document of
// TreeTrace 0.3.
//
// Evidence comes before words. Evidence are calls that ran, failed or were declined; what edits added and removed; and,
// where the log is there ([Known]), patches, commits, and what became of each line. Words of prompts (words.json) are
// the weaker tier: they never give more than confidence 0.84, and only on prompts that are corrections.
//
//   - A call that was declined never ran. It is a rejection of its prompt and nothing else looks at it. "rm -rf build"
//     that the person declined is not a risk.
//   - A failure belongs to the prompt whose calls, lines or files failed. "npm test" that failed after prompt 1 is a
//     failure of prompt 1.
//   - Lines are compared only within one file. If the next prompt deletes lines, their prompt went wrong.
//   - What never reached a commit is not abandoned: it may be committed tomorrow.
//   - Without the log only the record is evidence: it has the writes of edit tools, but not those of shells and people.
//
// Nothing is read from the work tree or a clock. Time is linear in steps. What leaves was redacted before it came:
// texts are cut here, never looked at for secrets.
package steering
