"""The agents' kernels, all in one folder: a kernel outside the games is cached by the sources of its own folder."""
