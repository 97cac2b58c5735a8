// Package sidestore keeps the side object store (refs.Repo.SideObjects) small: the trees and blobs of snapshots, which
// no ref of git's reaches and no gc of git's looks at.
//
// Pack moves loose objects into packs. Expire removes what is older than a time and is not part of any work tree's
// last snapshot: old contents serve to explain changes that took days, and are worth nothing after months.
//
// It promises:
//
//   - An object that a snapshot relies on is there at every moment, loose or packed: a pack has its name before the
//     loose copies go. The kept objects of an old pack are in a new one before the old one is deleted.
//   - A process killed at any moment leaves at worst an object that is there twice, and a temporary file. The next run
//     clears both away.
//   - Writers and readers go on meanwhile. A writer that finds an existing object may rely on it. Its time stamp was
//     renewed if it was older than a day (refs.WriteLoose). Expiry looks at the stamp again under the lock that the
//     timelines of all work trees share with their writers.
//
// One of them at a time is the caller's duty.
package sidestore
