"""Learning from a search: expert iteration, on PyTorch (``kibitz[learn]``).

A teacher, such as ``ismcts``, decides at all tables; the network learns the teacher's share of
visits of each action, and the returns of the game (Anthony, Tian and Barber, "Thinking Fast and
Slow with Deep Learning and Tree Search", 2017). A search with the network as its prior
(``ismcts:prior=...``) is a better teacher, from which another network may learn.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import ADVICE, Agent
from kibitz.core.errors import AgentError
from kibitz.core.game import Table
from kibitz.core.interrupt import StoppedError, deferred
from kibitz.core.memory import INT64, array_at
from kibitz.core.randomness import AGENT_STREAM, start_stream
from kibitz.core.state import State
from kibitz.rl.ppo import MOST_PAST, NEVER, PAST_BYTES, SelfPlay, with_arrays, with_tensors
from kibitz.rl.reservoir import Reservoir
from kibitz.rl.returns import by_seat, from_observer, lambda_returns
from kibitz.rl.settings import LearningSettings
from kibitz.rl.vector import VectorTables

Array = np.ndarray[Any, Any]


class Teacher:
    """A search agent that gives advice, for use in one thread."""

    def __init__(self, agent: Agent, table: Table, stop: Array) -> None:
        """
        Args:
            agent: a compiled agent that gives advice.
            stop: the stop word of its searches.

        Raises:
            AgentError: the agent is written in Python, or cannot play this game.
        """
        agent.check_game(table)
        player = agent.player_at(table)
        if player.decides_in_python(table):
            raise AgentError(f"{agent.label} decides in Python; a teacher has to be compiled.")
        self._binding = player.bind(table)
        if self._binding.record["watch"][0]:
            raise AgentError(
                f"{agent.label} follows the game from its beginning, for which a teacher has no "
                f"time: choose one that does not."
            )
        self._stop = stop
        self._binding.record["stop"] = stop.ctypes.data
        self._advice = np.zeros(1, ADVICE)
        self._binding.record["advice"] = self._advice.ctypes.data
        self._legal = np.zeros(1, ACTION_LIST)

    def ask(self, state: State, shares: Array, seed: int) -> None:
        """Searches, and writes each action's share of the visits.

        Args:
            state: the true state; the teacher gets a determinization of it.
            shares: the output, by the index of the action; has to be zeros.
            seed: the seed of the search.

        Raises:
            AgentError: the teacher chooses an illegal action.
            StoppedError: the stop word was set.
        """
        legal = state.legal_actions()
        encoder = state.table.encoder
        if len(legal) == 1:
            shares[encoder.index(legal[0], state)] = 1.0
            return
        sample = state.determinize(state.current_player, seed)
        record = self._binding.record
        rng = [0, 0, 0, 0]
        start_stream(rng, seed, AGENT_STREAM)
        record["rng"] = rng
        record["games"] += 1
        record["seat"] = state.current_player
        if record["memory_size"][0] > 0:  # forget the decision before
            array_at(int(record["memory"][0]), INT64, 1)[0] = 0
        self._legal["count"] = len(legal)
        self._legal["items"][0, : len(legal)] = legal
        self._advice["count"] = 0
        with state.table.borrowed(self._stop) as rules:
            address = int(self._legal.ctypes.data)
            action = self._binding.ask(rules.address, sample.address, address, len(legal))
        if self._stop[0]:
            raise StoppedError
        if action not in legal:
            raise AgentError(f"The teacher chooses an illegal action: {action}.")
        for item in self._advice["items"][0, : int(self._advice["count"][0])]:
            shares[encoder.index(int(item["action"]), state)] = item["weight"]
        total = shares.sum()
        if total > 0:
            shares /= total
        else:  # the agent gave no advice
            shares[encoder.index(action, state)] = 1.0


class Apprentice(SelfPlay):
    """A network that learns from a search."""

    def __init__(
        self,
        tables: VectorTables,
        settings: LearningSettings,
        scale: float,
        seed: int,
        device: str,
        teacher: Agent,
        threads: int = 1,
    ) -> None:
        """
        Args:
            tables: the tables, with the learner at all seats.
            scale: the divisor of rewards.
            seed: the seed of initial weights and of all choices.
            device: the device of PyTorch, ``"cpu"`` or ``"cuda"``.
            teacher: a compiled agent that gives advice.
            threads: the number of threads for the teacher; results do not depend on it.

        Raises:
            AgentError: the teacher is written in Python, or cannot play this game.
        """
        super().__init__(tables, settings, scale, seed, device)
        self._stop = np.zeros(1, np.int64)
        count = min(threads, tables.n)
        self._teachers = [Teacher(teacher, tables.table, self._stop) for _ in range(count)]
        self._rng = np.random.default_rng(seed)
        inputs, outputs = tables.observations.shape[1], tables.masks.shape[1]
        row = 2 * inputs + 3 * outputs + 2 * tables.players
        self._lessons = Reservoir(max(1, min(MOST_PAST, PAST_BYTES // row)), seed)

    def update(self, progress: float) -> dict[str, float]:
        """Has the teacher play a stretch, and learns from it and from earlier lessons."""
        self.watch_teacher()
        settings = self.settings
        for group in self.optimiser.param_groups:
            group["lr"] = settings.rate_at(progress)
        totals = np.zeros(2)
        rounds = max(1, settings.epochs * settings.tables * settings.steps // settings.batch)
        for _ in range(rounds):
            drawn = self._lessons.draw(settings.batch)
            lessons = (torch.from_numpy(column).to(self.device) for column in drawn)
            observations, legal, shares, returns = lessons
            logits, values = self.network(observations.float())
            logs = functional.log_softmax(logits.masked_fill(~legal, NEVER), dim=1)
            surprise = -(shares.float() * logs.clamp(min=-50)).sum(dim=1).mean()
            value = (values - returns.float()).square().mean()
            self.optimiser.zero_grad(set_to_none=True)
            (surprise + settings.value * value).backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), settings.norm)
            self.optimiser.step()
            totals += [float(surprise.detach()), float(value.detach())]
        self.updates += 1
        self._keep_average()
        return {"entropy": float(totals[0] / rounds), "value loss": float(totals[1] / rounds)}

    def watch_teacher(self) -> None:
        """Adds a stretch of the teacher's play to the lessons."""
        tables, steps = self.tables, self.settings.steps
        n, players = tables.n, tables.players
        observations = np.empty((steps, *tables.observations.shape), np.float32)
        masks = np.empty((steps, *tables.masks.shape), np.bool_)
        shares = np.zeros((steps, *tables.masks.shape), np.float32)
        to_act = np.empty((steps, n), np.int64)
        rewards = np.empty((steps, n, players), np.float32)
        done = np.empty((steps, n), np.bool_)
        values = np.empty((steps, n), np.float32)
        with ThreadPoolExecutor(len(self._teachers)) as pool:
            for t in range(steps):
                observations[t], masks[t] = tables.observations, tables.masks
                to_act[t] = tables.to_act
                values[t] = self.evaluate(observations[t], masks[t])[1][:, 0].cpu().numpy()
                self._ask_all(pool, shares[t])
                chances = shares[t].astype(np.float64)
                actions = [self._rng.choice(len(row), p=row / row.sum()) for row in chances]
                tables.step(actions)
                rewards[t], done[t] = tables.rewards / self.scale, tables.done
        self.games += int(done.sum())
        self.decisions += n * steps
        expected = self.evaluate(tables.observations, tables.masks)[1]
        last = by_seat(expected.cpu().numpy(), tables.to_act)
        _, returns = lambda_returns(values, to_act, rewards, done, last, self.settings.trace)
        free = masks.sum(axis=2) > 1
        returned = from_observer(returns[free], to_act[free])
        lessons = observations[free].astype(np.float16), masks[free], shares[free]
        if free.any():
            self._lessons.add(lessons[0], lessons[1], lessons[2].astype(np.float16), returned)

    def _ask_all(self, pool: Executor, shares: Array) -> None:
        """Asks at all tables, in several threads.

        Raises:
            StoppedError: an interrupt was deferred.
        """
        tables, count = self.tables, len(self._teachers)
        seeds = self._rng.integers(2**60, size=tables.n).tolist()

        def ask(place: int) -> None:
            for number in range(place, tables.n, count):
                self._teachers[place].ask(tables.state(number), shares[number], seeds[number])

        self._stop[0] = 0
        with deferred(self._stop):
            list(pool.map(ask, range(count)))

    def state(self) -> dict[str, Any]:
        """The data to resume from, lessons included."""
        return super().state() | {"lessons": with_tensors(self._lessons)}

    def go_on(self, state: Mapping[str, Any]) -> None:
        """Restores what ``state`` gave."""
        super().go_on(state)
        self._lessons.go_on(with_arrays(state["lessons"]))
