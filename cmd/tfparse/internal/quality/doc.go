// Package quality has the verbs that judge data: stats, stats merge, validate and drift.
package quality
