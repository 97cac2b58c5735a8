// Package vscode drives the real Visual Studio Code: code-server, which is the editor in a browser, with the packed
// extension of packaging/editors/vscode and an extension for tests (provider), which gives inline suggestions, formats and
// renames. Keys are pressed in Chromium.
package vscode
