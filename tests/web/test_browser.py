"""The pages in a real browser: headless Chromium, driven by Playwright.

Tables are laid into the workspace beforehand, as the server keeps them; the browser opens their
links. Every test ends with the browser's console: an error there fails it.
"""

from __future__ import annotations

import contextlib
import json
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tests.pictures.test_drawing import positions
from tests.playthroughs.variants import own_games
from tests.web.browsing import (
    CHROMIUM,
    DESK,
    FLAGS,
    PHONE,
    Server,
    Visitor,
    act,
    hurry,
    play_on,
    settle,
    sync_api,
)
from tests.web.played_matches import played

import kibitz
from kibitz.core.game import Table
from kibitz.pictures import draw
from kibitz.web.games import GameChoice
from kibitz.web.tables import HostedTable

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="there is no chromium here: 'apt-get install chromium' brings it"
)

ANSWERED = """() => {
    const told = document.querySelector(".log").innerText;
    const times = words => told.split(words).length - 1;
    return times("You:") > 0 && times("You:") === times("Player 2:");
}"""
"""Whether the other player has answered every move."""

CARDS = [f"karte{number}x" for number in range(10, 34)]
SECRETS = """(game
 (setup (create players 2)
  (create deck (game iloc STOCK) (deck (NAME (%s)))))
 (do ((shuffle (game iloc STOCK))
   (all player 'P (repeat 4 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
 (stage player (end (all player 'P (== (size ('P iloc HAND)) 0)))
  (choice ((any ((current player) iloc HAND) 'C (move 'C (top (game vloc PILE)))))))
 (scoring max (size ((current player) iloc HAND))))
""" % ", ".join(CARDS).upper()  # noqa: UP031


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("workspace"))
    yield running
    assert running.stop() == 130


@pytest.fixture(scope="module")
def chromium() -> Iterator[sync_api.Browser]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS])
        yield browser
        browser.close()


@pytest.fixture
def visitor(chromium: sync_api.Browser) -> Iterator[Visitor]:
    opened = Visitor(chromium)
    yield opened
    opened.close()


@pytest.fixture
def friend(chromium: sync_api.Browser) -> Iterator[Visitor]:
    opened = Visitor(chromium, 390)
    yield opened
    opened.close()


@pytest.fixture
def mover(chromium: sync_api.Browser) -> Iterator[Visitor]:
    opened = Visitor(chromium, motion=True)
    yield opened
    opened.close()


ENDING = {"war": {"shuffled": 1}, "uno": {"target": 0}}
"""Parameters of games that may take thousands of moves otherwise."""
BETWEEN_TWO = ("love-letter", "breakthrough", "gops", "kriegspiel-tic-tac-toe", "cuckoo")
"""Games that two browsers play against each other.

They have cards, a board, simultaneous moves, hidden moves and many players.
"""
ALIKE = {
    "continuous-pairs": "pairs",
    "gdl-tic-tac-toe": "connect-four",
    "hearts": "agram",
    "leduc-poker": "kuhn-poker",
    "ninety-eight": "agram",
    "pairs-round": "pairs",
    "president": "scopa",
    "recycle-uno": "crazy-eights",
    "spades": "agram",
    "stealing-bundles": "scopa",
    "tic-tac-toe": "connect-four",
    "whist": "agram",
}
"""Games with choices like those of another one, which are clicked in whole games only."""
LAST = 3
"""Choices that each person makes in the browser at the end of a game, with two clicks each.

The actions before them are played by the server, except in whole games.
"""
LONG = 300
"""Number of actions above which a game is played from its start, because replaying it is slow."""


def before_its_end(table: Table, people: int) -> list[int]:
    """The actions of a random game before the last choices of the people; none of a long game."""
    state, chance = table.new_state(5), random.Random(5)
    played: list[int] = []
    chosen = [0]  # before which actions somebody in these seats has chosen
    while not state.is_terminal:
        if len(played) == LONG:
            return []
        legal = state.legal_actions()
        if len(legal) > 1 and state.current_player < people:
            chosen.append(len(played))
        played.append(chance.choice(legal))
        state.apply(played[-1])
    return played[: chosen[-LAST * people :][0]]


@pytest.fixture(scope="module")
def two(chromium: sync_api.Browser) -> Iterator[tuple[Visitor, Visitor]]:
    """Two visitors whose browsers stay open for many games."""
    visitors = Visitor(chromium), Visitor(chromium, 390)
    yield visitors
    for visitor in visitors:
        visitor.close()


