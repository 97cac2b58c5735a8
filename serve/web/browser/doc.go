// Package browser opens the pages of git trace serve in Chromium, for tests and for pictures. It is a module of its
// own, so that nobody who builds git-trace fetches what drives a browser.
package browser
