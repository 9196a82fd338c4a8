// Package quality has the verbs that check data: stats, stats merge, validate and drift.
package quality
