"""Settings: keyword arguments, TOML, the command line's names."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any, get_args

import numpy
import pytest

import nearprint as nr
from nearprint.settings import Preset

from conftest import TEXTS, command_line

PRESETS: tuple[Preset, ...] = get_args(Preset)


@pytest.mark.parametrize(
    "settings",
    [
        *({"preset": preset} for preset in PRESETS),
        {"min_similarity": 0.9, "recall": 0.99},
        {
            "bits": 64,
            "features": "words",
            "stop_words": ["zh", "en"],
            "weight_cap": "none",
            "max_distance": 7,
        },
        {
            "text_field": ["title", "body"],
            "keep": "newest:date",
            "memory": "2G",
            "threads": 3,
            "features": "words",
            "hmm": False,
        },
    ],
    ids=str,
)
def test_settings_round_trip_through_toml(settings: dict[str, Any], tmp_path: Path) -> None:
    config = nr.Config(**settings)
    toml = config.to_toml()
    again = nr.Config.from_toml(toml)
    assert again == config and again.to_toml() == toml
    assert pickle.loads(pickle.dumps(config)) == config
    (tmp_path / "settings.toml").write_text(toml, encoding="utf-8")
    assert (
        nr.Config.load(tmp_path / "settings.toml")
        == nr.Config(tmp_path / "settings.toml")
        == config
    )
    assert nr.Config(config) == config
    if "title" not in settings.get("text_field", []):
        command_line("fingerprint", "--config", tmp_path / "settings.toml", "--help")


def test_presets_are_those_of_the_command_line() -> None:
    for preset in PRESETS:
        assert command_line("presets", preset) == nr.Config(preset=preset).to_toml()


def test_every_flag_about_settings_is_a_keyword() -> None:
    config = nr.Config()
    help = command_line("dedup", "--help")
    flags = set(re.findall(r"--([a-z-]+)", help))
    own = {
        "output",
        "force",
        "pairs",
        "annotate",
        "dry-run",
        "check",
        "report",
        "source-field",
        "show-field",
        "show-text",
        "resume",
        "quiet",
        "config",
        "help",
        "against",
        "version",
        "lines",
    }
    names = {flag.replace("-", "_") for flag in flags - own}
    assert len(names) > 25
    for name in names:
        getattr(config, name)
    assert names <= set(dir(config))


def test_settings_about_words_want_words() -> None:
    with pytest.raises(
        nr.UsageError,
        match='ngram: applies to words only, and features are letters; set features="words", or',
    ) as caught:
        nr.Config(ngram=2)
    assert caught.value.setting == "ngram"
    assert (
        nr.Config(features="words", ngram=2).ngram == 2
        and nr.Config(preset="paper", ngram=2).features == "words"
    )
    assert nr.Config().ngram is None and "ngram" not in nr.Config().to_toml()
    # Functions about words have words as default features.
    assert nr.segment("The ferry", min_token_length=4) == ["ferry"]
    assert "ngram=2" in nr.Stats.build(["one two three"], ngram=2).description


def test_messages_speak_of_keyword_arguments() -> None:
    with pytest.raises(
        nr.UsageError, match="recall: it chooses max_distance= and complete_distance=; leave"
    ) as caught:
        nr.dedup(TEXTS, recall=0.9, max_distance="off")
    assert caught.value.setting == "recall"
    with pytest.raises(nr.RejectedError, match='leave such rows out with on_error="skip"$'):
        nr.dedup([{"text": "one"}, {"text": None}])


def test_values_are_attributes_and_can_be_replaced() -> None:
    config = nr.Config(preset="google", min_features=20)
    assert (config.bits, config.max_distance, config.min_features, config.stats) == (
        64,
        3,
        20,
        None,
    )
    assert config.replace(bits=128).max_distance == 6
    assert config.replace(bits=128) != config
    assert repr(config) == 'Config(preset="google", min_features=20)'
    with pytest.raises(AttributeError):
        config.no_such_setting


def test_single_settings_win_over_a_config(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("preset = 'exact'\n", encoding="utf-8")
    assert nr.dedup(TEXTS, config=path).summary["settings"]["preset"] == "exact"
    result = nr.dedup(TEXTS, config=nr.Config(preset="exact"), min_similarity=0.5)
    assert (result.summary["settings"]["preset"], result.summary["settings"]["min-similarity"]) == (
        "exact",
        0.5,
    )
    with pytest.raises(nr.UsageError, match="settings.toml"):
        path.write_text("bits = 'many'", encoding="utf-8")
        nr.Config.load(path)
    with pytest.raises(nr.UsageError, match="absent.toml"):
        nr.Config.load(tmp_path / "absent.toml")


def test_numbers_of_other_libraries_and_none_are_taken() -> None:
    assert nr.Config(
        bits=numpy.int64(64),  # type: ignore[arg-type]
        min_similarity=numpy.float64(0.5),
        max_distance=None,
    ) == nr.Config(bits=64, min_similarity=0.5)


def test_excluded_files_are_patterns_in_a_list_or_in_one_text() -> None:
    config = nr.Config(exclude=["meta.json", "cache/**"])
    assert (config.exclude, nr.Config(exclude="*.json").exclude, nr.Config().exclude) == (
        ["meta.json", "cache/**"],
        ["*.json"],
        None,
    )
    with pytest.raises(nr.UsageError, match='exclude: "a\\[" is not a glob'):
        nr.dedup(TEXTS, exclude="a[")
