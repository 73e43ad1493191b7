"""What users read beside controls."""

import pytest

from kinetune.studio.protocol.panels import panels

KNOBS = [(panel["op"], knob) for panel in panels() for knob in panel["knobs"]]


@pytest.mark.parametrize(("op", "knob"), KNOBS, ids=[f"{op}.{knob['name']}" for op, knob in KNOBS])
def test_labels_are_words_that_begin_with_a_capital(op, knob):
    texts = [knob["label"], *(knob["labels"] or ())]
    assert not [text for text in texts if "_" in text or text[:1].islower()]
