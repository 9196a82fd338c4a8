// Package compare has the verbs that compare data sets (diff, digest, skew), and du, which counts bytes.
package compare