@pytest.fixture
def regulars(two: tuple[Visitor, Visitor]) -> Iterator[tuple[Visitor, Visitor]]:
    """The two visitors, who leave the table after each game."""
    yield two
    for visitor in two:
        visitor.page.goto("about:blank")


def play(server: Server, visitors: Sequence[Visitor], name: str, *, whole: bool) -> None:
    """Plays a game by clicking: its last moves, or all of them."""
    values = ENDING.get(name, {})
    table = kibitz.load(name).table(parameters=values)
    hosted = HostedTable.open(
        GameChoice(name),
        table.players,
        dict(values),
        [*[None] * len(visitors), *["random"] * (table.players - len(visitors))],
        seed=5,
        actions=() if whole else before_its_end(table, len(visitors)),
    )
    hosted.save(server.workspace)
    began = time.monotonic()
    for seat, visitor in enumerate(visitors):
        visitor.clicks = 0
        visitor.page.goto(server.link(hosted, hosted.keys.seats[seat]))
    hurry(visitors[0])
    over = play_on(*visitors, most=5000 if whole else 2 * LAST * len(visitors))
    clicks = sum(visitor.clicks for visitor in visitors)
    record = json.loads(server.workspace.read("tables", f"{hosted.id}.json"))["record"]
    print(
        f"{name}: {clicks} clicks, {len(record['moves'])} moves, {time.monotonic() - began:.1f} s"
    )
    assert len(record["moves"]) > hosted.session.state.tick
    assert over or not whole
    for visitor in visitors:
        if over:
            visitor.page.get_by_role("link", name="Play again").wait_for()
        assert not visitor.errors, visitor.errors


@pytest.mark.parametrize("name", own_games())
def test_every_game_is_played_by_clicking(
    server: Server, regulars: tuple[Visitor, Visitor], name: str, *, whole: bool
) -> None:
    if name in BETWEEN_TWO and not whole:
        pytest.skip("two browsers play it, which is enough where time counts")
    if name in ALIKE and not whole:
        pytest.skip(f"{ALIKE[name]} has the same kinds of choices")
    play(server, regulars[:1], name, whole=whole)


@pytest.mark.parametrize("name", own_games())
def test_two_browsers_play_each_other(
    server: Server, regulars: tuple[Visitor, Visitor], name: str, *, whole: bool
) -> None:
    if name not in BETWEEN_TWO and not whole:
        pytest.skip("one browser plays its end, which is enough where time counts")
    if kibitz.load(name).players[1] == 1:
        pytest.skip("a game for one")
    play(server, regulars, name, whole=whole)
    logs = [visitor.page.inner_text(".log") for visitor in regulars]
    assert all("You" in log for log in logs)
    assert logs[0] != logs[1]


BURIED = """() => [...document.querySelectorAll("[data-target]")].filter((thing) => {
    const box = thing.getBoundingClientRect();
    let open = 0;
    for (let point = 0; point < 81 && open < 4; point++) {
        const x = box.left + ((point % 9) + 0.5) / 9 * box.width;
        const y = box.top + (Math.floor(point / 9) + 0.5) / 9 * box.height;
        if (document.elementFromPoint(x, y)?.closest("[data-target]") === thing) open += 1;
    }
    return open < 4;
}).map((thing) => thing.id)"""
"""The lit things that a click reaches at fewer than 4 of 81 points."""


@pytest.fixture(scope="module")
def blank(chromium: sync_api.Browser) -> sync_api.Page:
    """A page for pictures alone."""
    return chromium.new_page()


@pytest.mark.parametrize("name", own_games())
def test_nothing_lies_upon_what_is_lit(blank: sync_api.Page, name: str) -> None:
    page = blank
    states = [state for state in positions(name, 6) if not state.is_terminal]
    for width in (390, 1920):
        drawn = [draw(state, state.current_player, width=width) for state in states]
        high = int(sum(picture.height for picture in drawn)) + 10
        page.set_viewport_size({"width": width, "height": high})
        svg = "".join(picture.svg for picture in drawn)
        page.set_content(f"<style>body {{margin: 0}} svg {{display: block}}</style>{svg}")
        assert page.evaluate(BURIED) == []


