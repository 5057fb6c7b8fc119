"""Every role and every scroll of Wie verhext!, action and favour, with and without the means."""

from __future__ import annotations

import pytest
from wie_verhext_positions import GAME, drops, goods_of, legal, play, position

CAULDRONS = [("wizard", "copper"), ("witch", "iron"), ("druid", "silver")]
BLENDS = [("magus", "copper"), ("strix", "iron"), ("sanatio", "silver")]
TOP = {"copper": "W", "iron": "R", "silver": "G"}


def act(role: str, goods: str = "", gold: int = 0, **position_options):
    """Player 0 leads the role, nobody follows: the state in which he is offered its action, or has got it."""
    s = position(
        f"{role}, warlock" if role != "warlock" else role, "", "", goods={0: (goods, gold)}, **position_options
    )
    play(s, f"lead {role}")
    return s


def favour(role: str, goods: str = "", gold: int = 0, **position_options):
    """Player 1 takes the favour of the role that player 0 leads, and has still another card."""
    s = position(f"{role}, witch", f"{role}, wizard", "", goods={1: (goods, gold)}, **position_options)
    play(s, f"lead {role}", "favour")
    return s


def settled(s) -> bool:
    """Is the trick done, without a further decision?"""
    return GAME.describe(s)["phase"] in ("lead", "choose")


# Green: wolf keeper, snake hunter, herb collector.


@pytest.mark.holds("wie_verhext", 2, 28, 43, 44, 45)
@pytest.mark.parametrize(("role", "colour"), [("wolf keeper", "R"), ("snake hunter", "W"), ("herb collector", "G")])
def test_green_roles_give_three_drops_or_one_without_a_decision(role, colour):
    s = act(role)
    assert goods_of(GAME.describe(s), 0) == (3 * colour, 0, 0)
    assert settled(s)
    s = favour(role)
    d = GAME.describe(s)
    assert settled(s)
    assert goods_of(d, 1) == (colour, 0, 0)
    assert goods_of(d, 0) == (3 * colour, 0, 0)  # the action comes after the favours


# Yellow: alchemist, fortune teller, assistant.


@pytest.mark.holds("wie_verhext", 47)
@pytest.mark.parametrize(("offer", "p", "earned"), [(act, 0, 5), (favour, 1, 2)])
def test_alchemist_turns_any_drop_into_gold(offer, p, earned):
    s = offer("alchemist", "RW", 1)
    d = GAME.describe(s)
    assert (d["phase"], d["pending"], d["current_player"]) == ("act", None, p)
    assert legal(s) == ["decline", "pay red", "pay white"]
    d = play(s, "pay white")
    assert goods_of(d, p) == ("R", 1 + earned, 0)
    assert settled(s)


@pytest.mark.holds("wie_verhext", 28)
@pytest.mark.parametrize(("offer", "p"), [(act, 0), (favour, 1)])
def test_alchemist_may_be_declined_and_is_not_asked_without_a_drop(offer, p):
    s = offer("alchemist", "G", 1)
    assert goods_of(play(s, "decline"), p) == ("G", 1, 0)
    assert settled(s)
    s = offer("alchemist", "", 3)
    assert settled(s)
    assert goods_of(GAME.describe(s), p) == ("", 3, 0)


@pytest.mark.holds("wie_verhext", 48)
@pytest.mark.parametrize(("offer", "p", "vials"), [(act, 0, 2), (favour, 1, 1)])
def test_fortune_teller_turns_a_gold_into_vials(offer, p, vials):
    s = offer("fortune teller", "", 2)
    assert legal(s) == ["use", "decline"]
    assert GAME.describe(s)["phase"] == "act"
    assert goods_of(play(s, "use"), p) == ("", 1, vials)
    assert settled(s)
    s = offer("fortune teller", "", 2)
    assert goods_of(play(s, "decline"), p) == ("", 2, 0)
    s = offer("fortune teller", "RGW", 0)
    assert settled(s)


