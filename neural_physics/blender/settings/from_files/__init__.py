"""What a file that was opened or appended from says, looked at before anything of ours works with it."""
