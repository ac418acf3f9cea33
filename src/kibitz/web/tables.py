"""A table that people sit at through a browser: the session, its links, and how it is kept."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kibitz.core.changes import Event
from kibitz.core.errors import FileError, IllegalActionError
from kibitz.core.parameters import json_object
from kibitz.core.randomness import secret_seed
from kibitz.core.status import Status
from kibitz.sessions.recording import verify
from kibitz.sessions.records import Record, record_to_text
from kibitz.sessions.session import PERSON, Session
from kibitz.sessions.taking_back import NOTHING, NotTakenBackError
from kibitz.sessions.updates import Update
from kibitz.web.games import GameChoice
from kibitz.web.kibitzer import Assessment, assess
from kibitz.web.limits import checked_agent
from kibitz.web.workspace import TABLES, Workspace

FORMAT = 1
"""Version of a table's file."""

NOT_ALLOWED = "this table does not allow it"
"""Why nothing is taken back where the table was opened without that."""


def people_at(agents: Sequence[str]) -> tuple[int, ...]:
    """The seats of people, by the agents of a record."""
    return tuple(seat for seat, agent in enumerate(agents) if agent == PERSON)


def new_key() -> str:
    """A secret for a link."""
    return secrets.token_urlsafe(12)


@dataclass(frozen=True)
class Role:
    """The role that a link gives.

    Attributes:
        seats: those that its owner plays; several: in turn, in front of one screen.
        host: whether it shows the links of the others.
    """

    seats: tuple[int, ...] = ()
    host: bool = False


@dataclass
class Keys:
    """The secrets of a table's links.

    Attributes:
        host: of the page that has all links.
        seats: of each seat; empty where an agent sits.
        together: of the link to all people's seats, for one screen.
        watch: of the link for those who only look on.
    """

    host: str = field(default_factory=new_key)
    seats: list[str] = field(default_factory=list)
    together: str = field(default_factory=new_key)
    watch: str = field(default_factory=new_key)

    def to_json(self) -> dict[str, Any]:
        """The keys as JSON."""
        return {
            "host": self.host,
            "seats": self.seats,
            "together": self.together,
            "watch": self.watch,
        }

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Keys:
        """The keys that ``to_json`` wrote; a ``KeyError`` or ``TypeError`` if it is damaged."""
        return cls(
            document["host"], list(document["seats"]), document["together"], document["watch"]
        )

    def role(self, key: str, people: tuple[int, ...]) -> Role | None:
        """The role that the link with this key gives; ``None``: there is no such link.

        Args:
            key: the key in the link.
            people: the seats of people.
        """
        if _same(key, self.host):
            return Role(host=True)
        if _same(key, self.watch):
            return Role()
        if _same(key, self.together):
            return Role(people)
        for seat, own in enumerate(self.seats):
            if own and _same(key, own):
                return Role((seat,))
        return None


@dataclass(frozen=True)
class Card:
    """What never changes at a table, as plain data.

    Attributes:
        id, choice, keys, undo: as the ``HostedTable`` has them.
        title: the title of the game.
        agents: their names by seat; empty where a person sits.
        record_name: what its record is called as a file.
    """

    id: str
    choice: GameChoice
    keys: Keys
    undo: bool
    title: str
    agents: tuple[str, ...]
    record_name: str

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(p for p, agent in enumerate(self.agents) if not agent)

    def role(self, key: str) -> Role | None:
        """The role that the link with this key gives; ``None``: there is no such link."""
        return self.keys.role(key, self.people)

    def others(self, role: Role) -> frozenset[int]:
        """The seats of other people, who have to accept what a role takes back."""
        return frozenset(self.people) - frozenset(role.seats)

    def names(self, seat: int | None) -> list[str]:
        """The names of the players, as the one at a seat may read them."""
        names = []
        for p, agent in enumerate(self.agents):
            who = "you" if p == seat else agent
            names.append(f"Player {p + 1}" + (f" ({who})" if who else ""))
        return names


