// Package files has the verbs about files as a whole: info, count, verify and convert.
package files
