"""The ids under which PettingZoo and Gymnasium find our games; `import coven` registers them."""

from __future__ import annotations

import gymnasium
import pettingzoo

from coven.games import names


def gym_id(name: str) -> str:
    """`coven/BlackMagicFriday-v0` for `black_magic_friday`."""
    return f"coven/{''.join(word.capitalize() for word in name.split('_'))}-v0"


def aec_id(name: str) -> str:
    """`coven/black_magic_friday-v0` for `black_magic_friday`."""
    return f"coven/{name}-v0"


def register() -> None:
    """Register every game with both."""
    for name in names():
        if gym_id(name) not in gymnasium.registry:
            gymnasium.register(
                gym_id(name),
                entry_point="coven:make_gym",
                vector_entry_point="coven:make_gym_vec",
                kwargs={"name": name},
            )
        if aec_id(name) not in pettingzoo.aec_registry:
            pettingzoo.register("aec", aec_id(name), entry_point=f"coven.envs.{name}_v0:env")
