// Package emulated tests package store against emulators of the services, in process. They have many dependencies, so it is a module of its own.
package emulated
