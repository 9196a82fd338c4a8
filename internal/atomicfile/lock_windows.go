package atomicfile

import "os"

// canRenameOpen: a file cannot be renamed while it is open.
const canRenameOpen = false

// claimHidden has nothing to do: Windows removes no file that is open.
func claimHidden(*os.File) bool { return true }

// removeUnclaimed removes a hidden file unless a process has it open. Between Close and Rename another process
// could remove a complete file: then Rename fails, Commit returns its error, and the target is unchanged.
func removeUnclaimed(name string) { os.Remove(name) }
