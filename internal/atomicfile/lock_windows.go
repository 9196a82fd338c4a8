package atomicfile

import "os"

// renamesOpen: a file cannot be renamed while it is open.
const renamesOpen = false

// claim has nothing to do: Windows removes no file that is open.
func claim(*os.File) bool { return true }

// removeUnlocked removes a hidden file unless a process has it open. In the moment between
// closing and renaming another process could remove one that is complete: then the rename
// fails, and the run with it, and the target stays as it was.
func removeUnlocked(name string) { os.Remove(name) }
