import subprocess
import sys

PROBE = """
import inspect, json, sys
if sys.argv[1] == "quick":
    from uom_acp.schema_loading import load_schema
    load_schema()
import pydantic, acp.schema
assert pydantic.BaseModel.model_config == {} and pydantic.ConfigDict.__name__ == "ConfigDict"

def bare(value):
    if isinstance(value, dict):
        return {k: bare(v) for k, v in value.items() if k != "description" or not isinstance(v, str)}
    return [bare(v) for v in value] if isinstance(value, list) else value

models = inspect.getmembers(acp.schema, lambda m: isinstance(m, type) and issubclass(m, pydantic.BaseModel))
print(json.dumps({n: bare(m.model_json_schema()) for n, m in models if m.__module__ == "acp.schema"}, sort_keys=True))
"""


def test_models_loaded_quickly_are_the_same_models() -> None:
    quick, whole = (subprocess.check_output([sys.executable, "-c", PROBE, how]) for how in ("quick", "whole"))
    assert len(whole) > 100_000
    assert quick == whole