@pytest.mark.holds("wie_verhext", 50)
@pytest.mark.parametrize(("offer", "p", "number"), [(act, 0, 3), (favour, 1, 1)])
def test_assistant_turns_a_gold_into_any_drops(offer, p, number):
    s = offer("assistant", "R", 1)
    assert legal(s) == ["use", "decline"]
    d = play(s, "use")
    assert (d["phase"], d["gold"][p]) == ("gain", 0)
    assert d["pending"] == {"kind": "gain", "left": number, "least": "red"}
    d = play(s, *["gain green"] * number)
    assert goods_of(d, p) == ("R" + number * "G", 0, 0)
    assert settled(s)
    s = offer("assistant", "R", 1)
    assert goods_of(play(s, "decline"), p) == ("R", 1, 0)
    s = offer("assistant", "R", 0)
    assert settled(s)


def test_gains_come_in_rising_colour_order_all_of_them():
    s = act("assistant", "", 1)
    play(s, "use")
    assert legal(s) == ["gain red", "gain green", "gain white"]
    d = play(s, "gain green")
    assert d["pending"] == {"kind": "gain", "left": 2, "least": "green"}
    assert legal(s) == ["gain green", "gain white"]
    play(s, "gain white")
    assert legal(s) == ["gain white"]
    assert goods_of(play(s, "gain white"), 0) == ("GWW", 0, 0)


@pytest.mark.holds("wie_verhext", 6, 11, 46)
def test_drops_gold_and_vials_never_run_out():
    """More of each than lies in the box."""
    s = position("wolf keeper, alchemist, fortune teller", "", "", goods={0: ("", 23)})
    s[()].drops[1, 0], s[()].gold[1], s[()].vials[1] = 20, 24, 45
    d = play(s, "lead wolf keeper", "lead alchemist", "pay red", "lead fortune teller", "use")
    assert goods_of(d, 0) == ("RR", 27, 2)


# Blue: wizard, witch, druid.


@pytest.mark.holds("wie_verhext", 51, 52, 53, 54, 56)
@pytest.mark.parametrize(("role", "pile"), CAULDRONS)
@pytest.mark.parametrize(("offer", "p", "price"), [(act, 0, 0), (favour, 1, 2)])
def test_blue_roles_brew_the_top_card_of_their_cauldron(role, pile, offer, p, price):
    for gone, cost in enumerate(
        {"copper": "W W WR WR RWW RRWW RRWWW", "iron": "R R RG RG RRG RRGG RRRGG"}.get(
            pile, "G G GW GW GGW GGWW GGGWW"
        ).split()
    ):
        s = offer(role, cost, price, gone={pile: gone})
        card = GAME.describe(s)["piles"][pile][0]
        assert legal(s) == ["decline", "brew"]
        d = play(s, "brew")
        assert goods_of(d, p) == ("", 0, 0)
        assert d["cards"][p] == [{"pile": pile, "points": card["points"], "raven": card["raven"]}]
        assert d["scores"][p] == card["points"]
        assert len(d["piles"][pile]) == 6 - gone
        assert d["ravens"] == card["raven"]
        assert settled(s)  # no drop is left for a vial


@pytest.mark.parametrize(("role", "pile"), CAULDRONS)
@pytest.mark.parametrize(("offer", "p", "price"), [(act, 0, 0), (favour, 1, 2)])
def test_blue_roles_may_be_declined(role, pile, offer, p, price):
    s = offer(role, TOP[pile], price)
    d = play(s, "decline")
    assert goods_of(d, p) == (TOP[pile], price, 0)
    assert len(d["piles"][pile]) == 7
    assert settled(s)


@pytest.mark.parametrize(("role", "pile"), CAULDRONS)
def test_blue_roles_are_not_asked_without_the_drops_or_the_gold_of_the_favour(role, pile):
    wrong = "".join(colour * 5 for colour in "RGW" if colour != TOP[pile])
    assert settled(act(role, wrong, 9))
    assert settled(favour(role, wrong, 9))
    assert settled(favour(role, TOP[pile], 1))
    assert settled(act(role, "RGW", 9, gone={pile: 6}))


