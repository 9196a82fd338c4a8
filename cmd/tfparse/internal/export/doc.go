// Package export has the verb export: records as columns or lines, for other programs.
package export
