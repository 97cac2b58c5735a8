// Package capsule packs a prompt or a conversation into one file, and unpacks such a file in another clone.
//
// A capsule holds the episode, the touched files before and after it, and the test that the agent ran. A reader needs
// nothing else. To run the test, the rest of the work tree is needed, from the commit that the capsule names.
//
// [Maker.Make] redacts every text again. [Read] checks a foreign file. [Capsule.Lay] writes its files below a
// directory.
//
// It promises:
//
//   - If a text cannot be redacted, no capsule is made.
//   - Reading runs nothing and writes nothing.
//   - Only plain files below the directory are written. A path is refused if it leaves the directory, goes through a
//     link, or may be a directory of git.
package capsule
