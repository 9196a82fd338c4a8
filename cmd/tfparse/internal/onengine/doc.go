// Package onengine has what verbs share whose work on files an engine divides among machines: which flags they refuse, and how
// package engine is given what flags say.
package onengine
