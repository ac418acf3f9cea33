"""How a network learns."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Settings:
    """How a network learns.

    Attributes:
        hidden: the widths of its hidden layers.
        tables: how many are played at once.
        steps: decisions at each table from one update to the next.
        epochs: how often an update goes over them.
        batch: decisions of a step of the optimiser.
        rate: of learning, at first; it falls to a tenth.
        clip: how far the probability of an action may change in an update.
        entropy: the weight of the policy's entropy at first.
        last_entropy: and in the end; between them it falls geometrically.
        trace: lambda of the returns.
        value: the weight of the loss of the values.
        norm: gradients are no longer than this.
        average: whether the network that is kept learns the average of all play, as a game of
            bluff needs it; else it is an average of the network's latest numbers.
        teacher: an agent from which it learns instead of from its own play; empty: none.
        past: the weight of the past in that average of numbers.
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


def for_average(settings: Settings) -> Settings:
    """The same, keeping the average of all play, with smaller steps, by which it circles less."""
    return replace(settings, average=True, clip=0.1, epochs=2)


def for_teacher(settings: Settings, teacher: str) -> Settings:
    """The same, learning from a search: of few decisions at a time, more often."""
    return replace(settings, teacher=teacher, tables=32, steps=16, batch=512, epochs=8)
