"""The ids of our games in Gymnasium and PettingZoo; they are registered when both sides are imported."""

from __future__ import annotations

from coven.games import all_games
from coven.games.core.game import Game


def gym_id(game: Game) -> str:
    """The Gymnasium id of a game: `coven/BlackMagicFriday-v0` for `black_magic_friday`."""
    return f"coven/{''.join(word.capitalize() for word in game.name.split('_'))}-v{game.version}"


def aec_id(game: Game) -> str:
    """The PettingZoo id of a game: `coven/black_magic_friday-v0` for `black_magic_friday`."""
    return f"coven/{game.name}-v{game.version}"


def register(where: str) -> None:
    """Register every game with `gymnasium` or `pettingzoo`."""
    if where == "gymnasium":
        import gymnasium

        for game in all_games():
            if gym_id(game) not in gymnasium.registry:
                gymnasium.register(
                    gym_id(game),
                    entry_point="coven:make_gym",
                    vector_entry_point="coven:make_gym_vec",
                    kwargs={"name": game.name},
                )
        return
    import pettingzoo

    if not hasattr(pettingzoo, "register"):
        return  # before 1.27 it kept no ids
    for game in all_games():
        if aec_id(game) not in pettingzoo.aec_registry:
            pettingzoo.register("aec", aec_id(game), entry_point=f"coven.envs.{game.id}:env")