@pytest.mark.parametrize(("role", "pile"), CAULDRONS)
def test_blue_roles_have_no_effect_on_an_empty_pile(role, pile):
    s = act(role, "RRRRRGGGGGWWWWW", 9, gone={pile: 7})
    assert settled(s)
    assert settled(favour(role, "RRRRRGGGGGWWWWW", 9, gone={pile: 7}))
    assert GAME.describe(s)["current_player"] == 0  # the trick is played all the same


@pytest.mark.holds("wie_verhext", 57)
@pytest.mark.parametrize(("role", "pile"), CAULDRONS)
@pytest.mark.parametrize(("offer", "p", "price"), [(act, 0, 0), (favour, 1, 2)])
def test_one_more_drop_of_any_colour_buys_a_vial_once(role, pile, offer, p, price):
    s = offer(role, TOP[pile] + "RGW", price)
    d = play(s, "brew")
    assert (d["phase"], d["pending"], d["current_player"]) == ("vial", None, p)
    assert legal(s) == ["decline", "pay red", "pay green", "pay white"]
    d = play(s, "pay green")
    assert goods_of(d, p) == ("RW", 0, 1)
    assert settled(s)
    s = offer(role, TOP[pile] + "W", price)
    play(s, "brew")
    assert legal(s) == ["decline", "pay white"]
    assert goods_of(play(s, "decline"), p) == ("W", 0, 0)
    assert settled(s)


@pytest.mark.holds("wie_verhext", 58)
def test_a_favour_takes_the_card_the_claimant_was_after():
    """The claimant has a red drop for the first card of iron; the favour leaves him with one that needs green too."""
    s = position("witch, druid", "witch", "", goods={0: ("R", 0), 1: ("R", 2)}, gone={"iron": 1})
    d = play(s, "lead witch", "favour", "brew")
    assert len(d["cards"][1]) == 1
    assert d["piles"]["iron"][0]["cost"] == {"red": 1, "green": 1}
    assert (d["phase"], d["current_player"], goods_of(d, 0)) == ("lead", 0, ("R", 0, 0))


def test_a_favour_may_empty_the_pile_before_the_action():
    s = position("witch, druid", "witch", "", goods={0: ("RRRGG", 0), 1: ("RRRGG", 2)}, gone={"iron": 6})
    d = play(s, "lead witch", "favour", "brew")
    assert d["piles"]["iron"] == []
    assert (d["phase"], goods_of(d, 0)) == ("lead", ("RRRGG", 0, 0))


def test_two_favours_and_the_action_may_brew_three_cards_in_a_trick():
    goods = {0: ("RG", 0), 1: ("R", 2), 2: ("R", 2)}
    s = position("witch", "witch", "witch, druid", goods=goods)
    d = play(s, "lead witch", "favour", "brew", "favour", "brew", "brew")
    assert [sum(card["points"] for card in cards) for cards in d["cards"]] == [3, 2, 2]


# Red: cutpurse.


@pytest.mark.holds("wie_verhext", 60, 61, 66)
@pytest.mark.parametrize(
    ("held", "tax"), [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1), (5, 1), (6, 2), (8, 2), (9, 3), (30, 10)]
)
def test_cutpurse_taxes_a_third_of_the_gold_rounded_down(held, tax):
    s = position(
        "cutpurse, witch", "cutpurse", "", "", goods={0: ("", 7), 1: ("", held), 2: ("", held), 3: ("RRRR", 0)}
    )
    play(s, "lead cutpurse", "favour")
    assert legal(s) == ["use", "decline"]
    d = play(s, "use")
    less = max(tax - 1, 0)
    assert d["gold"] == [7, held - less, held - tax, 0]
    assert d["shelf_gold"] == less + tax
    assert goods_of(d, 3)[0] == "RRRR"


