"""What the package's own functions do: they alone compose the rooms. Call them as `gpuspec.lint` and so on."""
