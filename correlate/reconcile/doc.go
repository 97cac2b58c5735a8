// Package reconcile writes to this clone's log what a search (package unseen) finds of commits that no hook reported: a
// server squashed them, for example.
//
// Two kinds of anchors come of it. What this clone's own log explains is its own word (method manual). What only logs
// of other clones explain is passed on: the anchor has the methods manual and import, so it counts less than the word
// of the clone that saw the work. Only what one remote already tells of a conversation is passed on to that remote.
package reconcile