@pytest.mark.holds("wie_verhext", 66, 67)
def test_tom_with_the_favour_pays_nothing_and_dethroned_anne_pays_one():
    """Anne leads with 3 gold, Tom with 4 takes the favour, Paul claims and uses the action."""
    anne, tom, paul = 0, 1, 2
    s = position("cutpurse, witch", "cutpurse", "cutpurse", goods={anne: ("", 3), tom: ("", 4), paul: ("", 1)})
    d = play(s, "lead cutpurse", "favour", "claim", "use")
    assert d["gold"] == [2, 4, 1]
    assert d["shelf_gold"] == 1
    assert (d["phase"], d["current_player"]) == ("lead", anne)  # a card for 3 is out of Paul's reach


@pytest.mark.holds("wie_verhext", 62, 64)
def test_the_shelf_card_is_free_if_enough_lies_on_it_and_all_of_it_goes_to_the_supply():
    s = act("cutpurse", "", 2, shelf_gold=5)
    play(s, "use")
    assert GAME.describe(s)["phase"] == "take"
    assert legal(s) == ["decline", "take"]
    d = play(s, "take")
    assert (goods_of(d, 0), d["shelf_gold"]) == (("", 2, 0), 0)
    assert d["cards"][0] == [{"pile": "gold", "points": 2, "raven": False}]
    assert settled(s)


@pytest.mark.holds("wie_verhext", 63, 71)
@pytest.mark.parametrize("gone", range(5))
def test_missing_gold_is_added_exactly(gone):
    cost = [3, 3, 4, 5, 6][gone]
    s = act("cutpurse", "RGW", cost - 1, shelf_gold=1, gone={"gold": gone})
    play(s, "use")
    d = play(s, "take")
    assert (goods_of(d, 0), d["shelf_gold"]) == (("RGW", 0, 0), 0)
    assert settled(s)  # no vial with shelves
    assert d["ravens"] == (gone in (2, 4))
    s = act("cutpurse", "RGW", cost - 2, shelf_gold=1, gone={"gold": gone})
    d = play(s, "use")
    assert settled(s)
    assert (d["shelf_gold"], d["gold"][0]) == (1, cost - 2)


@pytest.mark.holds("wie_verhext", 65)
def test_what_lies_on_the_shelf_stays_if_the_card_is_left():
    s = position("cutpurse, witch", "", "", goods={0: ("", 9), 1: ("", 6), 2: ("", 3)})
    d = play(s, "lead cutpurse", "use", "decline")
    assert (d["shelf_gold"], d["gold"]) == (3, [9, 4, 2])
    assert len(d["piles"]["gold"]) == 5
    assert settled(s)


@pytest.mark.parametrize(("role", "rich"), [("cutpurse", ("", 9)), ("begging monk", ("RRRRRRRR", 0))])
def test_the_whole_action_tax_included_may_be_forgone(role, rich):
    s = position(f"{role}, witch", "", "", goods={0: rich, 1: rich, 2: rich})
    before = GAME.describe(s)
    d = play(s, f"lead {role}", "decline")
    assert all(d[key] == before[key] for key in ("drops", "gold", "shelf_gold", "shelf_drops", "piles"))
    assert settled(s)


@pytest.mark.parametrize(("role", "pile"), [("cutpurse", "gold"), ("begging monk", "drops")])
def test_an_empty_shelf_raises_no_tax(role, pile):
    goods = dict.fromkeys(range(3), ("RRRRRRRR", 9))
    s = position(f"{role}, witch", f"{role}, wizard", "", goods=goods, gone={pile: 5})
    d = play(s, f"lead {role}", "favour")
    assert (d["phase"], d["current_player"]) == ("lead", 0)
    assert d["gold"] == [9, 9, 9]
    assert d["shelf_gold"] == d["shelf_drops"] == 0


