"""A game as a video: an animated GIF or WebP of what a seat sees, from the pixels that an env renders.

    python examples/video.py --game witchstone --bots ismcts:200 greedy --out runs/witchstone.webp

Needs: pip install 'coven-rl[pictures]'. `coven watch FILE --gif OUT` does the same for recorded games.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import tyro
from PIL import Image

import coven
from coven.games.core.rng import as_seed


@dataclass
class Args:
    """The options of the command line."""

    game: str = "alchemists"
    bots: tuple[str, ...] = ("greedy", "random")
    """The agents, one for each seat."""
    viewer: int | None = 0
    """The pictures show only what this seat may know; None shows everything."""
    out: Path = Path("runs") / "game.gif"
    width: int = 800
    seconds: float = 0.5
    """How long a picture is shown."""
    most: int = 500
    """The largest number of pictures."""
    seed: int = 0


def main(args: Args) -> Path:
    """Play a game, a picture after every move."""
    players = len(args.bots)
    bots = [coven.bot(spec, args.game, players) for spec in args.bots]
    env = coven.make(args.game, players, render_mode="rgb_array", viewer=args.viewer)
    env.reset(seed=args.seed)
    frames = [frame(env.render(), args.width)]
    for move, agent in enumerate(env.agent_iter()):
        _, _, terminated, truncated, _ = env.last(observe=False)
        if terminated or truncated or len(frames) == args.most:
            break
        bot = bots[env.possible_agents.index(agent)]
        env.step(bot.choose(env.running.s, seed=int(as_seed(args.seed)) + move))
        frames.append(frame(env.render(), args.width))
    env.close()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    stand = [int(1000 * args.seconds)] * (len(frames) - 1) + [3000]  # time to read the result
    frames[0].save(args.out, save_all=True, append_images=frames[1:], duration=stand, loop=0)
    print(f"{len(frames)} pictures: {args.out}")
    return args.out


def frame(pixels: object, width: int) -> Image.Image:
    """A picture of that width."""
    picture = Image.fromarray(pixels)
    return picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    main(tyro.cli(Args))
