// Package reconcile writes to this clone's log the owners that a search (package unseen) finds in commits without
// hooks, for example squashed on a server.
//
// It writes two kinds of anchors. If this clone's log explains the lines, the anchor has the method manual. If only
// other clones' logs explain them, they are passed on with the methods manual and import, and count less than the clone
// that saw the work. A remote gets only data about conversations that it already has.
package reconcile