@pytest.mark.parametrize("role", ["cutpurse", "begging monk"])
def test_the_favour_of_a_red_role_counts_for_this_trick_only_and_gives_nothing_by_itself(role):
    rich = ("RRRRRRRR", 6)
    s = position(f"{role}, witch", f"{role}, wizard", "", goods={1: rich})
    d = play(s, f"lead {role}", "favour")
    assert goods_of(d, 1) == (*rich, 0)
    assert (d["phase"], d["current_player"], d["favours"]) == ("act", 0, [1])
    d = play(s, "decline")
    assert d["favours"] == []


# Red: begging monk.


@pytest.mark.holds("wie_verhext", 68, 70)
@pytest.mark.parametrize(("held", "tax"), [(0, 0), (1, 0), (3, 0), (4, 1), (7, 1), (8, 2), (11, 2), (12, 3), (40, 10)])
def test_begging_monk_taxes_a_quarter_of_all_drops_rounded_down(held, tax):
    mixed = ("RGW" * held)[:held]
    s = position("begging monk, witch", "begging monk", "", "", goods={1: (mixed, 0), 2: (mixed, 9), 3: ("", 9)})
    d = play(s, "lead begging monk", "favour", "use")
    owed = {1: max(tax - 1, 0), 2: tax}
    for p, number in owed.items():
        for left in range(number, 0, -1):
            assert (d["phase"], d["current_player"]) == ("tax", p)
            assert d["pending"]["left"] == left
            d = play(s, legal(s)[-1])
    assert d["shelf_drops"] == sum(owed.values())
    assert [len(goods_of(d, p)[0]) for p in range(4)] == [0, held - owed[1], held - owed[2], 0]
    assert d["gold"] == [0, 0, 9, 9]


@pytest.mark.holds("wie_verhext", 69)
def test_monks_tax_is_paid_clockwise_from_the_claimant_each_player_picking_his_colours():
    goods = {0: ("RRRRGGGG", 0), 1: ("RRR", 0), 2: ("", 0), 3: ("RRRRRGWW", 0)}
    s = position("witch", "druid", "begging monk", "wizard", goods=goods, leader=2)
    d = play(s, "lead begging monk", "use")
    assert (d["phase"], d["current_player"]) == ("tax", 3)
    assert d["pending"] == {"kind": "tax", "left": 2, "least": "red"}
    assert legal(s) == ["pay red", "pay green", "pay white"]
    d = play(s, "pay green")
    assert (d["pending"], d["shelf_drops"]) == ({"kind": "tax", "left": 1, "least": "green"}, 1)
    assert legal(s) == ["pay white"]
    d = play(s, "pay white")
    assert (d["current_player"], d["shelf_drops"]) == (0, 2)  # the next seat that owes: player 1 has too few
    assert legal(s) == ["pay red", "pay green"]
    d = play(s, "pay green", "pay green")
    assert goods_of(d, 0)[0] == "RRRRGG"
    assert goods_of(d, 3)[0] == "RRRRRW"
    assert (d["phase"], d["current_player"]) == ("take", 2)  # 4 lie there and the card costs 3
    d = play(s, "take")
    assert d["shelf_drops"] == 0
    assert d["cards"][2] == [{"pile": "drops", "points": 2, "raven": False}]


def test_a_colour_may_be_paid_only_if_it_and_later_ones_suffice_for_the_rest():
    s = position("begging monk", "", "", goods={1: ("RRRRRRGW", 0)})
    play(s, "lead begging monk", "use")
    assert legal(s) == ["pay red", "pay green"]  # white would leave the second drop unpaid


def test_a_dethroned_claimant_of_the_monk_pays_in_full():
    s = position("begging monk", "begging monk", "begging monk, witch", goods=dict.fromkeys(range(3), ("RRRR", 0)))
    d = play(s, "lead begging monk", "favour", "claim", "use", "pay red")
    assert [len(goods_of(d, p)[0]) for p in range(3)] == [3, 4, 4]
    assert (d["phase"], d["current_player"]) == ("take", 2)  # two more of his four drops would do


