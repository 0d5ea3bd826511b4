"""Training programs: names of their parallel degrees, and divisibility rules."""

from gpuspec.runtimes.trainers.load import trainers
from gpuspec.runtimes.trainers.model import Number, Relation, Said, Trainer, Trainers

__all__ = ["Number", "Relation", "Said", "Trainer", "Trainers", "trainers"]
