"""Self-play with proximal policy optimisation, on PyTorch (``kibitz[learn]``).

One network plays all seats at many tables and learns from the outcomes (Schulman, Wolski,
Dhariwal, Radford and Klimov, "Proximal Policy Optimization Algorithms", 2017). The entropy bonus
matters: in games of hidden information it keeps self-play from cycling, and a sufficient weight,
gradually lowered, brings the last policy near an equilibrium (Sokota et al., "A Unified
Approach to Reinforcement Learning, Quantal Response Equilibria, and Two-Player Zero-Sum Games",
2023; Rudolph et al., "Reevaluating Policy Gradient Methods for Imperfect-Information Games",
2025).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from kibitz.rl.reservoir import Reservoir
from kibitz.rl.returns import by_seat, from_observer, lambda_returns
from kibitz.rl.settings import LearningSettings
from kibitz.rl.vector import VectorTables

Array = np.ndarray[Any, Any]

MOST_PAST = 1_000_000
"""Maximum number of past decisions in the reservoir from which an average is learned."""
PAST_BYTES = 512 * 1024 * 1024
"""Maximum size of that reservoir, in bytes."""

NEVER = -1e9
"""The logit of an action that is not legal."""


class PolicyNetwork(nn.Module):
    """The network of ``players/network.py``, as PyTorch trains it."""

    def __init__(self, inputs: int, hidden: Sequence[int], outputs: int, players: int) -> None:
        super().__init__()
        widths = (inputs, *hidden)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in itertools.pairwise(widths))
        self.policy = nn.Linear(widths[-1], outputs)
        self.value = nn.Linear(widths[-1], players)
        for layer in self.layers:
            nn.init.orthogonal_(layer.weight, 2**0.5)
            nn.init.zeros_(layer.bias)
        nn.init.orthogonal_(self.policy.weight, 0.01)
        nn.init.zeros_(self.policy.bias)
        nn.init.orthogonal_(self.value.weight, 0.1)
        nn.init.zeros_(self.value.bias)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The logits of all actions, and the values to the seats, from the observer on."""
        x = observations
        for layer in self.layers:
            x = functional.relu(layer(x))
        return self.policy(x), self.value(x)

    def arrays(self) -> dict[str, Array]:
        """The weights as ``Network.arrays``."""
        tensors = {}
        for i, layer in enumerate(self.layers):
            tensors[f"weights.{i}"] = layer.weight.T
            tensors[f"biases.{i}"] = layer.bias
        tensors |= {"policy": self.policy.weight, "policy_bias": self.policy.bias}
        tensors |= {"value": self.value.weight, "value_bias": self.value.bias}
        return {n: t.detach().cpu().contiguous().numpy().copy() for n, t in tensors.items()}

    def take(self, arrays: Mapping[str, Array]) -> None:
        """Copies the weights of a network of the same shape.

        Raises:
            ValueError: the network has another shape.
        """
        with torch.no_grad():
            for i, layer in enumerate(self.layers):
                _copy(layer.weight, arrays[f"weights.{i}"].T)
                _copy(layer.bias, arrays[f"biases.{i}"])
            for head, name in ((self.policy, "policy"), (self.value, "value")):
                _copy(head.weight, arrays[name])
                _copy(head.bias, arrays[f"{name}_bias"])


def _copy(target: torch.Tensor, source: Array) -> None:
    if tuple(target.shape) != source.shape:
        raise ValueError(f"{source.shape} where {tuple(target.shape)} is expected")
    target.copy_(torch.from_numpy(np.ascontiguousarray(source)))


@dataclass
class Stretch:
    """The decisions of a stretch of play, without forced ones, as columns."""

    observations: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    logs: torch.Tensor
    """Logarithms of the probabilities with which the actions were chosen."""
    advantages: torch.Tensor
    returns: torch.Tensor
    """(decisions, players): the returns, in turn order from the seat that decided."""

    def __len__(self) -> int:
        return len(self.actions)