def test_nothing_that_others_hold_reaches_a_browser(
    server: Server, visitor: Visitor, friend: Visitor
) -> None:
    hosted = server.lay(GameChoice("secrets.rcy", SECRETS), None, None)
    keys = hosted.keys
    visitor.page.goto(server.link(hosted, keys.seats[0]))
    friend.page.goto(server.link(hosted, keys.seats[1]))
    for browser in (visitor, friend):
        browser.page.wait_for_selector(".board svg")
        browser.page.click("text=Kibitzer")
    visitor.page.wait_for_selector(".advice td")
    act(visitor)
    friend.page.wait_for_selector(".option")
    act(friend)
    visitor.page.wait_for_selector(".option")
    visitor.page.wait_for_selector(".line li")  # the last of what the kibitzer says
    visitor.page.wait_for_timeout(1500)
    visitor.page.click("text=Kibitzer")
    visitor.page.wait_for_selector(".chances", state="detached")
    visitor.page.click("text=Kibitzer")  # who is asked again says it again
    visitor.page.wait_for_selector(".advice td")
    session = HostedTable.load(server.workspace, hosted.id).session
    for seat, browser in enumerate((visitor, friend)):
        received = browser.received()
        anywhere = received.lower()  # as the rules spell them, too
        known = session.observation(seat).describe(seat)
        own = {card for card in CARDS if card in known}
        assert len(own) == 5  # three in hand, two on the pile
        assert {card for card in CARDS if card in anywhere} == own
        others = [
            key for key in (*keys.seats, keys.host, keys.together) if key != keys.seats[seat]
        ]
        assert not any(key in received for key in others)


def test_a_seat_s_link_opens_that_seat_only(server: Server, visitor: Visitor) -> None:
    hosted = server.lay(GameChoice("kuhn-poker"), None, None)
    keys = hosted.keys
    page = visitor.page
    seat = keys.seats[1]
    wrong = seat[:-1] + ("y" if seat.endswith("x") else "x")
    assert "Nothing here" in visitor.open_missing(server.link(hosted, wrong))
    page.goto(server.link(hosted, keys.watch))
    page.wait_for_selector(".board svg")
    assert page.locator(".option").count() == 0
    page.goto(server.link(hosted, keys.host))
    assert page.locator(".link-box").count() == 4


def test_a_curtain_falls_between_two_people_at_one_screen(
    server: Server, visitor: Visitor
) -> None:
    hosted = server.lay(GameChoice("kuhn-poker"), None, None)
    page = visitor.page
    page.goto(server.link(hosted, hosted.keys.together))
    page.click("text=show my hand")
    page.locator(".option").first.click()
    page.wait_for_selector("text=Player 2, it is your turn")
    page.keyboard.press("Escape")
    page.wait_for_timeout(300)
    assert page.locator(".board svg").count() == page.locator(".option").count() == 0
    page.click("text=show my hand")
    page.wait_for_selector(".option")


def open_again(page: sync_api.Page, address: str) -> None:
    """Opens a page that may be reloading by itself, which breaks off a reload of ours."""
    for _ in range(5):
        with contextlib.suppress(sync_api.Error):
            page.goto(address)
            return
    raise AssertionError(f"{address} cannot be opened")


def test_a_game_goes_on_after_the_server_was_killed_or_stopped(
    server: Server, visitor: Visitor
) -> None:
    hosted = server.lay(GameChoice("tic-tac-toe"), None, "random")
    page = visitor.page
    page.goto(server.link(hosted, hosted.keys.seats[0]))
    hurry(visitor)
    page.wait_for_selector(".option")
    act(visitor)
    page.wait_for_function(ANSWERED)
    log = page.inner_text(".log")
    visitor.expect_loss = True
    server.kill()
    server.start(server.port)
    open_again(page, server.link(hosted, hosted.keys.seats[0]))
    page.wait_for_selector(".option")
    page.wait_for_function(ANSWERED)
    assert page.inner_text(".log") == log
    for _ in range(30):  # a click is lost while the page reloads by itself
        page.click("text=Take back")
        with contextlib.suppress(sync_api.TimeoutError):
            page.wait_for_selector("text=Nothing yet.", timeout=1000)
            break
    assert page.locator("text=Nothing yet.").count() == 1
    assert server.stop() == 130  # and after Ctrl-C
    server.start(server.port)
    open_again(page, server.link(hosted, hosted.keys.seats[0]))
    page.wait_for_selector(".option")


