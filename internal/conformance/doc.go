// Package conformance compares git-trace with other implementations: objects, packs, pack indexes and refs with go-git,
// the rules for secrets and their findings with gitleaks, and pages of Markdown with a CommonMark parser.
//
// It is a module of its own. Its libraries need seventy modules, and everybody who builds git-trace would have to
// download and check them. No other package imports it.
//
//	go -C internal/conformance test ./...
package conformance
