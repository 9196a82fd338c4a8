// Package encode has the verb that makes records of JSON lines.
package encode