def test_other_people_accept_or_decline_what_is_taken_back(
    server: Server, visitor: Visitor, friend: Visitor
) -> None:
    hosted = server.lay(GameChoice("tic-tac-toe"), None, None)
    asks, answers = visitor, friend
    asks.page.goto(server.link(hosted, hosted.keys.seats[0]))
    answers.page.goto(server.link(hosted, hosted.keys.seats[1]))
    asks.page.wait_for_selector(".option")
    act(asks)
    answers.page.wait_for_selector(".status:has-text('Your turn')")
    for answer, actions in (("Decline", 1), ("Accept", 0)):
        asks.page.click("text=Ask to take back")
        asks.page.wait_for_selector("text=Waiting for player 2")
        answers.page.wait_for_selector("text=Player 1 asks to take their last choice back")
        answers.page.click(f"text={answer}")
        asks.page.wait_for_selector(".request", state="hidden")
        asks.page.wait_for_function(f"document.querySelectorAll('.log li').length == {actions}")


def test_the_button_says_why_nothing_is_taken_back(server: Server, visitor: Visitor) -> None:
    hosted = server.lay(GameChoice("love-letter"), None, "random")
    page = visitor.page
    page.goto(server.link(hosted, hosted.keys.seats[0]))
    hurry(visitor)
    page.wait_for_selector(".option")
    act(visitor)
    page.wait_for_selector("button:has-text('No way back: '):disabled")


def test_addresses_that_lead_nowhere_have_the_status_404(server: Server) -> None:
    for path in ("table/x/y", "review/x/y", "replay/x.json", "match/x", "file/x.rcy", "game/x"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{server.address}/{path}", timeout=60)


def test_a_table_is_opened_and_played_with_the_keyboard_alone(
    server: Server, visitor: Visitor
) -> None:
    page = visitor.page
    page.goto(f"{server.address}/game/tic-tac-toe")
    opening = page.get_by_role("button", name="Open the table")
    opening.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".option")
    page.keyboard.press("1")
    page.wait_for_selector(".log li.said")
    page.wait_for_selector(".option")
    page.locator(".board [data-target]").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelectorAll('.log li.said').length >= 3")


def test_a_form_shows_the_defaults_of_so_many_players(server: Server, visitor: Visitor) -> None:
    page = visitor.page
    page.goto(f"{server.address}/game/love-letter")
    page.click("text=Rules that can be set")
    tokens, guards = page.get_by_label("tokens to win"), page.get_by_label("guards")
    assert tokens.input_value() == "7"
    guards.fill("4")
    page.get_by_role("combobox", name="Players").click()
    page.get_by_role("option", name="4 players").click()
    page.wait_for_selector("text=Player 4")
    assert tokens.input_value() == "4"
    assert guards.input_value() == "4"  # as it was set


def test_a_game_s_page_lists_the_report_of_its_playtest(server: Server, visitor: Visitor) -> None:
    page = visitor.page
    page.goto(f"{server.address}/game/kuhn-poker")
    assert page.locator(".kept-list a").count() == 0
    page.get_by_role("button", name="Start").click()
    link = page.locator(".kept-list a")
    link.wait_for()
    assert (link.get_attribute("href") or "").startswith("/report/Kuhn poker")
    assert "games" in page.frame_locator("iframe.report").locator("main").inner_text()


def test_the_games_are_found_by_their_words(server: Server, visitor: Visitor) -> None:
    page = visitor.page
    page.goto(server.address)
    page.wait_for_selector(".gamecard")
    everything = page.locator(".gamecard").count()
    assert everything >= len(own_games())
    page.get_by_label("Search games").fill("trick-taking")
    page.wait_for_function(f"() => document.querySelectorAll('.gamecard').length < {everything}")
    assert "Hearts" in page.inner_text("main")


def test_the_workshop_underlines_a_mistake_and_mends_it(server: Server, visitor: Visitor) -> None:
    _, text = kibitz.load("kuhn-poker").rules_text or ("", "")
    server.workspace.keep_text("slips.rcy", text.replace("(shuffle", "(shufle", 1))
    page = visitor.page
    page.goto(f"{server.address}/workshop/slips.rcy")
    page.wait_for_selector(".mark-error")
    assert page.locator(".mark-error").first.inner_text() == "shufle"
    page.get_by_role("button", name="Play", exact=True).click()
    message = page.locator(".q-notification__message").inner_text()
    assert message.startswith("Line ")
    assert "^" not in message
    page.click("text=Write shuffle")
    page.wait_for_selector("text=No problems.")
    page.wait_for_function("() => document.querySelectorAll('.mark-error').length == 0")
    page.click(".cm-content")
    page.keyboard.press("Control+End")
    typed = ";; typed while it is kept"
    page.keyboard.type(typed, delay=60)  # with pauses in which it is kept and checked
    page.wait_for_selector("text=Kept")
    page.wait_for_timeout(400)
    assert server.workspace.text("slips.rcy").rstrip().endswith(f")\n{typed}")
    page.get_by_role("tab", name="Playtest").click()
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector("iframe.report")
    assert "games" in page.frame_locator("iframe.report").locator("main").inner_text()


