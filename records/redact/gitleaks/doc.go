// Package gitleaks finds secrets with the rules of gitleaks v8 (github.com/zricethezav/gitleaks, MIT licence, copyright
// Zachary Rice), without linking its detector.
//
// The detector imports archive readers, template engines and a configuration system, 75 modules in all. Its package
// initialisation doubles the start-up time of every git-trace process, hooks included. A Go program initialises every
// package that it links, even an unused one. So [rules.json] holds the rules in the form in which gitleaks' config
// package reads them. One test generates this file from the library and compares. Another test gives the same texts to
// both and compares the findings (module conformance). A rule is compiled when a text first needs it.
//
// Intended differences from gitleaks: "gitleaks:allow" has no effect, because a transcript must not allow a secret;
// there are no path rules, because a text has no path; each occurrence is reported with its position.
package gitleaks
