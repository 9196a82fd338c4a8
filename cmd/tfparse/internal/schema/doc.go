// Package schema has the verb schema, which infers specs and schemas from records or statistics.
package schema
