"""Where a shell's bytes come from: a pty of ours, or a script."""
