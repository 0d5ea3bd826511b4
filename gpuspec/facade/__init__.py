"""The implementation of the package's public functions, which combine the other packages. Call them
as `gpuspec.lint` and so on."""
