// Package applypatch reads the patches of the tool apply_patch, which Codex introduced and other agents adopted for the
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
// A patch is untrusted data: the reader skips unknown lines and applies nothing.
package applypatch