def forge(page: sync_api.Page, place: str, action: str) -> None:
    """Clicks a button that the page does not have, or no longer has."""
    page.evaluate(
        """([place, what]) => {
            const forged = document.createElement("button");
            forged.dataset.act = what;
            document.querySelector(place).append(forged);
            forged.click();
            forged.remove();
        }""",
        [place, action],
    )


@pytest.fixture
def two_mistakes(server: Server, visitor: Visitor) -> Callable[[], None]:
    """Opens a text with two mistakes; what it makes checks that both are mended."""
    _, text = kibitz.load("kuhn-poker").rules_text or ("", "")
    wrong = text.replace("(shuffle", "(shufle", 1).replace("(move", "(moove", 1)
    server.workspace.keep_text("two.rcy", wrong)
    page = visitor.page
    page.goto(f"{server.address}/workshop/two.rcy")
    page.wait_for_selector("text=Write shuffle")
    page.wait_for_selector("text=Write move")

    def mended() -> None:
        page.wait_for_selector("text=No problems.")
        assert server.workspace.text("two.rcy") == text

    return mended


def test_two_mistakes_are_mended_one_at_once_after_the_other(
    visitor: Visitor, two_mistakes: Callable[[], None]
) -> None:
    visitor.page.evaluate(
        "for (const mend of document.querySelectorAll('.findings .small')) mend.click()"
    )
    two_mistakes()


def test_a_click_on_a_list_of_mistakes_that_has_changed_since_mends_what_it_said(
    visitor: Visitor, two_mistakes: Callable[[], None]
) -> None:
    mends = visitor.page.locator(".findings .small")
    assert mends.count() == 2
    late = mends.last.get_attribute("data-act")
    first = mends.first.inner_text()
    visitor.page.evaluate("document.querySelector('.findings .small').click()")
    visitor.page.locator(".findings .small", has_text=first).wait_for(state="detached")
    assert late is not None
    forge(visitor.page, ".findings", late)
    two_mistakes()


