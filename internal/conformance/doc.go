// Package conformance holds git-trace against other people's implementations of the same thing. It holds the objects,
// packs, pack indexes and refs that refs reads against go-git. It holds the rules for secrets, and what they find,
// against gitleaks. It holds pages of Markdown against a CommonMark parser.
//
// It is a module of its own, so that git-trace itself asks for none of the seventy modules that these libraries bring:
// what is in go.mod has to be fetched, checked and watched by everybody who builds the program. Nothing else imports
// it.
//
//	go -C conformance test ./...
package conformance
