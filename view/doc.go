// Package view serves the records of TFRecord files as a page for a browser.
package view
