//go:build !unix

package browser

import "os/exec"

const canStart = false

func prepare(*exec.Cmd) {}

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
