"""Laws, findings and spots, and the results that show them."""

from __future__ import annotations

import json

import pytest

import kibitz
from kibitz.checks.certificate import Certificate
from kibitz.checks.laws import DEEP_LAWS, HIDING_LAWS, QUICK_LAWS, Law
from kibitz.syntax.findings import IN_FULL, CheckResult, Finding, Spot
from kibitz.syntax.source import Diagnostic, Severity, Source, Span


def test_every_law_has_a_name_a_sentence_and_a_test() -> None:
    for law in Law:
        assert Law(law.value) is law
        assert law.sentence
        assert law.quick or law.deep
    assert len({law.sentence for law in Law}) == len(Law)
    assert set(QUICK_LAWS) & set(DEEP_LAWS) == HIDING_LAWS - {Law.VARIES}


def test_a_spot_has_one_form() -> None:
    spot = Spot(2, {}, 7, (5, 6), game=4)
    assert (str(spot), spot.words()) == ("4:2", "game 4, after 2 actions")
    whole = spot.joined(Spot(seat=1))
    assert (str(whole), whole.words()) == (
        "4:2:2:worlds",
        "game 4, after 2 actions, player 2, information set",
    )
    sample = whole.joined(Spot(actions=(8,), sample=3))
    assert str(sample) == "4:3:2:3"
    assert sample.words() == "game 4, after 3 actions, player 2, sample 3"
    assert sample.actions == (5, 6, 8)
    assert str(Spot(2, {}, 7)) == ""


def test_a_finding_says_how_to_see_it() -> None:
    spot = Spot(3, {"hand": 2}, 7, (1, 2), seat=0, sample=5)
    assert str(Finding(Law.ENDS, "it did not", "tick", "end it.", spot)).splitlines() == [
        "tick: it did not",
        "Likely cure: end it.",
        "To see it: game.new_state(3, seed=7, hand=2), then its 2 actions; "
        "finding.replay(game) does both, then state.determinize(0, seed=5)",
    ]
    assert str(Finding(Law.PARAMETER, "no rule reads it", "speed")) == "speed: no rule reads it"


def test_findings_of_check_and_certify_have_one_form() -> None:
    spot = Spot(3, {}, 7, (1, 2), game=0, seat=1, sample=4)
    check = CheckResult("pig", laws=len(QUICK_LAWS))
    certificate = Certificate(game="pig", players=3, parameters={}, seed=0, source="pig")
    for result in (check, certificate):
        for _ in range(IN_FULL + 2):
            result.add(Finding(Law.OPTIONS, "they differ"), spot)
        assert not result.ok
        assert (result.broken, result.further[Law.OPTIONS]) == ([Law.OPTIONS], 2)
        assert f"options: {Law.OPTIONS.sentence}\n  - they differ\n" in str(result)
        assert "  ... and 2 more" in str(result)
    (first, *_), (other, *_) = (
        json.loads(json.dumps(result.to_json()))["findings"] for result in (check, certificate)
    )
    command = "kibitz certify pig --players 3 --seed 0 --at 0:2:2:4"
    assert other == first | {"command": command}
    assert f"To see it: {command}" in str(certificate)


def test_a_result_has_diagnostics_and_findings() -> None:
    source = Source("pig.txt", "roll hold")
    warning = Diagnostic(Severity.WARNING, "odd", "This is odd.", Span(0, 4))
    result = CheckResult.of_text(source, [warning], "Played 3 games.")
    assert result.ok
    assert not result.is_right(strict=True)
    assert str(result).splitlines()[-2:] == ["Played 3 games.", "pig.txt: 1 warning."]
    result.add(Finding(Law.ENDS, "it did not"))
    assert not result.ok
    assert str(result).endswith("pig.txt: 1 warning and 1 law is broken.")
    document = result.to_json()
    assert (document["warnings"], len(document["diagnostics"])) == (1, 1)
    assert [finding["law"] for finding in document["findings"]] == ["ends"]


@pytest.mark.parametrize(
    ("complete", "verdict"),
    [(True, "all 35 laws hold"), (False, "no law was found broken so far")],
)
def test_the_verdict_comes_last(complete: bool, verdict: str) -> None:
    result = CheckResult("pig", laws=len(QUICK_LAWS), complete=complete, played="Played 1 game.")
    assert str(result) == f"Played 1 game.\npig: {verdict}."


def test_of_a_table_its_players_and_parameters_are_checked() -> None:
    played = kibitz.check(kibitz.load("agram").table(players=3, hand=2), games=2).played
    assert "3 players" in played
    assert "at 1 table" in played
