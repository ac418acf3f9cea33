"""Settings of a training, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class LearningSettings:
    """How a network learns.

    Attributes:
        hidden: the widths of the network's hidden layers.
        tables: at how many tables it plays at once.
        steps: how many decisions are made at each table from one update to the next.
        epochs: how often an update goes over these decisions.
        batch: how many decisions a step of the optimiser takes.
        rate: the learning rate at first; it falls linearly to a tenth.
        clip: by what share an update may change the probability of an action before the loss
            no longer rewards it (PPO's epsilon).
        entropy: the weight of the policy's entropy at first.
        last_entropy: the weight of the policy's entropy in the end; it falls geometrically.
        trace: the lambda of advantages and returns (see ``rl/returns.py``).
        value: the weight of the values' loss in the whole loss.
        norm: longer gradients are scaled down to this norm.
        average: whether the network that is kept learns the average of all play, as a game of
            bluff needs it; else it is a moving average of the learning network's weights.
        teacher: an agent from which it learns instead of from its own play; empty: none.
        past: what share of that moving average an update keeps, in the long run.
    """

    hidden: tuple[int, ...] = (128, 128)
    tables: int = 512
    steps: int = 32
    epochs: int = 3
    batch: int = 2048
    rate: float = 1e-3
    clip: float = 0.2
    entropy: float = 0.05
    last_entropy: float = 0.005
    trace: float = 0.95
    value: float = 0.5
    norm: float = 0.5
    average: bool = False
    teacher: str = ""
    past: float = 0.98

    def entropy_at(self, progress: float) -> float:
        """The weight of the entropy when a share of the training is over."""
        return float(self.entropy ** (1.0 - progress) * self.last_entropy**progress)

    def rate_at(self, progress: float) -> float:
        """The rate of learning when a share of the training is over."""
        return self.rate * (1.0 - 0.9 * progress)


def for_average(settings: LearningSettings) -> LearningSettings:
    """The same, keeping the average of all play, with smaller steps, by which it circles less.

    Updates come after few decisions: in Leduc poker the average was exploitable by .35 after
    482,501 games, where eight times as many decisions for an update came to .51 after 402,717,
    though with layers twice as wide (one run each).
    """
    return replace(settings, average=True, clip=0.1, epochs=2, tables=128, steps=16, batch=512)


def for_teacher(settings: LearningSettings, teacher: str) -> LearningSettings:
    """The same for learning from a search: with updates after fewer decisions, and more passes."""
    return replace(settings, teacher=teacher, tables=32, steps=16, batch=512, epochs=8)
