// Package vscode drives the real Visual Studio Code in Chromium: code-server, which is the editor in a browser. It has
// the packed extension of packaging/editors/vscode and an extension for tests (provider). The latter gives inline
// suggestions, formats and renames. Keys are pressed in Chromium.
package vscode