@dataclass(frozen=True)
class Request:
    """A request to take a choice back, which the other people at the table accept or decline.

    Attributes:
        seats: the seats of those who ask.
        tick: the number of actions played at the time; after more the request has lapsed.
        waiting: the seats of those who have not accepted yet.
    """

    seats: tuple[int, ...]
    tick: int
    waiting: frozenset[int]

    def to_json(self) -> dict[str, Any]:
        """The request as JSON."""
        return {"seats": self.seats, "tick": self.tick, "waiting": sorted(self.waiting)}

    @classmethod
    def from_json(cls, document: dict[str, Any], people: tuple[int, ...]) -> Request:
        """The request that ``to_json`` wrote.

        Args:
            document: the JSON document.
            people: the seats of people.

        Raises:
            ValueError: it is no request of some of them to others.
        """
        seats, waiting = tuple(document["seats"]), frozenset(document["waiting"])
        apart = seats and waiting and not waiting.intersection(seats)
        if not apart or not waiting.union(seats) <= set(people):
            raise ValueError("its request to take a choice back names other seats")
        return cls(seats, int(document["tick"]), waiting)


@dataclass(frozen=True, eq=False)
class Standing:
    """Where the game at a table is, as plain data.

    Attributes:
        tick: how many actions have been played.
        player: the player to move.
        awaits: the seat from which an action has to come, if one has.
        is_over: whether the game is over.
        is_open: whether everybody may see everything.
        obstacles: for the seats of each link, why their last choice may not be taken back; empty
            if it may be.
        request: the request to take a choice back that is open, if there is one.
    """

    tick: int
    player: int
    awaits: int | None
    is_over: bool
    is_open: bool
    obstacles: Mapping[tuple[int, ...], str]
    request: Request | None

    def obstacle(self, role: Role) -> str:
        """Why the last choice of these seats may not be taken back; empty if it may be."""
        return self.obstacles.get(role.seats, NOTHING)


