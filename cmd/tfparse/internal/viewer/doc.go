// Package viewer has the verb view, which shows records as a page in a browser. Package view makes the page.
package viewer
