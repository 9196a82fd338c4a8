// Package schema has the verb that makes specs and schemas by looking at records or statistics.
package schema
