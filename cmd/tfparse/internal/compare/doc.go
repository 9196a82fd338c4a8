// Package compare has the verbs that compare records, and weigh them.
package compare
