"""The programs `gpuspec` and `gpuspec-krm`."""

from gpuspec.startup.process import run, run_krm

__all__ = ["run", "run_krm"]

if __name__ == "__main__":
    run()
