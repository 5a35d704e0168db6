"""Java that hangs, eats memory or remembers gets a clear verdict, and its neighbours theirs."""

import pytest

from react_agent.model.translation import SourceFile
from react_agent.steady import UNSTEADY
from tests.react_agent.chain import changed, java_of, layer, proven

pytestmark = [
    pytest.mark.dotnet,
    pytest.mark.jvm,
    pytest.mark.timeout(240),
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.usefixtures("warm"),
]

STANDING = 'return Math.toIntExact(mongo.count(query(where("sort").is(sort).and("felled").is(false)), Tree.class));'
NICKNAME = 'return mongo.exists(query(where("nickname").is(nickname)), Tree.class);'
BEGUN = 'begun |= !mongo.exists(query(where("sort").exists(true)), Tree.class);'
HEIGHT = 'match(where("height").gte(least)),'
CLASS = "public class OrchardQueries {"
OTHERS = {"CratesOfAsync", "TallAsync", "DearPickingsAsync", "HasNicknameAsync"}


@pytest.fixture(scope="module")
def orchard() -> tuple[SourceFile, ...]:
    return layer("orchard")


@pytest.mark.slow
async def test_a_loop_without_an_end_is_named_alone(orchard):
    edits = {STANDING: "while (mongo != null) { sort = null; } " + STANDING}
    found = await proven(orchard, changed(java_of(orchard), edits), sandbox_execution_timeout=20)
    assert found["StandingAsync"]["verdict"] == "harness_error"
    assert "target: run" in found["StandingAsync"]["reason"]
    assert {found[name]["verdict"] for name in OTHERS} == {"equivalent_on_suite"}


@pytest.mark.slow
async def test_a_memory_without_an_end_is_named_alone(orchard):
    eat = "var all = new java.util.ArrayList<byte[]>(); while (all.size() < 10_000) { all.add(new byte[1 << 20]); } "
    found = await proven(orchard, changed(java_of(orchard), {STANDING: eat + STANDING}), sandbox_execution_timeout=60)
    assert found["StandingAsync"]["verdict"] == "harness_error"
    assert "target" in found["StandingAsync"]["reason"]
    assert {found[name]["verdict"] for name in OTHERS} == {"equivalent_on_suite"}


async def test_an_answer_that_depends_on_earlier_calls_or_on_the_clock_is_not_equivalent(orchard):
    static = "static boolean begun; static int asked;"
    until = 'new org.bson.Document("$lt", java.util.List.of("$$" + "NOW", new java.util.Date(4102444800000L)))'
    bomb = f"match(org.springframework.data.mongodb.core.query.Criteria.expr(() -> {until})),"
    edits = {
        HEIGHT: f"{HEIGHT} {bomb}",
        CLASS: f"{CLASS} {static}",
        # The suite begins with no rows at all; from its other end, it does not.
        STANDING: f"{BEGUN} if (!begun) {{ return -1; }} {STANDING}",
        NICKNAME: f"if (asked++ > 1) {{ return false; }} {NICKNAME}",
    }
    found = await proven(orchard, changed(java_of(orchard), edits))
    assert found["StandingAsync"]["verdict"] == found["HasNicknameAsync"]["verdict"] == "different"
    assert found["StandingAsync"]["reason"].endswith(UNSTEADY)
    assert found["TallAsync"]["verdict"] == "undetermined"
    assert found["TallAsync"]["reason"].startswith("$$NOW gives another result at another time")
    assert found["CratesOfAsync"]["verdict"] == "equivalent_on_suite"
