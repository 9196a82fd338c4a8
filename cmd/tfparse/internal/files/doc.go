// Package files has the verbs about files as a whole: info, count, verify,
// recover and index.
package files
