"""The editor of the workshop without a browser: what it offers, colours, explains and lists."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kibitz
from kibitz.gdl.reader import STRUCTURE
from kibitz.gdl.rules import KEYWORDS
from kibitz.languages.gdl import GDL
from kibitz.languages.guide import guide_of
from kibitz.languages.recycle import RECYCLE
from kibitz.recycle.reading.dialect_b import DialectB
from kibitz.syntax.language import Language
from kibitz.syntax.source import Source
from kibitz.web import checks, editing

_, SCOPA = kibitz.load("scopa").rules_text or ("", "")
_, FOUR = kibitz.load("connect-four").rules_text or ("", "")


class _Ids(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if attributes.get("id"):
            self.ids.append(str(attributes["id"]))
        if tag == "a":
            self.links.append(str(attributes["href"]))


def test_every_word_that_recycle_reads_is_in_its_reference() -> None:
    assert set(DialectB.words) <= set(guide_of(RECYCLE).by_word)


def test_every_keyword_of_gdl_is_in_its_reference_and_nothing_else() -> None:
    assert set(guide_of(GDL).by_word) == {*KEYWORDS, *STRUCTURE}


@pytest.mark.parametrize("language", [RECYCLE, GDL])
def test_every_form_has_a_line_of_help_and_a_place_in_the_page(language: Language) -> None:
    guide = guide_of(language)
    page = _Ids()
    page.feed(guide.html)
    assert len(page.ids) == len(set(page.ids))
    for entry in guide.entries:
        assert entry.anchor in page.ids
        assert entry.help or not entry.is_current, entry
        assert "\n" not in entry.help
    inner = {link[1:] for link in page.links if len(link) > 1 and link[0] == "#"}
    assert inner <= set(page.ids)
    assert not [link for link in page.links if not re.match(r"#|https://", link)]


def test_a_language_without_a_page_says_so() -> None:
    assert "installation" in editing.guide_for(Language()).html
    assert guide_of(RECYCLE).title == "RECYCLE"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("(mo|ve (top (game iloc A)) (top 'B))", "(move CARD PLACE)"),
        ("(move (top (game iloc| A)) (top 'B))", "(OWNER iloc NAME)"),
        ("(move (top (ga|me iloc A)) (top 'B))", "(OWNER iloc NAME)"),
        ("(move (to|p (game iloc A)) (top 'B))", "(top CARDS)"),
        ("(inc ('P sto N) |)", "(inc (OWNER sto NAME) NUMBER)"),
        ("(inc ('P sto |N) 1)", "(OWNER sto NAME)"),
        ("((current player) sto |N)", "(OWNER sto NAME)"),
        ("(choice (\n  (turn pass)|))", "(choice (CLAUSE ...))"),
        ("(nothing | here)", None),
        ("(move 'A ;; any| thing\n (top 'B))", None),
    ],
)
def test_the_form_at_the_cursor_is_the_innermost_one(text: str, form: str | None) -> None:
    entry = guide_of(RECYCLE).form_at(text.replace("|", ""), text.index("|"))
    assert (entry and entry.form) == form


@settings(max_examples=60)
@given(st.text("(move top)';\n 'A12", max_size=60), st.integers(0, 60))
def test_any_place_of_any_text_can_be_asked_about(text: str, place: int) -> None:
    guide_of(RECYCLE).form_at(text, min(place, len(text)))


def test_the_reference_is_searched_by_words() -> None:
    guide = guide_of(RECYCLE)
    hits = guide.search("shuffle")
    assert hits[0].form == "(shuffle LOCATION)"
    assert guide.search("perfect riffle")[0].form == "(shuffle faro LOCATION)"
    assert guide.search("  ") == guide.search("no such form") == []
    assert "shuffle" in editing.hits_html(hits, "shuffle")
    assert "<b>" not in editing.hits_html(guide.search("<b>"), "<b>")


def test_the_tables_colour_and_offer_each_form() -> None:
    tables = editing.tables(guide_of(RECYCLE))
    assert tables["words"]["move"] != tables["words"]["vloc"]
    offered = {(form["word"], form["leads"]) for form in tables["forms"]}
    assert {("move", True), ("vloc", False), ("stage", True)} <= offered
    assert "comp" not in {form["word"] for form in tables["forms"]}  # of an older dialect


def test_names_have_a_line_of_help() -> None:
    help_lines = {
        n["text"]: n["help"]
        for n in editing.names(RECYCLE, guide_of(RECYCLE), Source("scopa.rcy", SCOPA))
    }
    assert help_lines["HAND"].startswith("seen by its owner")
    assert help_lines["COINS"] == "a value of SUIT"
    assert help_lines["'NUMP"] == "is 2"
    gdl = {
        n["text"]: n["help"] for n in editing.names(GDL, guide_of(GDL), Source("four.kif", FOUR))
    }
    assert gdl["after"] == "a relation of 2 arguments"
    assert not {"role", "1"} & set(gdl)


def test_the_outline_leads_to_stages_and_declarations() -> None:
    source = Source("scopa.rcy", SCOPA)
    outline = RECYCLE.outline(source)
    stages = [entry for entry in outline if entry.name == "Stage: player"]
    assert [entry.depth for entry in stages] == [0, 1, 1]
    assert stages[0].detail == "A deal in each turn of this stage"
    for entry in stages:
        assert source.piece(entry.span).startswith("(stage player")
    assert [entry.name for entry in outline if entry.depth == 0][-1] == "Scoring"
    html = editing.outline_html(outline)
    assert html.count("data-act") == len(outline)


def test_the_outline_of_gdl_has_each_relation_once() -> None:
    names = [entry.name for entry in GDL.outline(Source("four.kif", FOUR))]
    assert names[:3] == ["role", "base", "input"]
    assert len(names) == len(set(names))


@settings(max_examples=40)
@given(st.integers(0, len(SCOPA)), st.sampled_from(["", "(", ")", "'", "(deck (", "(create deck"]))
def test_wrong_texts_have_outlines_and_names(cut: int, added: str) -> None:
    for text in (SCOPA[:cut] + added, FOUR[:cut] + added):
        for language in (RECYCLE, GDL):
            source = Source("x", text)
            for entry in language.outline(source):
                assert 0 <= entry.span.start < entry.span.end <= len(text)
            language.names(source)


def test_errors_alone_are_the_errors_of_everything() -> None:
    wrong = SCOPA.replace("(shuffle", "(shufle").replace("'SIDES)", "'SIDE)", 1)
    everything = [finding for finding in checks.find("a.rcy", wrong) if finding.kind == "error"]
    assert checks.find_errors("a.rcy", wrong) == everything != []


def test_findings_move_with_the_text_around_them() -> None:
    wrong = SCOPA.replace("(shuffle", "(shufle", 1)
    [finding] = checks.find_errors("a.rcy", wrong)
    for after in ("\n\n" + wrong, wrong + "\n;; more", wrong.replace("(game\n", "(game \n", 1)):
        [moved] = checks.moved([finding], wrong, after)
        assert moved == checks.find_errors("a.rcy", after)[0]
    assert checks.moved([finding], wrong, SCOPA) == []


def test_the_digest_is_that_of_the_browser() -> None:
    assert editing.digest("Wikipedia") == 0x11E60398  # the example of Adler-32
