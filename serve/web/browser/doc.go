// Package browser opens the pages of git trace serve in Chromium, for tests and pictures. It is a module of its own. So
// nobody who builds git-trace downloads the code that drives a browser.
package browser
