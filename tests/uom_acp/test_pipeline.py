from typing import Any

from uom_acp.pipeline import STEPS, Pipeline


def report(stage: str, side: str = "both", done: int = 0, total: int = 0, message: str = "") -> dict[str, Any]:
    return {"type": "progress", "stage": stage, "side": side, "done": done, "total": total, "message": message}


def statuses(pipeline: Pipeline) -> list[str]:
    return [entry.status for entry in pipeline.entries()]


def test_both_sides_stand_on_one_line() -> None:
    pipeline = Pipeline()
    pipeline.take(report("run", "source", 4, 9))
    pipeline.take(report("run", "target", 2, 9))
    assert pipeline.line() == "Running both sides: C# 4/9, Java 2/9"


def test_only_a_new_stage_a_new_word_and_an_end_are_news() -> None:
    pipeline = Pipeline()
    told = [report("run", "source", 1, 3), report("run", "target", 1, 3), report("run", "source", 3, 3)]
    assert [pipeline.take(each) for each in told] == [True, False, True]
    assert pipeline.take(report("translate", message="asking the model"))
    assert not pipeline.take(report("translate", message="asking the model"))


def test_an_open_ended_count_is_no_flood_of_ends() -> None:
    pipeline = Pipeline()
    assert [pipeline.take(report("shrink", done=n, total=n)) for n in range(1, 5)] == [True, False, False, False]


def test_steps_move_and_a_repair_opens_them_again() -> None:
    pipeline = Pipeline()
    pipeline.take(report("translate"))
    pipeline.take(report("compare"))
    assert statuses(pipeline) == ["completed"] * 3 + ["in_progress", "pending"]
    pipeline.take(report("translate"))
    assert statuses(pipeline) == ["in_progress"] + ["pending"] * 4
    assert pipeline.entries()[0].content.endswith("(repair 1)")
    assert pipeline.line().endswith("repair 1")
    pipeline.over = True
    assert statuses(pipeline) == ["completed"] * len(STEPS)


def test_an_unknown_stage_moves_no_step() -> None:
    pipeline = Pipeline()
    pipeline.take(report("compile"))
    pipeline.take(report("gardening", message="watering"))
    assert pipeline.line() == "Gardening: watering"
    assert statuses(pipeline)[1] == "in_progress"