class HostedTable:
    """A session with links and a file.

    All methods are for one thread at a time, except that looking waits for nobody.

    Attributes:
        id: its name in addresses and in the workspace.
        choice: the game that is played.
        session: the game in progress.
        keys: the keys of its links.
        undo: whether people may take back what they did.
    """

    def __init__(
        self,
        choice: GameChoice,
        session: Session,
        keys: Keys,
        *,
        undo: bool,
        id: str = "",
    ) -> None:
        self.id = id or secrets.token_hex(6)
        self.choice = choice
        self.session = session
        self.keys = keys
        self.undo = undo
        self._request: Request | None = None
        self._openings = {seat: session.opening(seat) for seat in self.observers()}
        self._obstacles: dict[tuple[int, ...], str] = {}
        self._look_back()

    @classmethod
    def open(
        cls,
        choice: GameChoice,
        players: int,
        parameters: dict[str, Any],
        seats: Sequence[str | None],
        *,
        seed: int | None = None,
        undo: bool = True,
        actions: Sequence[int] = (),
    ) -> HostedTable:
        """Opens a new table.

        Args:
            choice: the game to play.
            players: the number of players.
            parameters: of the game; the rest keep their defaults.
            seats: an agent's description for each seat, ``None`` for a person.
            seed: of the game; ``None``: a random one that nobody can find by search.
            undo: whether people may take back what they did.
            actions: those that were played already.

        Raises:
            KibitzError: something of this is wrong or above a limit.
        """
        table = choice.table(players, parameters)
        agents = [None if text is None else checked_agent(text, table) for text in seats]
        session = Session(table, agents, secret_seed() if seed is None else seed)
        keys = Keys(seats=[new_key() if text is None else "" for text in seats])
        hosted = cls(choice, session, keys, undo=undo)
        for action in actions:
            hosted._note(session.apply(action))
        return hosted

    # -- who may do what ---------------------------------------------------------------------

    def role(self, key: str) -> Role | None:
        """The role that the link with this key gives; ``None``: there is no such link."""
        return self.keys.role(key, self.people)

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(p for p, agent in enumerate(self.session.agents) if agent is None)

    @property
    def is_open(self) -> bool:
        """Whether everybody may see everything: the game is over, or no person plays."""
        return self.session.is_over or not self.people

    # -- playing -------------------------------------------------------------------------------

    def play(self, seat: int, action: int, tick: int) -> None:
        """Plays an action of a person, chosen when `tick` actions had been played.

        Raises:
            IllegalActionError: it is not their turn, not legal, or the game has gone on.
            KibitzError: the rules broke off the game.
        """
        session = self.session
        if session.awaits != seat or session.state.tick != tick:
            raise IllegalActionError("The game has gone on meanwhile: look again.")
        self._note(session.apply(action))

    def advance(self) -> None:
        """Plays the only legal action, or what the agent at turn decides; see ``Session``."""
        self._note(self.session.advance())

    @property
    def request(self) -> Request | None:
        """The request to take a choice back that is open now."""
        request = self._request
        return None if request is None or request.tick != self.session.state.tick else request

    def take_back(self, role: Role) -> bool:
        """Goes back to the last choice of these seats, or asks the other people whether it may.

        Returns whether it was taken back without asking.

        Raises:
            NotTakenBackError: it may not be; see ``Standing.obstacle``.
        """
        if reason := self.standing().obstacle(role):
            raise NotTakenBackError(reason)
        if others := self.card.others(role):
            self._request = Request(role.seats, self.session.state.tick, others)
            return False
        self._take_back(role.seats)
        return True

    def answer(self, role: Role, *, accepts: bool) -> bool:
        """Accepts or declines a request, or, from those who made it, withdraws it.

        Returns whether the choice was taken back.

        Raises:
            NotTakenBackError: there is no request of or to these seats.
        """
        request = self.request
        if request is None or not role.seats:
            raise NotTakenBackError("nobody asks for it now")
        if not accepts:
            self._request = None
            return False
        waiting = request.waiting - set(role.seats)
        if waiting:
            self._request = replace(request, waiting=waiting)
            return False
        self._take_back(request.seats)
        return True

    def _take_back(self, seats: tuple[int, ...]) -> None:
        self._request = None
        self.session.take_back(seats)
        self._look_back()

    def _note(self, update: Update) -> None:
        """Works out here what the pages show, so that looking does not wait."""
        for seat in self.observers():
            update.events(seat)
        self._look_back()

    def _look_back(self) -> None:
        """Works out what the seats of each link may take back."""
        links = {self.people, *((seat,) for seat in self.people)}
        self._obstacles = {
            seats: self.session.obstacle(seats) if self.undo else NOT_ALLOWED for seats in links
        }

    def observers(self) -> tuple[int | None, ...]:
        """The observers of the log: the seats of people, else the reader of everything."""
        return self.people or (None,)

    # -- looking -------------------------------------------------------------------------------

    def events_for(self, seat: int | None) -> list[tuple[int, Event]]:
        """The log as a seat may know it: for each event the number of its action, from 1.

        Spectators see all events once everything is open. Before, they see what all players know.
        """
        if seat not in self._openings:
            self._openings[seat] = self.session.opening(seat)
        opening = [(0, event) for event in self._openings[seat]]
        updates = self.session.updates
        public = seat is None and not self.is_open
        return opening + [
            (number, event)
            for number, update in enumerate(updates, 1)
            for event in (update.public_events if public else update.events(seat))
        ]

    @property
    def title(self) -> str:
        """The game's title."""
        game = self.session.table.game
        return game.title or game.name

    @property
    def card(self) -> Card:
        """What never changes here."""
        session = self.session
        return Card(
            self.id,
            self.choice,
            self.keys,
            self.undo,
            self.title,
            tuple("" if agent is None else agent.name for agent in session.agents),
            f"{session.table.game.name}-{session.seed}.json",
        )

    def standing(self) -> Standing:
        """Where the game is."""
        session = self.session
        return Standing(
            session.state.tick,
            session.player,
            session.awaits,
            session.is_over,
            self.is_open,
            self._obstacles,
            self.request,
        )

    def assess(self, seat: int | None, tick: int, step: int) -> Assessment | None:
        """A step of the kibitzer.

        Args:
            seat: the observer; ``None``: the player to move.
            tick: how many actions had been played when it was asked.
            step: its number, from 0; each takes twice the time of the last one.

        Returns:
            ``None`` after the last step, and where the game has gone on.
        """
        state = self.session.state
        return assess(state, seat, step) if state.tick == tick else None

    # -- keeping -------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """The table as JSON, with its record as sessions write it."""
        return {
            "format": FORMAT,
            "game": self.choice.to_json(),
            "undo": self.undo,
            "keys": self.keys.to_json(),
            "request": None if self.request is None else self.request.to_json(),
            "now": {
                "title": self.title,
                "awaits": self.session.awaits,
                "over": self.session.is_over,
            },
            "record": self.session.record().to_json(),
        }

    def record_text(self) -> str:
        """The record of the game as the text of a file."""
        return record_to_text(self.session.record())

    def to_text(self) -> str:
        """The table as the text of its file."""
        return json.dumps(self.to_json(), ensure_ascii=False)

    def save(self, workspace: Workspace) -> None:
        """Writes the table to its file in the workspace.

        Raises:
            FileError: it cannot be written.
        """
        save(workspace, self.id, self.to_text())

    @classmethod
    def load(cls, workspace: Workspace, id: str) -> HostedTable:
        """The table that ``save`` wrote, with its agents where they were.

        Raises:
            KibitzError: it does not exist, is damaged, or the rules have changed.
        """
        return cls.from_json(kept(workspace, id), id)

    @classmethod
    def from_json(cls, document: dict[str, Any], id: str) -> HostedTable:
        """The table that ``to_json`` wrote, with its agents where they were.

        Raises:
            KibitzError: it is damaged, or the rules have changed.
        """
        try:
            choice = GameChoice.from_json(document["game"])
            keys = Keys.from_json(document["keys"])
            record = Record.from_json(document["record"], f"the table {id}")
            undo = bool(document["undo"])
            people = people_at(record.agents)
            asked = document.get("request")
            request = None if asked is None else Request.from_json(asked, people)
        except (ValueError, KeyError, TypeError, RecursionError) as problem:
            raise FileError(f"the table {id} is damaged: {problem}") from None
        table = record.table(choice.game())
        seats = [None if a == PERSON else checked_agent(a, table) for a in record.agents]
        if record.result.status == Status.INTERRUPTED.name.lower():
            session = Session.resume(record, table, seats)
        else:
            verify(record, table)
            session = Session(table, seats, record.seed)
            for move in record.moves:
                session.apply(move.action)
        hosted = cls(choice, session, keys, undo=undo, id=id)
        if request is not None and not hosted.standing().obstacle(Role(request.seats)):
            hosted._request = request
        for update in session.updates:
            for seat in hosted.observers():
                update.events(seat)
        return hosted


def save(workspace: Workspace, id: str, text: str) -> None:
    """Writes the file of a table.

    Raises:
        FileError: it cannot be written.
    """
    workspace.write(TABLES, f"{id}.json", text)


def kept(workspace: Workspace, id: str) -> dict[str, Any]:
    """The file of a table, as JSON.

    Raises:
        FileError: it does not exist, or is damaged.
    """
    return json_object(workspace.read(TABLES, f"{id}.json"), f"the table {id}")


def _same(key: str, own: str) -> bool:
    return bool(own) and hmac.compare_digest(key.encode(), own.encode())
