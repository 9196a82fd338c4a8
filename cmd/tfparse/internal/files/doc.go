// Package files has the verbs that read whole files: info, count, verify, recover and index.
package files
