// Package treetrace reads and writes TreeTrace 0.3: a tree of the prompts in conversations, which shows how people
// steered agents. A prompt is a node with a kind (direction, correction, checkpoint, …). The node contains the calls
// that followed it, declined and failed calls, and conclusions about the work.
//
// Package steering makes a [Document] from conversations. This package converts documents to files, and files to
// documents or conversations:
//
//   - [Encode] writes tree.json. [Files] writes all files of the format under their usual names, from the same
//     document.
//   - [Decode] reads a tree.json of version 0.2 or later, and ignores unknown members and values.
//   - [Read] makes a conversation of each session. The format has no answers, no results and no tokens of single
//     answers. So a record that is read has prompts and calls, and the document's other data about them in
//     metadata.treetrace.
//
// Encoding uses no clock: the same document always gives the same bytes. generatedAt is the time of the newest prompt
// or answer. The package adds members that the format's page lacks where they give more facts (kindBy, ran, files,
// git), and never changes the meaning of a member. Readers of the format ignore the added members.
package treetrace

// Name is the name of the format on the command line.
const Name = "treetrace"

// SchemaVersion is the version that this package writes.
const SchemaVersion = "0.3"
