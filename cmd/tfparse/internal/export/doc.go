// Package export has the verb export, which writes records as columns or lines for other programs.
package export
