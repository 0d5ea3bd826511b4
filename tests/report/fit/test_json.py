"""Reports for programs: exact, in whole units, keys always there."""

import json

from msgspec import structs

from gpuspec.report.fit import fit_json
from gpuspec.report.fleet import fleet_json
from tests.report.fit import fleets


def test_numbers_are_in_whole_units() -> None:
    made = json.loads(fit_json(fleets.mixed()))
    assert made["before"]["gpus_allocated"] == 5.5
    assert made["after"]["gpus_stranded_by"] == {"cpu": 6, "nvidia.com/mig-1g.5gb": 0.125}
    chat = made["workloads"][0]
    assert chat["requests_per_pod"] == {"cpu": 16, "memory": 128 * 2**30, "nvidia.com/gpu": 4}
    assert (chat["placed_min"], chat["placed"], chat["placed_max"]) == (6, 7, 7)
    assert chat["advice"][0]["line"] == 21


def test_workloads_all_have_the_same_keys() -> None:
    made = json.loads(fit_json(fleets.mixed()))
    assert len({tuple(one) for one in made["workloads"]}) == 1
    assert made["fits"] is False
    assert json.loads(fit_json(fleets.good()))["fits"] is True


def test_gpus_add_up_to_themselves() -> None:
    made = json.loads(fit_json(fleets.mixed()))
    for node in made["nodes_before"] + made["nodes_after"]:
        for gpu in node["gpus"]:
            assert sum(part["gpus"] for part in gpu["parts"]) == 1


def test_it_is_written_as_other_reports_are() -> None:
    text = fit_json(fleets.mixed())
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
    assert fleet_json(fleets.fleet()).startswith('{\n  "fleet": "eu",\n')


def test_a_name_that_is_no_utf_8_is_escaped() -> None:
    text = fit_json(structs.replace(fleets.good(), fleet="eu\udcff"))
    assert "eu\\udcff" in text
    text.encode()