def test_a_game_is_written_with_mistakes_and_played(server: Server, visitor: Visitor) -> None:
    text = Path(__file__).with_name("slips.rcy").read_text("utf-8")
    page = visitor.page
    page.goto(f"{server.address}/workshop")
    page.get_by_label("Name").fill("Slips II")
    page.get_by_role("button", name="Begin", exact=True).click()
    page.wait_for_selector("text=;; Slips II")
    page.wait_for_selector("text=No problems.")
    page.click(".cm-content")
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)
    for kind, marked, message, mend in (
        ("error", "moove", "'moove' is no thing that can be done.", "Write move"),
        ("error", ")", "A ')' is missing here: '(end' of line 16 should end.", "Write ))"),
        ("warning", "TAKN", "No card is ever put into the 'vloc' TAKN", "Write ((current"),
    ):
        # the warning comes from playing, which may have to be compiled first
        page.wait_for_selector(f".mark-{kind}:has-text('{marked}')", timeout=180_000)
        finding = page.locator(".finding", has_text=message)
        finding.wait_for()
        for _ in range(10):  # a click is lost while the list is painted
            with contextlib.suppress(sync_api.TimeoutError):
                page.locator(".btn.small", has_text=mend).last.click(timeout=3000)
                finding.wait_for(state="detached", timeout=3000)
                break
    page.wait_for_selector("text=No problems.")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/table/**")
    hurry(visitor)
    assert play_on(visitor)
    assert visitor.clicks > 0


def send(visitor: Visitor, place: str, action: str) -> str:
    """Sends an action that the page does not offer, and returns the server's notification."""
    page = visitor.page
    forge(page, place, action)
    message = page.locator(".q-notification__message").first.inner_text()
    page.locator(".q-notification").get_by_text("Close").first.click()
    page.wait_for_selector(".q-notification", state="detached")
    return message


def test_what_a_page_does_not_offer_is_refused(server: Server, visitor: Visitor) -> None:
    page, workspace = visitor.page, server.workspace
    workspace.keep_text("forged.rcy", "(game)")
    page.goto(f"{server.address}/workshop/forged.rcy")
    page.wait_for_selector(".finding")
    nonsense = ("place x", "mend 99", "part -1", "part \u00b2", "place " + "9" * 5000, "run it")
    for action in nonsense:
        assert "does not offer" in send(visitor, ".finding", action)
    (workspace.folder / "runs" / "folder.html").mkdir()
    page.goto(f"{server.address}/runs")
    page.wait_for_selector(".reports [data-act]")
    for action in ("folder", "..", "../forged.rcy", "one.json"):
        assert "does not offer" in send(visitor, ".reports", action)
    assert "cannot be removed" in send(visitor, ".reports", "folder.html")
    assert "cannot be a name" in send(visitor, ".reports", "../forged.html")
    (workspace.folder / "runs" / "folder.html").rmdir()
    assert workspace.texts().count("forged.rcy") == 1
    hosted = server.lay(GameChoice("tic-tac-toe"), None, None)
    page.goto(server.link(hosted, hosted.keys.seats[0]))
    page.wait_for_selector(".option")
    for action in ("mark 1 1", "1e3", str(1 << 63)):
        assert "does not offer" in send(visitor, ".options", action)
    assert "not legal" in send(visitor, ".options", "7")


def test_two_versions_are_compared(server: Server, visitor: Visitor) -> None:
    _, text = kibitz.load("agram").rules_text or ("", "")
    server.workspace.keep_text("two.rcy", text)
    server.workspace.keep_version(
        "two.rcy", text.replace("(declare 6 'HAND)", "(declare 5 'HAND)", 1)
    )
    page = visitor.page
    page.goto(f"{server.address}/versions/two.rcy")
    page.wait_for_selector(".changes .changed")
    assert page.locator(".changes .changed").count() == 1
    page.get_by_role("combobox", name="Players").last.click()
    page.get_by_role("option", name="3 players").click()
    for _ in range(10):  # a click is lost while the page is painted
        page.get_by_role("button", name="Compare").click()
        with contextlib.suppress(sync_api.TimeoutError):
            page.wait_for_selector("progress", timeout=3000)
            break
    page.wait_for_selector("text=Kept as a report")
    assert page.locator(".answers .real").count() > 0
    [report] = [r for r in server.workspace.names("runs", ".html") if "two" in r]
    assert "after</b>: 3 players" in server.workspace.read("runs", report)
    page.goto(f"{server.address}/runs")
    page.wait_for_selector("text=two.rcy: two versions")


def test_what_two_pages_write_is_not_lost(
    server: Server, visitor: Visitor, friend: Visitor
) -> None:
    _, text = kibitz.load("kuhn-poker").rules_text or ("", "")
    server.workspace.keep_text("shared.rcy", text)
    for browser in (visitor, friend):
        browser.page.goto(f"{server.address}/workshop/shared.rcy")
        browser.page.wait_for_selector("text=No problems.")
    for browser, typed in ((visitor, ";; one"), (friend, ";; two")):
        browser.page.click(".cm-content")
        browser.page.keyboard.press("Control+End")
        browser.page.keyboard.insert_text(typed)
        browser.page.wait_for_selector("text=Kept")
        browser.page.wait_for_timeout(400)
    friend.page.wait_for_selector("text=Another page changed this text")
    assert server.workspace.text("shared.rcy").endswith(";; two")
    latest = server.workspace.versions("shared.rcy")[0]
    assert server.workspace.read("versions", latest).endswith(";; one")


def test_the_editor_completes_explains_and_keeps_drafts(server: Server, visitor: Visitor) -> None:
    _, text = kibitz.load("kuhn-poker").rules_text or ("", "")
    server.workspace.keep_text("help.rcy", text)
    page = visitor.page
    page.goto(f"{server.address}/workshop/help.rcy")
    page.wait_for_selector(".outline button")
    page.click(".cm-content")
    page.keyboard.press("Control+End")
    page.keyboard.type("(shuff", delay=30)
    page.wait_for_selector(".cm-tooltip-autocomplete [role=option]:has-text('shuffle')")
    page.keyboard.press("Escape")
    page.keyboard.type("le ")
    page.wait_for_selector(".helpline:has-text('random order')")
    page.keyboard.press("F1")
    page.wait_for_selector(".reference .here:has-text('shuffle')")
    page.wait_for_selector("text=Kept")
    page.evaluate("localStorage.setItem('kibitz-draft:/workshop/help.rcy', ';; typed in vain')")
    page.reload()
    page.wait_for_selector("text=What was typed here before is back.")
    page.wait_for_function("() => !localStorage.getItem('kibitz-draft:/workshop/help.rcy')")
    assert server.workspace.text("help.rcy") == ";; typed in vain"
    versions = server.workspace.versions("help.rcy")
    assert "(shuffle" in server.workspace.read("versions", versions[0])


def test_a_page_is_light_or_dark_as_chosen(server: Server, visitor: Visitor) -> None:
    page = visitor.page
    page.goto(f"{server.address}/runs")
    page.get_by_label("Light or dark").select_option("dark")
    colour = "() => getComputedStyle(document.body).backgroundColor"
    page.wait_for_function(f"() => ({colour})() === 'rgb(16, 23, 19)'")
    page.reload()
    page.wait_for_function(f"() => ({colour})() === 'rgb(16, 23, 19)'")
    assert page.get_by_label("Light or dark").input_value() == "dark"


def test_a_finished_game_is_reviewed_and_gone_on_with(
    server: Server, visitor: Visitor, tmp_path: Path
) -> None:
    hosted = server.lay(GameChoice("tic-tac-toe"), None, None)
    page = visitor.page
    review = f"{server.address}/review/{hosted.id}/{hosted.keys.seats[0]}"
    assert "still being played" in visitor.open_missing(review)
    for cell in ("0 0", "1 1", "2 2", "0 1", "2 1", "0 2", "2 0"):
        hosted.session.apply(f"mark {cell}")
    hosted.id += "a"  # the first is in the server's memory
    hosted.save(server.workspace)
    page.goto(server.link(hosted, hosted.keys.seats[0]))
    page.get_by_role("link", name="Review").click()
    page.get_by_role("button", name="Next").click()
    page.wait_for_selector("text=Move 1 of 7")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=Move 2 of 7")
    with page.expect_download() as download:
        page.click("text=Save the record")
    page.get_by_role("button", name="Grade the decisions").click()
    page.wait_for_selector("h3:has-text('Luck and skill')")
    page.wait_for_selector(".grade.blunder")
    page.locator(".turns [data-act='6']").click()
    page.wait_for_selector("text=Move 5 of 7")
    page.locator(".grade.blunder").first.click()
    page.get_by_role("button", name="Play on from here").click()
    page.wait_for_url("**/table/**")
    page.wait_for_selector(".option")
    page.goto(f"{server.address}/runs")
    record = tmp_path / download.value.suggested_filename
    download.value.save_as(record)
    page.set_input_files("input[type=file]", record)
    page.wait_for_url("**/replay/**")
    page.get_by_role("button", name="Last").click()
    page.wait_for_selector("text=Move 7 of 7")


def test_nothing_keeps_anybody_out(server: Server, chromium: sync_api.Browser) -> None:
    """The accessibility checker axe finds nothing serious, and every page fits a phone."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    server.workspace.keep_text("kuhn.rcy", kibitz.load("kuhn-poker").rules_text[1])  # type: ignore[index]
    hosted = server.lay(GameChoice("kuhn-poker"), None, None)
    keys = hosted.keys
    pages = (
        *("/", "/game/kuhn-poker", "/workshop", "/workshop/kuhn.rcy", "/versions/kuhn.rcy"),
        *("/runs", f"/table/{hosted.id}/{keys.host}", f"/table/{hosted.id}/{keys.seats[0]}"),
    )
    context = chromium.new_context(viewport=DESK, bypass_csp=True, reduced_motion="reduce")
    page = context.new_page()
    serious = {"resultTypes": ["violations"]}
    colours = {**serious, "runOnly": ["color-contrast"]}
    dark = (pages[0], pages[3], pages[-1])
    violations = []
    for address in pages:
        page.emulate_media(color_scheme="light")
        page.goto(server.address + address)
        page.wait_for_selector("h1")
        settle(page)
        problems = axe.run(page, options=serious).response["violations"]
        if address in dark:
            page.emulate_media(color_scheme="dark")
            problems += axe.run(page, options=colours).response["violations"]
        page.set_viewport_size(PHONE)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390, address
        page.set_viewport_size(DESK)
        for problem in problems:
            if problem["impact"] in ("serious", "critical"):
                violations += [(address, problem["id"], node["html"]) for node in problem["nodes"]]
    context.close()
    # the editor's scroller cannot be reached with the keyboard, but the text in it can
    assert [violation for violation in violations if "cm-scroller" not in violation[2]] == []


WATCH_MOTION = """
window.flights = [];
const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, options) {
  window.flights.push(frames.some((frame) => frame.transform) ? "moved" : "shown");
  return animate.call(this, frames, options);
};
"""


def test_cards_move_from_where_they_were(server: Server, mover: Visitor) -> None:
    page = mover.page
    page.add_init_script(WATCH_MOTION)
    hosted = server.lay(GameChoice("love-letter"), None, "first-legal")
    page.goto(server.link(hosted, hosted.keys.seats[0]))
    page.wait_for_selector(".option")
    assert page.evaluate("flights") == []
    act(mover)
    page.wait_for_function("() => flights.includes('moved')")
    page.wait_for_function("() => !document.querySelector('.kz-motion')")
    assert page.locator(".board svg").count() == 1


def test_who_wants_no_motion_sees_none(server: Server, visitor: Visitor) -> None:
    page = visitor.page
    page.add_init_script(WATCH_MOTION)
    hosted = server.lay(GameChoice("tic-tac-toe"), None, "random")
    page.goto(server.link(hosted, hosted.keys.seats[0]))
    page.wait_for_selector(".option")
    act(visitor)
    page.wait_for_function(ANSWERED)
    assert page.evaluate("flights") == []


def test_agents_are_stepped_and_skipped(server: Server, visitor: Visitor) -> None:
    """A game of agents alone pauses until it is stepped or skipped to its end."""
    page = visitor.page
    hosted = server.lay(GameChoice("love-letter"), "random", "random")
    page.goto(server.link(hosted, hosted.keys.watch))
    page.get_by_role("combobox", name="Pace").click()
    page.get_by_role("option", name="step by step").click()
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Skip").click()
    page.wait_for_selector("text=Play again")
    page.get_by_role("link", name="Review").wait_for()


def test_a_wide_screen_shows_the_whole_table(server: Server, visitor: Visitor) -> None:
    page = visitor.page
    page.set_viewport_size({"width": 1920, "height": 1080})
    hosted = server.lay(GameChoice("pandemic"), None, "random")
    page.goto(server.link(hosted, hosted.keys.seats[0]))
    page.wait_for_selector(".option")
    settle(page)
    box = page.locator(".board svg").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 1080


@pytest.mark.parametrize("width", [DESK["width"], PHONE["width"]])
def test_the_rules_stand_beside_the_table(
    server: Server, chromium: sync_api.Browser, width: int
) -> None:
    hosted = server.lay(GameChoice("agram"), None, "random", hand=4)
    visitor = Visitor(chromium, width)
    visitor.page.goto(server.link(hosted, hosted.card.keys.seats[0]))
    visitor.page.get_by_text("Rules", exact=True).click()
    deal = visitor.page.get_by_text("Deal 4 cards from the stock to each player's hand.")
    deal.scroll_into_view_if_needed()
    assert visitor.page.evaluate("document.documentElement.scrollWidth") <= width
    visitor.close()


def test_who_looks_on_does_not_set_the_players_pace(server: Server, visitor: Visitor) -> None:
    page = visitor.page
    hosted = server.lay(GameChoice("tic-tac-toe"), None, "random")
    page.goto(server.link(hosted, hosted.keys.watch))
    page.get_by_role("combobox", name="Pace").click()
    page.get_by_role("option", name="step by step").click()
    page.goto(server.link(hosted, hosted.keys.seats[0]))
    page.wait_for_selector(".option")
    act(visitor)
    page.wait_for_function(ANSWERED)  # the agent does not wait for somebody to say "Next"


def test_a_match_of_the_manager_is_watched_as_it_is_played(
    server: Server, visitor: Visitor
) -> None:
    record, workspace = played("gdl-tic-tac-toe"), server.workspace
    unfinished = {**record.until(1).to_json(), "isCompleted": False, "goalValues": []}
    workspace.write("matches", "one.json", json.dumps(unfinished))
    page = visitor.page
    page.goto(f"{server.address}/runs")
    page.click("text=gdl-tic-tac-toe: legal, legal")
    page.wait_for_selector("text=1 step so far")
    workspace.write("matches", "one.json", json.dumps(record.to_json()))
    page.wait_for_selector("text=over after")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".status:has-text('step ')")
