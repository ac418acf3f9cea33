"""Settings of a training, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class LearningSettings:
    """How a network learns.

    Attributes:
        hidden: the widths of the network's hidden layers.
        tables: the number of tables.
        steps: the number of decisions at each table between two updates.
        epochs: the number of passes of an update over these decisions.
        batch: the number of decisions for a step of the optimiser.
        rate: the initial learning rate; it falls linearly to a tenth.
        clip: by what share an update may change the probability of an action before the loss
            no longer rewards it (PPO's epsilon).
        entropy: the initial weight of the policy's entropy.
        last_entropy: the final weight of the policy's entropy; it falls geometrically.
        trace: the lambda of advantages and returns (see ``rl/returns.py``).
        value: the weight of the values' loss in the whole loss.
        norm: the maximum norm of gradients; longer ones are scaled down to it.
        average: whether the resulting network imitates the average of all play, which games of
            bluff need; else its weights are a moving average of the learning network's.
        teacher: the agent to learn from; empty: the network learns from self-play.
        past: the share of the moving average of weights that an update keeps.
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
        """The weight of the entropy after this share of the training, 0 to 1."""
        return float(self.entropy ** (1.0 - progress) * self.last_entropy**progress)

    def rate_at(self, progress: float) -> float:
        """The learning rate after this share of the training, 0 to 1."""
        return self.rate * (1.0 - 0.9 * progress)


def for_average(settings: LearningSettings) -> LearningSettings:
    """Settings for the average of all play, with smaller steps, which reduce cycling.

    Updates follow few decisions: in Leduc poker the average was exploitable by .35 after
    482,501 games, where eight times as many decisions for an update came to .51 after 402,717,
    though with layers twice as wide (one run each).
    """
    return replace(settings, average=True, clip=0.1, epochs=2, tables=128, steps=16, batch=512)


def for_teacher(settings: LearningSettings, teacher: str) -> LearningSettings:
    """Settings for learning from a search: updates after fewer decisions, with more passes."""
    return replace(settings, teacher=teacher, tables=32, steps=16, batch=512, epochs=8)
