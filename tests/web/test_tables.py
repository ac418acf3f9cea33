"""Tables: links, moves, taking back, and that they go on after the server has ended."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import weakref
from pathlib import Path

import pytest

import kibitz
from kibitz.core.errors import AgentOptionError, IllegalActionError, KibitzError
from kibitz.core.randomness import is_wide
from kibitz.sessions.session import play_again
from kibitz.sessions.taking_back import NotTakenBackError
from kibitz.web import hall as hall_module
from kibitz.web.actors import LocalActor
from kibitz.web.games import GameChoice
from kibitz.web.hall import Hall, LiveTable
from kibitz.web.kibitzer import Assessment
from kibitz.web.limits import LimitReachedError
from kibitz.web.luck_and_skill import luck_and_skill
from kibitz.web.review import GameReplay
from kibitz.web.showing import example
from kibitz.web.tables import HostedTable, Role
from kibitz.web.workspace import TABLES, Workspace

LETTER = GameChoice("love-letter")
TOE = GameChoice("tic-tac-toe")
SUFFIX, RULES = kibitz.load("kuhn-poker").rules_text or ("", "")


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def letter(seats: list[str | None], seed: int = 3, undo: bool = True) -> HostedTable:
    return HostedTable.open(LETTER, len(seats), {}, seats, seed=seed, undo=undo)


def play(hosted: HostedTable, actions: int) -> None:
    """Plays a number of actions; people take the first option."""
    session = hosted.session
    for _ in range(actions):
        if session.is_over:
            return
        if session.awaits is None:
            hosted.advance()
        else:
            hosted.play(session.awaits, session.state.legal_actions()[0], session.state.tick)


def test_a_link_opens_its_seat_only() -> None:
    hosted = letter([None, "random", None])
    keys = hosted.keys
    assert hosted.role(keys.seats[0]) == Role((0,))
    assert hosted.role(keys.seats[2]) == Role((2,))
    assert hosted.role(keys.together) == Role((0, 2))
    assert hosted.role(keys.watch) == Role()
    assert hosted.role(keys.host) == Role(host=True)
    for wrong in ("", "x", keys.host[:-1], keys.seats[0] + "x", "é"):
        assert hosted.role(wrong) is None
    assert len({keys.host, keys.together, keys.watch, *keys.seats}) == 6  # the agent's is empty


def test_nobody_plays_for_others_or_in_the_past() -> None:
    hosted = letter([None, None])
    session = hosted.session
    first = session.awaits
    assert first is not None
    action = session.state.legal_actions()[0]
    with pytest.raises(IllegalActionError):
        hosted.play(1 - first, action, 0)
    with pytest.raises(IllegalActionError):
        hosted.play(first, 123456, 0)
    hosted.play(first, action, 0)
    with pytest.raises(IllegalActionError, match="gone on"):
        hosted.play(first, action, 0)


def test_taking_back_ends_before_one_s_own_last_choice() -> None:
    hosted = HostedTable.open(TOE, 2, {}, [None, "random"], seed=3)
    play(hosted, 6)
    assert hosted.take_back(Role((0,)))
    assert len(hosted.session.moves) == 4
    assert hosted.session.awaits == 0


def test_where_nothing_may_be_taken_back() -> None:
    hosted = HostedTable.open(TOE, 2, {}, [None, "random"], seed=3, undo=False)
    play(hosted, 4)
    with pytest.raises(NotTakenBackError, match="does not allow"):
        hosted.take_back(Role((0,)))


def say(hosted: HostedTable, seat: int, words: str) -> None:
    state = hosted.session.state
    hosted.play(seat, state.action(words), state.tick)


def test_nobody_looks_at_a_card_takes_back_and_uses_it() -> None:
    looked = 0
    for seed in range(60):
        hosted = letter([None, "random", "random"], seed=seed)
        session = hosted.session
        words = [session.state.action_words(a) for a in session.state.legal_actions()]
        if session.awaits == 0 and "play Priest on player 2" in words:
            looked += 1
            say(hosted, 0, "play Priest on player 2")
            with pytest.raises(NotTakenBackError, match="hidden"):
                hosted.take_back(Role((0,)))
            assert len(session.moves) == 1
    assert looked


def test_a_game_that_is_over_stays_over() -> None:
    hosted = HostedTable.open(TOE, 2, {}, [None, None], seed=3)
    play(hosted, 9)
    with pytest.raises(NotTakenBackError, match="the game is over"):
        hosted.take_back(Role((0, 1)))


def test_other_people_are_asked_before_anything_is_taken_back() -> None:
    hosted = HostedTable.open(TOE, 2, {}, [None, None], seed=3)
    play(hosted, 2)
    first, second = Role((0,)), Role((1,))
    assert not hosted.take_back(first)
    assert len(hosted.session.moves) == 2
    assert hosted.request is not None
    assert not hosted.answer(first, accepts=True)  # one does not accept one's own request
    assert hosted.request.waiting == {1}
    with pytest.raises(NotTakenBackError):
        hosted.answer(Role(), accepts=True)  # who looks on has no say
    assert not hosted.answer(second, accepts=False)
    assert hosted.request is None
    assert not hosted.take_back(first)
    assert hosted.answer(second, accepts=True)
    assert hosted.session.moves == []
    assert hosted.request is None


def test_a_request_lapses_when_the_game_goes_on() -> None:
    hosted = HostedTable.open(TOE, 2, {}, [None, None], seed=3)
    play(hosted, 1)
    assert not hosted.take_back(Role((0,)))
    play(hosted, 1)
    assert hosted.request is None
    with pytest.raises(NotTakenBackError, match="nobody asks"):
        hosted.answer(Role((1,)), accepts=True)


def test_an_open_request_is_kept_with_the_table(place: Workspace) -> None:
    hosted = HostedTable.open(TOE, 2, {}, [None, None], seed=3)
    play(hosted, 2)
    assert not hosted.take_back(Role((0,)))
    hosted.save(place)
    again = HostedTable.load(place, hosted.id)
    assert again.request == hosted.request is not None
    assert again.answer(Role((1,)), accepts=True)
    assert again.session.moves == []
    again.save(place)
    assert HostedTable.load(place, hosted.id).request is None


def test_a_request_that_has_lapsed_is_not_kept(place: Workspace) -> None:
    hosted = HostedTable.open(TOE, 2, {}, [None, None], seed=3)
    play(hosted, 1)
    assert not hosted.take_back(Role((0,)))
    play(hosted, 1)
    assert hosted.to_json()["request"] is None
    document = hosted.to_json() | {"request": {"seats": [0], "tick": 1, "waiting": [1]}}
    assert HostedTable.from_json(document, "x").request is None


def test_all_people_at_one_screen_ask_nobody() -> None:
    hosted = HostedTable.open(TOE, 2, {}, [None, None], seed=3)
    play(hosted, 2)
    assert hosted.take_back(Role((0, 1)))
    assert len(hosted.session.moves) == 1


def test_nobody_can_search_for_the_seed_of_a_table(place: Workspace) -> None:
    hosted = HostedTable.open(LETTER, 2, {}, [None, "ismcts:iterations=20"])
    assert is_wide(hosted.session.seed)
    play(hosted, 3)
    hosted.save(place)
    again = HostedTable.load(place, hosted.id)
    assert again.session.seed == hosted.session.seed
    assert again.session.state == hosted.session.state
    play(hosted, 10_000)
    play(again, 10_000)
    assert again.session.moves == hosted.session.moves
    record = hosted.session.record()
    assert play_again(record).state == hosted.session.state
    assert luck_and_skill(GameReplay(record, record.table()), 32) is not None


def test_a_game_that_breaks_off_does_not_tell_its_seed() -> None:
    text = "(role a) (legal a x) (init s) (goal a 70) (<= terminal (true t))"
    hosted = HostedTable.open(GameChoice("endless.kif", text), 1, {}, [None])
    with pytest.raises(KibitzError) as it:
        play(hosted, 10_000)
    assert str(hosted.session.seed) not in str(it.value)


@pytest.mark.parametrize("actions", [0, 7, 10_000])
def test_a_kept_table_goes_on_as_if_nothing_had_happened(place: Workspace, actions: int) -> None:
    hosted = letter([None, "ismcts:iterations=20", "osla"])
    play(hosted, actions)
    hosted.save(place)
    again = HostedTable.load(place, hosted.id)
    assert again.session.state == hosted.session.state
    assert again.keys == hosted.keys
    for seat in (0, None):
        assert again.events_for(seat) == hosted.events_for(seat)
    play(hosted, 6)
    play(again, 6)
    assert again.session.moves == hosted.session.moves


def test_a_table_keeps_the_rules_that_it_was_opened_with(place: Workspace) -> None:
    place.keep_text("mine.rcy", RULES)
    choice = GameChoice("mine.rcy", RULES)
    hosted = HostedTable.open(choice, 2, {}, [None, "random"], seed=1)
    play(hosted, 2)
    hosted.save(place)
    place.keep_text("mine.rcy", "changed")
    again = HostedTable.load(place, hosted.id)
    assert again.session.state == hosted.session.state


@pytest.mark.parametrize(
    "harm",
    [
        lambda d: d.pop("game"),
        lambda d: d["game"].update(name=["x"]),
        lambda d: d["record"]["moves"][0].update(action=99999),
        lambda d: d["record"].update(agents=["human", "mymodule.py:Evil", "osla"]),
        lambda d: d["record"].update(agents=["human", "mcts:iterations=100000000", "osla"]),
        lambda d: d["game"].update(name="os.py", text="import os"),
        lambda d: d.update(request=[]),
        lambda d: d.update(request={"seats": [0], "tick": 3, "waiting": [1]}),
        lambda d: d.update(request={"seats": [0], "tick": [], "waiting": [0]}),
        lambda d: d.update(request={"seats": [0], "tick": 3, "waiting": []}),
    ],
)
def test_a_file_that_was_tampered_with_is_refused(place: Workspace, harm: object) -> None:
    hosted = letter([None, "random", "osla"])
    play(hosted, 3)
    document = hosted.to_json()
    harm(document)  # type: ignore[operator]
    place.write(TABLES, f"{hosted.id}.json", json.dumps(document))
    with pytest.raises(KibitzError):
        HostedTable.load(place, hosted.id)


def test_agents_think_within_limits() -> None:
    for text in (
        "mcts:iterations=200001",
        "mcts:milliseconds=30001",
        "ismcts:calls=20000001",
        "mcts:max_nodes=1000001",
        'restrict:base="mcts:iterations=200001"',
    ):
        with pytest.raises(AgentOptionError, match="more than this server allows"):
            letter([None, text])
    with pytest.raises(KibitzError):
        letter([None, "agents.json"])


def test_who_looks_on_is_not_told_what_is_chosen_in_secret() -> None:
    hosted = HostedTable.open(GameChoice("hearts"), 4, {}, [None] * 4, seed=2)
    play(hosted, 12)  # three cards each are passed on, face down
    passed = [move.words for move in hosted.session.moves]
    log = " ".join(event.text for _, event in hosted.events_for(None))
    assert log.count(" passes a card.") == 12
    assert not any(words in log for words in passed)
    cards = {words.removeprefix("pass the ") for words in passed}
    assert not any(card in log for card in cards)


# -- the hall --------------------------------------------------------------------------------


def table_of(live: LiveTable) -> HostedTable:
    """The table itself, which is in this process where the game is an installed one."""
    assert isinstance(live.actor, LocalActor)
    return live.actor.object


async def settled(live: LiveTable) -> None:
    """Waits until a person has to act, or nothing goes on."""
    for _ in range(2000):
        if not live.is_thinking:
            return
        await asyncio.sleep(0.005)
    raise AssertionError("the agents did not come to an end")


def test_agents_play_until_a_person_has_to_act(place: Workspace) -> None:
    async def course() -> None:
        hall = Hall(place)
        live = await hall.open(LETTER, letter, ["random", None, "random"])
        calls: list[int] = []
        live.listeners.add(lambda: calls.append(table_of(live).session.state.tick))
        live.set_pace(0.0)
        await settled(live)
        session = table_of(live).session
        assert session.awaits == 1
        await live.play(1, session.state.legal_actions()[0], session.state.tick)
        await settled(live)
        assert calls == sorted(calls)
        assert len(calls) > 2
        hall.close()
        other = Hall(place)  # the server was ended and started again
        revived = await other.find(live.card.id)
        assert revived is not None
        assert table_of(revived).session.state == session.state
        assert await other.find("nothing") is None
        assert await other.find("../x") is None
        other.close()

    asyncio.run(course())


def test_an_agent_that_thinks_too_long_is_stopped(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hall_module, "MOST_SECONDS", 0.2)

    async def course() -> None:
        hall = Hall(place)
        live = await hall.open(
            TOE, HostedTable.open, TOE, 2, {}, [None, "mcts:milliseconds=20000"], seed=1
        )
        live.pace = 0.0
        await live.play(0, table_of(live).session.state.legal_actions()[0], 0)
        await asyncio.wait_for(settled(live), 10)
        assert "was stopped" in live.trouble
        assert table_of(live).session.state.tick == 1  # what it would have done does not count
        assert await live.take_back(Role((0,)))
        assert live.trouble == ""
        hall.close()

    asyncio.run(course())


def test_the_first_bars_wait_for_no_search(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def assess(hosted: HostedTable, seat: int, tick: int, step: int) -> Assessment | None:
        return Assessment(0, 0, (0.5, 0.5), (), 40 << step) if step < 2 else None

    monkeypatch.setattr(HostedTable, "assess", assess)
    free = threading.Event()

    async def course() -> None:
        hall = Hall(place)
        live = await hall.open(TOE, HostedTable.open, TOE, 2, {}, [None, None], seed=1)
        shown: list[int] = []
        busy = [asyncio.create_task(hall.searches.run(free.wait)) for _ in range(32)]
        watching = asyncio.create_task(
            live.watch(0, lambda opinion: shown.append(opinion.milliseconds))
        )
        while not shown:
            await asyncio.sleep(0.001)
        assert shown == [40]
        await watching  # the next step is refused: too many wait
        assert shown == [40]
        with pytest.raises(LimitReachedError, match="too much to think about"):
            await hall.searches.run(free.wait)
        free.set()
        await asyncio.gather(*busy)
        await live.watch(0, lambda opinion: shown.append(opinion.milliseconds))
        assert shown == [40, 40, 80]
        hall.close()

    asyncio.run(asyncio.wait_for(course(), 20))


def test_taking_back_does_not_wait_for_an_agent(place: Workspace) -> None:
    async def course() -> None:
        hall = Hall(place)
        live = await hall.open(
            TOE, HostedTable.open, TOE, 2, {}, [None, "mcts:milliseconds=20000"], seed=1
        )
        live.pace = 0.0
        await live.play(0, table_of(live).session.state.legal_actions()[0], 0)
        await asyncio.sleep(0.3)
        assert await asyncio.wait_for(live.take_back(Role((0,))), 5)
        assert table_of(live).session.state.tick == 0
        hall.close()

    asyncio.run(course())


def test_idle_tables_leave_memory_and_come_back(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hall_module, "MOST_TABLES", 2)
    monkeypatch.setattr(hall_module, "MOST_KEPT", 4)

    async def course() -> None:
        hall = Hall(place)
        tables = [await hall.open(LETTER, letter, [None, None]) for _ in range(3)]
        again = await hall.find(tables[0].card.id)
        assert again is not None
        assert again is not tables[0]
        again.listeners.add(lambda: None)
        other = await hall.find(tables[2].card.id)
        assert other is not None
        other.listeners.add(lambda: None)
        with pytest.raises(LimitReachedError):
            await hall.find(tables[1].card.id)
        other.listeners.clear()
        await hall.open(LETTER, letter, [None, None])
        with pytest.raises(LimitReachedError):
            await hall.open(LETTER, letter, [None, None])
        hall.close()

    asyncio.run(course())


def test_games_that_are_over_leave_memory_when_nobody_looks(place: Workspace) -> None:
    async def course() -> None:
        hall = Hall(place)

        async def finished() -> LiveTable:
            live = await hall.open(LETTER, letter, ["random", "random"])
            live.listeners.add(lambda: None)
            live.skip()
            while live.is_thinking or live.is_hurried:
                await asyncio.sleep(0.01)
            return live

        live = await finished()
        assert await hall.find(live.card.id) is live
        reference, id = weakref.ref(live), live.card.id
        live.listeners.clear()
        del live
        await finished()
        gc.collect()
        assert reference() is None
        again = await hall.find(id)
        assert again is not None
        assert table_of(again).session.is_over
        hall.close()

    asyncio.run(course())


def test_a_game_s_page_shows_a_game_under_way() -> None:
    svg = example("love-letter")
    assert svg.startswith("<svg")
    assert "data-target" not in svg  # there is nothing to click
    assert "Guard" in svg
