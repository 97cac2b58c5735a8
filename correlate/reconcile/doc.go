// Package reconcile searches commits without hooks (package unseen), for example commits squashed on a server, and
// writes the owners to this clone's log.
//
// It writes two kinds of anchors. If this clone's log explains the lines, the anchor has the method manual. If only
// other clones' logs explain them, the anchor has the methods manual and import. It counts less than the log of the
// clone that saw the work. A remote gets only data about conversations that it already has.
package reconcile
