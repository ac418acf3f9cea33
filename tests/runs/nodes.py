"""Plays a run on a cluster of two machines, which are processes here: one is lost, a third comes.

Says whether the rows are those of threads. A program of ``test_cluster.py``.
"""

from __future__ import annotations

import ray
from ray.cluster_utils import Cluster

from kibitz.core.agent import make_agents
from kibitz.core.registry import load
from kibitz.runs import Experiment, Rows, ThreadRunner, runner_for


def main() -> None:
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    lost = cluster.add_node(num_cpus=1)
    table, agents = load("agram").table(3), make_agents(["pimc:iterations=100"], 3)
    experiment = Experiment.of(table, agents, 640, seed=4)
    local: list[Rows] = []
    remote: list[Rows] = []
    ThreadRunner(experiment, table, agents).play(local.append)

    def take(rows: Rows) -> None:
        remote.append(rows)
        if len(remote) == 5:
            cluster.remove_node(lost, allow_graceful=False)
        elif len(remote) == 20:
            cluster.add_node(num_cpus=1)

    runner_for(experiment, table, agents, workers=f"ray:{cluster.address}").play(take)
    assert [shard.shard for shard in remote] == [shard.shard for shard in local]
    for shard, other in zip(remote, local, strict=True):
        assert shard.games() == other.games()
        assert shard.seats() == other.seats()
    print("the same rows")
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
