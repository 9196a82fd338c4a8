// Package files has the verbs about files as a whole: info, count, verify,
// convert, recover and index.
package files
