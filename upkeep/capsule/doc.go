// Package capsule makes one file of a prompt or a conversation, and lays the files of one out in another clone.
//
// A capsule holds the episode, the touched files before and after it, and the test that the agent ran. It needs nothing
// else to be read. The test needs the rest of the work tree, from the commit that the capsule names.
//
// [Maker.Make] redacts every text once more. [Read] checks a file from somebody else, and [Capsule.Lay] writes its
// files below a directory.
//
// It promises:
//
//   - A text that cannot be redacted makes no capsule.
//   - Reading runs nothing and writes nothing.
//   - Only plain files below the directory are written: a path that leaves it, goes through a link, or that git may
//     take for its own directory is refused.
package capsule
