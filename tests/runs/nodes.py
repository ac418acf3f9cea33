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
    here: list[Rows] = []
    there: list[Rows] = []
    ThreadRunner(experiment, table, agents).play(here.append)

    def take(rows: Rows) -> None:
        there.append(rows)
        if len(there) == 5:
            cluster.remove_node(lost, allow_graceful=False)
        elif len(there) == 20:
            cluster.add_node(num_cpus=1)

    runner_for(experiment, table, agents, workers=f"ray:{cluster.address}").play(take)
    assert [one.shard for one in there] == [one.shard for one in here]
    for one, other in zip(there, here, strict=True):
        assert one.games() == other.games()
        assert one.seats() == other.seats()
    print("the same rows")
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
