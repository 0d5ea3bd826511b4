"""The programs `gpuspec`, which is also a plugin of kubectl, and `gpuspec-krm`."""

from gpuspec.startup.process import complete_for_kubectl, run, run_krm

__all__ = ["complete_for_kubectl", "run", "run_krm"]

if __name__ == "__main__":
    run()
