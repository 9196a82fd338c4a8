// Package browser has the tests that look at the pages of packages report and view in a headless
// Chromium. It is a module of its own, so that its DevTools client stays out of the others.
//
// Without a browser the tests are skipped, with the reason. The environment variable
// TFPARSE_CHROME names the program to start, TFPARSE_SCREENSHOTS a folder for pictures.
package browser
