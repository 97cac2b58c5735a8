// Package trails keeps the timeline of one work tree: the ordered sequence of its snapshots, the tool windows that were
// open between them, and the patches that follow from both.
//
// Every boundary that an agent's hook reports (events.Boundary) becomes one step of the timeline, and so does every git
// hook. Steps run under the lock of the work tree: snapshots are totally ordered, even if hooks run in parallel. A
// boundary passes four phases. Each gets the results of the previous one:
//
//   - hear (hear.go): which conversation it belongs to, which calls begin and which end (heard);
//   - look (look.go): what has changed in the work tree since the last snapshot (observation);
//   - weigh (weigh.go): who wrote each changed line (found);
//   - write (write.go): patches, owners, events and the state. Only this phase appends and saves.
//
// What changed since the last snapshot is an interval; each changed line of it gets one owner:
//
//   - what git brought in (a checkout, a merge, a stash) keeps the owner it had;
//   - white-space-only changes and moved blocks keep the owner they had;
//   - otherwise the tool call whose window was open and could have written the path; with several of them the one that
//     declared the text; where no evidence splits them, all of them are named as candidates;
//   - a person, when no window was open that could have written the path.
//
// Lines from before the first snapshot are unknown. The package never credits a line because of time, of nearness, or
// of "the last conversation".
//
// The order of writing is objects, ownership vectors, events, state. A process killed between two of them repeats the
// step at the next boundary. The id of a patch follows from its content, so the repeated patch is the same.
//
// The package does not make the anchors of commits (package correlate does), and does not read the agents' payloads
// (package agents does).
package trails
