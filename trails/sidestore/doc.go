// Package sidestore keeps the side object store (refs.Repo.SideObjects) small. The store has the trees and blobs of
// snapshots. No git ref reaches them, and git's gc does not process them.
//
// Pack moves loose objects into packs. Expire removes objects that are older than a given time and not part of any work
// tree's last snapshot. Old contents help to explain changes that took days, but are useless after months.
//
// The package promises:
//
//   - An object that a snapshot needs exists at every moment, loose or packed: a pack is complete before the loose
//     copies are deleted. The objects of an old pack that are kept are in a new pack before the old one is deleted.
//   - A process that is killed at any moment leaves at worst a duplicate of an object, and a temporary file. The next
//     run removes both.
//   - Writers and readers can work at the same time. A writer that finds an existing object may use it: if its time
//     stamp was older than a day, refs.WriteLoose has updated it. Expiry checks the time stamp again, under the lock
//     that the timelines of all work trees share with their writers.
//
// Callers must run only one Pack or Expire at a time.
package sidestore
