// Package treetrace reads and writes TreeTrace 0.3: the prompts of conversations as a tree that shows how people
// steered agents. A prompt is a node with a kind (direction, correction, checkpoint, …). The node has the calls that
// followed it, what was declined or failed, and what that says about the work.
//
// Package steering makes a [Document] of conversations. Here a document becomes files, and a file a document or
// conversations:
//
//   - [Encode] writes tree.json, [Files] all files of the format under their usual names, each with the same document
//     behind it;
//   - [Decode] reads tree.json of version 0.2 and later; members and values that it does not know are passed over;
//   - [Read] makes a conversation of each session. Answers, results and tokens of single answers are not in the format.
//     So what comes back are prompts and calls, and what the document says of them in metadata.treetrace.
//
// A document has no clock in it: written twice it is the same, byte for byte. generatedAt is the time of the newest
// prompt or answer. Members that the format's page does not have are added where they give more facts (kindBy, ran,
// files, git), never changed in meaning; readers of the format pass them over.
package treetrace

// Name is the name of the format on the command line.
const Name = "treetrace"

// SchemaVersion is the version that is written.
const SchemaVersion = "0.3"
