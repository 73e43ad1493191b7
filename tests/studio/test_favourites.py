"""Favourite clips are kept between two starts, and similar ones are found in an indexed folder."""

import json

import pytest

from kinetune.studio.documents.favourites import Favourites


def test_stars_are_kept_newest_first(tmp_path):
    file = tmp_path / "favourites.json"
    stars = Favourites(file)
    stars.mark("sample", "walk", True)
    stars.mark("path", "/clips/kick.bvh", True)
    stars.mark("sample", "walk", True)
    assert Favourites(file).lines == [{"sample": "walk"}, {"path": "/clips/kick.bvh"}]
    stars.mark("sample", "walk", False)
    assert Favourites(file).lines == [{"path": "/clips/kick.bvh"}]


@pytest.mark.parametrize("content", ["", "{", "3", '[{"sample": 3}, {"path": "a", "b": "c"}, 5]', '{"sample": "walk"}'])
def test_a_damaged_list_counts_as_empty(tmp_path, content):
    file = tmp_path / "favourites.json"
    file.write_text(content)
    assert Favourites(file).lines == []
    Favourites(file).mark("sample", "walk", True)
    assert json.loads(file.read_text()) == [{"sample": "walk"}]


def test_a_star_over_the_socket(tab):
    assert tab.ask("favourites")["favourites"] == []
    tab.ask("favourite", source={"sample": "wave"}, on=True)
    assert tab.ask("favourites")["favourites"] == [{"sample": "wave"}]
    assert tab.refused("favourite", source={"path": "/etc/passwd"}, on=True)["code"] == "refused"
    assert tab.refused("favourite", source={"drawing": "dog-1"}, on=True)["code"] == "refused"
    tab.ask("favourite", source={"sample": "wave"}, on=False)
    assert tab.ask("favourites")["favourites"] == []


def test_without_an_index_it_says_how_to_find_similar_clips(tab):
    assert "Index a folder" in tab.refused("similar", source={"sample": "walk"})["message"]
    assert tab.refused("similar")["where"] == "source"