class SelfPlay:
    """A network that learns from its own play at many tables.

    Attributes:
        network: the network that plays and learns.
        average: the resulting network: a moving average of its weights, or a network that imitates
            its average play.
        games: the number of finished games.
        decisions: the number of decisions, forced ones included.
    """

    def __init__(
        self,
        tables: VectorTables,
        settings: LearningSettings,
        scale: float,
        seed: int,
        device: str,
    ) -> None:
        """
        Args:
            tables: the tables, with the learner at some or all seats.
            scale: the divisor of rewards.
            seed: the seed of initial weights and of all choices.
            device: the device of PyTorch, ``"cpu"`` or ``"cuda"``.
        """
        self.tables = tables
        self.settings = settings
        self.scale = scale
        self.device = device
        torch.manual_seed(seed)
        shape = (tables.observations.shape[1], settings.hidden, tables.masks.shape[1])
        self.network = PolicyNetwork(*shape, tables.players).to(device)
        self.average = PolicyNetwork(*shape, tables.players).to(device)
        self.average.load_state_dict(self.network.state_dict())
        self.optimiser = torch.optim.Adam(self.network.parameters(), settings.rate, eps=1e-5)
        self.games = self.decisions = self.updates = 0
        self._past: Reservoir | None = None
        if settings.average:
            row = 2 * shape[0] + shape[2] + 8 + 2 * tables.players
            self._past = Reservoir(max(1, min(MOST_PAST, PAST_BYTES // row)), seed)
            self._imitating = torch.optim.Adam(self.average.parameters(), settings.rate, eps=1e-5)

    def update(self, progress: float) -> dict[str, float]:
        """Plays a stretch and learns from it; returns the losses and the entropy by name.

        Args:
            progress: the share of the training that is over, 0 to 1.
        """
        stretch = self.play()
        losses = self.learn(stretch, progress)
        self.updates += 1
        if self._past is not None:
            self._learn_average(stretch, progress)
        else:
            self._keep_average()
        return losses

    def _keep_average(self) -> None:
        """Updates the moving average of the weights, which forgets faster while it is young."""
        keep = min(self.settings.past, self.updates / (self.updates + 10.0))
        with torch.no_grad():
            pairs = zip(self.average.parameters(), self.network.parameters(), strict=True)
            for average, new in pairs:
                average.lerp_(new, 1.0 - keep)

    def play(self) -> Stretch:
        """Plays a stretch at all tables by the current policy."""
        tables, steps = self.tables, self.settings.steps
        n, players = tables.n, tables.players
        observations = np.empty((steps, *tables.observations.shape), np.float32)
        masks = np.empty((steps, *tables.masks.shape), np.bool_)
        actions, to_act = np.empty((2, steps, n), np.int64)
        logs, values = np.empty((2, steps, n), np.float32)
        rewards = np.empty((steps, n, players), np.float32)
        done = np.empty((steps, n), np.bool_)
        for t in range(steps):
            observations[t], masks[t], to_act[t] = tables.observations, tables.masks, tables.to_act
            policy, expected = self.evaluate(observations[t], masks[t])
            chosen = torch.multinomial(policy, 1).squeeze(1)
            logs[t] = policy.gather(1, chosen[:, None]).log().squeeze(1).cpu().numpy()
            values[t] = expected[:, 0].cpu().numpy()
            actions[t] = chosen.cpu().numpy()
            tables.step(actions[t])
            rewards[t], done[t] = tables.rewards / self.scale, tables.done
        self.games += int(done.sum())
        self.decisions += n * steps
        _, expected = self.evaluate(tables.observations, tables.masks)
        last = by_seat(expected.cpu().numpy(), tables.to_act)
        advantages, returns = lambda_returns(
            values, to_act, rewards, done, last, self.settings.trace
        )
        free = masks.sum(axis=2) > 1
        if not free.any():
            free[:] = True
        returned = from_observer(returns[free], to_act[free])
        columns = (observations[free], masks[free], actions[free], logs[free], advantages[free])
        return Stretch(*(torch.from_numpy(a).to(self.device) for a in (*columns, returned)))

    def evaluate(self, observations: Array, masks: Array) -> tuple[torch.Tensor, torch.Tensor]:
        """The probabilities of actions, and the values to seats, without gradients."""
        with torch.no_grad():
            inputs = torch.from_numpy(np.array(observations)).to(self.device)
            legal = torch.from_numpy(masks.astype(np.bool_)).to(self.device)
            logits, values = self.network(inputs)
            return functional.softmax(logits.masked_fill(~legal, NEVER), dim=1), values

    def learn(self, stretch: Stretch, progress: float) -> dict[str, float]:
        """Makes several passes over a stretch in random batches; returns the mean losses."""
        settings = self.settings
        for group in self.optimiser.param_groups:
            group["lr"] = settings.rate_at(progress)
        weight = settings.entropy_at(progress)
        totals: dict[str, float] = {}
        count = 0
        for _ in range(settings.epochs):
            for rows in _batches(len(stretch), settings.batch, self.device):
                losses = self._losses(stretch, rows, weight)
                self.optimiser.zero_grad(set_to_none=True)
                losses["loss"].backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), settings.norm)
                self.optimiser.step()
                count += 1
                for name, value in losses.items():
                    totals[name] = totals.get(name, 0.0) + float(value.detach())
        return {name: total / count for name, total in totals.items()}

    def _losses(
        self, stretch: Stretch, rows: torch.Tensor, weight: float
    ) -> dict[str, torch.Tensor]:
        logits, values = self.network(stretch.observations[rows])
        logs = functional.log_softmax(logits.masked_fill(~stretch.masks[rows], NEVER), dim=1)
        chosen = logs.gather(1, stretch.actions[rows][:, None]).squeeze(1)
        change = (chosen - stretch.logs[rows]).exp()
        advantages = stretch.advantages[rows]
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-6)
        clip = self.settings.clip
        gain = torch.min(change * advantages, change.clamp(1 - clip, 1 + clip) * advantages)
        entropy = -(logs.exp() * logs.clamp(min=-50)).sum(dim=1).mean()
        value = (values - stretch.returns[rows]).square().mean()
        loss = -gain.mean() + self.settings.value * value - weight * entropy
        return {"loss": loss, "value loss": value, "entropy": entropy}

    def _learn_average(self, stretch: Stretch, progress: float) -> None:
        """Trains the average network to imitate the decisions of the whole training.

        Heinrich and Silver, "Deep Reinforcement Learning from Self-Play in Imperfect-Information
        Games" (2016): the average play is near an equilibrium, even where the policies cycle.
        """
        assert self._past is not None
        settings = self.settings
        columns = (stretch.observations, stretch.masks, stretch.actions, stretch.returns)
        observations, legal, actions, returns = (column.cpu().numpy() for column in columns)
        self._past.add(observations.astype(np.float16), legal, actions, returns.astype(np.float16))
        for group in self._imitating.param_groups:
            group["lr"] = settings.rate_at(progress)
        for _ in range(max(1, settings.epochs * len(stretch) // settings.batch)):
            drawn = [torch.from_numpy(c).to(self.device) for c in self._past.draw(settings.batch)]
            logits, values = self.average(drawn[0].float())
            loss = functional.cross_entropy(logits.masked_fill(~drawn[1], NEVER), drawn[2])
            loss = loss + settings.value * (values - drawn[3].float()).square().mean()
            self._imitating.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(self.average.parameters(), settings.norm)
            self._imitating.step()

    # --- checkpoints --------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """The data to resume from, as tensors and numbers, without the games in progress."""
        imitating = self._imitating.state_dict() if self._past is not None else None
        return {
            "imitating": imitating,
            "past": with_tensors(self._past) if self._past is not None else None,
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "random": torch.get_rng_state(),
            "scale": self.scale,
            "counts": [self.games, self.decisions, self.updates],
        }

    def go_on(self, state: Mapping[str, Any]) -> None:
        """Restores what ``state`` gave.

        Raises:
            RuntimeError: the network has another shape.
        """
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
        if self._past is not None:
            self._imitating.load_state_dict(state["imitating"])
            self._past.go_on(with_arrays(state["past"]))
        torch.set_rng_state(state["random"])
        self.scale = float(state["scale"])
        self.games, self.decisions, self.updates = state["counts"]


def with_tensors(reservoir: Reservoir) -> dict[str, Any]:
    """The state of a reservoir as PyTorch saves it."""
    state = reservoir.state()
    return state | {"columns": [torch.from_numpy(column) for column in state["columns"]]}


def with_arrays(state: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of ``with_tensors``."""
    return {**state, "columns": [column.numpy() for column in state["columns"]]}


def _batches(count: int, size: int, device: str) -> Iterator[torch.Tensor]:
    """Random batches of indices that together contain each row once."""
    order = torch.randperm(count).to(device)
    pieces = max(1, count // size)
    yield from torch.tensor_split(order, pieces)
