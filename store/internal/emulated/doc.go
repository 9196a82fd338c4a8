// Package emulated tests package store against emulators of the services, in process. The emulators have many dependencies, so this package is a
// separate module.
package emulated
