package atomicfile

import "os"

// canRenameOpen: a file cannot be renamed while it is open.
const canRenameOpen = false

// claimHidden has nothing to do: Windows removes no file that is open.
func claimHidden(*os.File) bool { return true }

// removeUnclaimed removes a hidden file unless a process has it open. In the moment between
// closing and renaming another process could remove one that is complete: then the rename
// fails, and the run with it, and the target stays as it was.
func removeUnclaimed(name string) { os.Remove(name) }
