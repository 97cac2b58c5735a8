// Package applypatch reads the patches of the tool apply_patch, which Codex brought up and others took over for the
// same models:
//
//	*** Begin Patch
//	*** Update File: a.txt
//	@@
//	 kept
//	-old
//	+new
//	*** End Patch
//
// A patch is foreign data: what is not understood is passed over, and nothing is applied.
package applypatch
