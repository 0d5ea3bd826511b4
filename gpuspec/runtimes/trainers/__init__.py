"""Programs that train a model in parts: what they call their numbers, and what has to divide what."""

from gpuspec.runtimes.trainers.load import trainers
from gpuspec.runtimes.trainers.model import Number, Relation, Said, Trainer, Trainers

__all__ = ["Number", "Relation", "Said", "Trainer", "Trainers", "trainers"]
