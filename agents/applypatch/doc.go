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
// A patch is foreign data: the reader skips unknown lines, and applies nothing.
package applypatch