@pytest.mark.holds("wie_verhext", 68, 71)
@pytest.mark.parametrize("gone", range(5))
def test_missing_drops_are_paid_one_by_one_and_the_card_comes_with_the_last(gone):
    cost = [3, 3, 4, 5, 6][gone]
    s = act("begging monk", "RGGWWWW", 0, shelf_drops=cost - 2, gone={"drops": gone})
    play(s, "use")
    assert legal(s) == ["decline", "take"]
    d = play(s, "take")
    assert (d["phase"], d["pending"]) == ("pay", {"kind": "pay", "left": 2, "least": "red"})
    d = play(s, "pay red")
    assert (d["shelf_drops"], d["cards"][0], len(d["piles"]["drops"])) == (cost - 1, [], 5 - gone)
    assert d["pending"] == {"kind": "pay", "left": 1, "least": "red"}
    assert legal(s) == ["pay green", "pay white"]
    d = play(s, "pay white")
    assert (d["shelf_drops"], goods_of(d, 0)) == (0, ("GGWWW", 0, 0))
    assert (len(d["cards"][0]), len(d["piles"]["drops"])) == (1, 4 - gone)
    assert settled(s)  # no vial with shelves


def test_the_drop_shelf_is_not_asked_when_the_claimant_cannot_add_what_is_missing():
    s = act("begging monk", "R", 9, shelf_drops=1)
    d = play(s, "use")
    assert settled(s)
    assert (d["shelf_drops"], goods_of(d, 0)) == (1, ("R", 9, 0))


def test_what_was_taxed_for_the_drop_shelf_stays_if_the_card_is_left():
    s = position("begging monk, witch", "", "", goods={0: ("RRR", 0), 1: ("WWWW", 0)})
    d = play(s, "lead begging monk", "use", "pay white", "decline")
    assert (d["shelf_drops"], goods_of(d, 0), goods_of(d, 1)) == (1, ("RRR", 0, 0), ("WWW", 0, 0))


# Grey: the warlock and the scrolls.


@pytest.mark.holds("wie_verhext", 73)
def test_the_warlocks_favour_is_a_gold_without_a_decision():
    s = position("warlock, witch", "warlock, wizard", "", scroll="optio")
    d = play(s, "lead warlock", "favour")
    assert goods_of(d, 1) == ("", 1, 0)
    assert settled(s)


def scroll_offer(scroll: str, goods: str = "", gold: int = 0, **position_options):
    """Player 0 leads the warlock: he is offered what the scroll offers, or nothing."""
    s = position("warlock, witch", "", "", goods={0: (goods, gold)}, scroll=scroll, **position_options)
    play(s, "lead warlock")
    return s


@pytest.mark.holds("wie_verhext", 72, 76)
def test_copia_gives_any_three_drops_free():
    s = scroll_offer("copia")
    assert legal(s) == ["use", "decline"]
    d = play(s, "use")
    assert d["pending"] == {"kind": "gain", "left": 3, "least": "red"}
    assert goods_of(play(s, "gain red", "gain red", "gain white"), 0) == ("RRW", 0, 0)
    assert settled(s)
    s = scroll_offer("copia")
    assert goods_of(play(s, "decline"), 0) == ("", 0, 0)
    assert settled(s)


@pytest.mark.holds("wie_verhext", 75, 77)
def test_optio_brews_any_one_top_card_for_its_exact_drops_without_a_vial():
    s = scroll_offer("optio", "RGWW", gone={"copper": 2, "silver": 4})
    assert legal(s) == ["decline", "brew copper", "brew iron"]
    d = play(s, "brew copper")
    assert goods_of(d, 0) == ("GW", 0, 0)
    assert d["cards"][0] == [{"pile": "copper", "points": 3, "raven": False}]
    assert settled(s)
    s = scroll_offer("optio", "G")
    assert legal(s) == ["decline", "brew silver"]
    d = play(s, "decline")
    assert (goods_of(d, 0), d["cards"][0]) == (("G", 0, 0), [])
    assert settled(s)


