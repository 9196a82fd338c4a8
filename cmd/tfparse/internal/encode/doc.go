// Package encode has the verb encode, which encodes JSON lines as records.
package encode
