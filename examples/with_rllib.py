"""Ray RLlib: PPO by self-play with masks, one network for all seats, on RLlib's new API stack.

    pip install 'coven-rl[ray]'
    python examples/with_rllib.py --game alchemists --players 3 --iterations 20

Observations are `{"observations", "action_mask"}`; `MaskedPPOModule` is RLlib's default network with masked logits.
"""

from __future__ import annotations

from dataclasses import dataclass

import ray
import tyro
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from coven.envs.rllib import CovenMultiAgentEnv, MaskedPPOModule


@dataclass
class Args:
    """The options of the command line."""

    game: str = "alchemists"
    players: int = 3
    iterations: int = 20
    runners: int = 0
    """Processes that play games, in addition to the one that learns."""
    envs: int = 8
    """Games at once in each of them."""
    batch: int = 4096
    """Decisions between two updates."""
    minibatch: int = 256
    epochs: int = 4
    hidden: int = 128
    cpus: int = 2
    """Cores of this machine that Ray may use."""


def main(args: Args) -> int:
    """Train; the number of decisions."""
    ray.init(num_cpus=args.cpus, include_dashboard=False, ignore_reinit_error=True)
    network = RLModuleSpec(module_class=MaskedPPOModule, model_config={"fcnet_hiddens": [args.hidden, args.hidden]})
    config = (
        PPOConfig()
        .environment(CovenMultiAgentEnv, env_config={"game": args.game, "num_players": args.players})
        .env_runners(num_env_runners=args.runners, num_envs_per_env_runner=args.envs)
        .training(
            gamma=1.0,
            train_batch_size_per_learner=args.batch,
            minibatch_size=args.minibatch,
            num_epochs=args.epochs,
        )
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **_: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": network}))
    )
    algorithm, steps = config.build_algo(), 0
    for iteration in range(args.iterations):
        result = algorithm.train()
        steps = int(result["env_runners"]["num_env_steps_sampled_lifetime"])
        length = result["env_runners"].get("episode_len_mean", float("nan"))
        print(f"iteration {iteration}: {steps:,} decisions, {length:.0f} in a game")
    algorithm.stop()
    ray.shutdown()
    return steps


if __name__ == "__main__":
    main(tyro.cli(Args))
