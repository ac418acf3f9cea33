"""PPO in TorchRL against the one-step look-ahead, in Agram.

``python examples/torchrl_ppo.py --steps 100000`` prints after every thousand decisions how many of
the games that ended were won. It needs ``pip install torchrl "kibitz[gymnasium]"``.
"""

import argparse

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import Binary
from torchrl.envs import ActionMask, Compose, DTypeCastTransform, GymWrapper, TransformedEnv
from torchrl.envs.libs.gym import default_info_dict_reader
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from kibitz.rl.gymnasium import KibitzEnv


def table() -> TransformedEnv:
    """Our seat at a table, as TorchRL knows environments; illegal actions are masked."""
    env = GymWrapper(
        KibitzEnv("agram", players=2, agents="osla"), categorical_action_encoding=True
    )
    masks = {"action_mask": Binary(env.action_spec.n, dtype=torch.int8)}
    env.set_info_dict_reader(default_info_dict_reader(["action_mask"], spec=masks))
    as_bool = DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"])
    return TransformedEnv(env, Compose(as_bool, ActionMask()))


def main(steps: int) -> None:
    """Trains for so many decisions."""
    env = table()
    size, actions = env.observation_spec["observation"].shape[-1], env.action_spec.n
    policy = ProbabilisticActor(
        TensorDictModule(
            nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, actions)),
            ["observation"],
            ["logits"],
        ),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = ValueOperator(nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, 1)))
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(policy, critic, normalize_advantage=True)
    optimiser = torch.optim.Adam(loss.parameters(), 1e-3)
    for data in Collector(table, policy, frames_per_batch=1000, total_frames=steps):
        for _ in range(4):
            advantage(data)
            losses = loss(data)
            optimiser.zero_grad()
            sum(value for name, value in losses.items() if name.startswith("loss_")).backward()
            optimiser.step()
        over = data["next", "done"]
        print(f"{(data['next', 'reward'][over] > 0).float().mean():.0%} of {over.sum()} games won")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100_000)
    main(parser.parse_args().steps)