def test_optio_is_not_asked_without_the_drops_and_offers_no_empty_pile():
    assert settled(scroll_offer("optio", "", 9))
    assert settled(scroll_offer("optio", "R", gone={"iron": 2}))
    s = scroll_offer("optio", "RGW", gone={"iron": 7, "copper": 7})
    assert legal(s) == ["decline", "brew silver"]
    assert settled(scroll_offer("optio", "RRRGGGWWW", gone={"iron": 7, "copper": 7, "silver": 7}))


@pytest.mark.holds("wie_verhext", 78)
@pytest.mark.parametrize(("scroll", "colour"), [("herba", "G"), ("lupus", "R"), ("serpens", "W")])
def test_herba_lupus_and_serpens_turn_one_drop_of_their_colour_into_two_vials(scroll, colour):
    s = scroll_offer(scroll, 2 * colour)
    assert legal(s) == ["use", "decline"]
    assert goods_of(play(s, "use"), 0) == (colour, 0, 2)
    assert settled(s)
    s = scroll_offer(scroll, colour)
    assert goods_of(play(s, "decline"), 0) == (colour, 0, 0)
    assert settled(s)
    assert settled(scroll_offer(scroll, "RGW".replace(colour, ""), 9))


@pytest.mark.holds("wie_verhext", 75, 79)
@pytest.mark.parametrize(("scroll", "pile"), BLENDS)
def test_magus_strix_and_sanatio_brew_for_the_number_of_drops_in_any_colours_without_a_vial(scroll, pile):
    for gone, number in enumerate([1, 1, 2, 2, 3, 4, 5]):
        s = scroll_offer(scroll, "RGGWWW", 9, gone={pile: gone})
        assert legal(s) == ["decline", "brew"]
        d = play(s, "brew")
        assert (d["phase"], d["pending"]) == ("pay", {"kind": "pay", "left": number, "least": "red"})
        for left in range(number, 0, -1):
            assert d["cards"][0] == []  # the card comes with the last drop
            assert d["pending"]["left"] == left
            d = play(s, legal(s)[0])
        assert len(d["cards"][0]) == 1
        assert goods_of(d, 0) == ("RGGWWW"[number:], 9, 0)
        assert len(d["piles"][pile]) == 6 - gone
        assert settled(s)


@pytest.mark.parametrize(("scroll", "pile"), BLENDS)
def test_magus_strix_and_sanatio_may_be_declined_and_need_the_number_and_a_card(scroll, pile):
    s = scroll_offer(scroll, "RGW")
    assert goods_of(play(s, "decline"), 0) == ("RGW", 0, 0)
    assert settled(s)
    assert settled(scroll_offer(scroll, "RG", 9, gone={pile: 4}))
    assert settled(scroll_offer(scroll, "RRRGGGWWW", 9, gone={pile: 7}))


def test_magus_pays_a_card_of_two_white_and_two_red_with_any_four_drops():
    s = scroll_offer("magus", "RGGGW", gone={"copper": 5})
    play(s, "brew")
    assert legal(s) == ["pay red", "pay green"]
    d = play(s, "pay green", "pay green", "pay green")
    assert legal(s) == ["pay white"]
    d = play(s, "pay white")
    assert goods_of(d, 0) == ("R", 0, 0)
    assert d["cards"][0] == [{"pile": "copper", "points": 5, "raven": False}]


def test_a_warlock_dethroned_leaves_the_scroll_to_the_last_claimant():
    s = position("warlock, witch", "warlock", "", scroll="copia")
    d = play(s, "lead warlock", "claim")
    assert (d["phase"], d["current_player"]) == ("act", 1)
    d = play(s, "use", "gain red", "gain green", "gain white")
    assert d["drops"][1] == drops("RGW")
