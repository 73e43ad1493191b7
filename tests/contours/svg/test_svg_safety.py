"""Hostile and broken files: a right answer or one sentence, in bounded time and memory, and nothing fetched."""

import socket

import numpy as np
import pytest

import kinetune as kt
from kinetune.contours.svg import xml_tree as svg_xml
from kinetune.contours.svg.reader import parse_drawing
from kinetune.errors import FileError, MalformedFileError

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">'
SQUARE = '<rect width="5" height="5"/>'


def svg(body):
    return parse_drawing(f"{HEAD}{body}</svg>", "it.svg")


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    def refuse(*arguments, **options):
        raise AssertionError("something tried to open a connection")

    monkeypatch.setattr(socket, "socket", refuse)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is empty"),
        ("   ", "it is empty"),
        ("hello", "not XML"),
        (HEAD, "not XML"),
        ("\x00\x01\x02", "not XML"),
        ("<html></html>", "outermost element is html"),
        (f"{HEAD}</svg>", "nothing to draw"),
        (f'{HEAD}<path d="M5 5z"/></svg>', "single point"),
        (f'{HEAD}<path d="M5 5L5 5 5 5z"/></svg>', "single point"),
        (f'{HEAD}<path d="M0 0L5 5"/></svg>', "nothing to draw"),
        (f'{HEAD}<path d=""/></svg>', "nothing to draw"),
        (f'{HEAD}<rect width="-5" height="5"/></svg>', "nothing to draw"),
        (f'{HEAD}<rect width="1e308" height="1e308"/></svg>', "far off the canvas"),
        (f"{HEAD}<text>hi</text></svg>", "text is not drawn"),
        (f'{HEAD}<path d="&undefined;"/></svg>', "not XML"),
    ],
)
def test_what_holds_no_drawing_says_so(text, words):
    with pytest.raises(MalformedFileError, match=words) as caught:
        parse_drawing(text, "it.svg")
    assert str(caught.value).startswith("it.svg")


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (b"\x1f\x8b\x08", "compressed"),
        (b"PK\x03\x04\x14", r"\.lottie"),
        (b"GIF89a\x10", "GIF .* as PNG"),
        (b"RIFF\x10\x00\x00\x00WEBP", "WebP .* as PNG"),
        (b"\x89PNG\r\n", r"extension \.png"),
        (b"\xff\xd8\xff\xe0", r"extension \.jpg"),
        (b"%PDF-1.7", "PDF document. Export it as SVG"),
        (b"%!PS-Adobe", "PostScript"),
    ],
)
def test_a_file_of_another_kind_is_named(tmp_path, start, message):
    file = tmp_path / "drawing.svg"
    file.write_bytes(start + bytes(30))
    with pytest.raises(MalformedFileError, match=message):
        kt.read_drawing(file)


def test_nan_ends_a_path():
    drawing = svg('<path d="M0 0h5v5z M9 9 L NaN 5"/>')
    assert len(drawing.layers[0].contours) == 1
    assert any("NaN" in note or "groups" in note for note in drawing.notes)


@pytest.mark.parametrize(
    "declared",
    [
        f'<!ENTITY a "{"x" * 600}"><!ENTITY b "{"&a;" * 8}">',
        '<!ENTITY a "&b;"><!ENTITY b "&a;">',
        f'<!ENTITY a "{"x" * 5000}">',
        "".join(f'<!ENTITY a{number} "a">' for number in range(300)),
        '<!ENTITY x SYSTEM "file:///etc/passwd">',
        '<!ENTITY % x SYSTEM "http://example.invalid/x.dtd"> %x;',
    ],
)
def test_entities_are_refused_where_they_are_declared(declared):
    with pytest.raises(MalformedFileError, match="entit"):
        parse_drawing(f"<!DOCTYPE svg [{declared}]>{HEAD}{SQUARE}</svg>")


def test_references_that_would_fill_the_memory_are_refused():
    many = "&a;" * 60_000
    with pytest.raises(MalformedFileError, match="entit"):
        parse_drawing(f'<!DOCTYPE svg [<!ENTITY a "{"x" * 2000}">]>{HEAD}<path d="{many}"/></svg>')


def test_entities_that_a_file_declares_itself_are_read():
    kind = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" ['
    kind += '<!ENTITY ns_svg "http://www.w3.org/2000/svg"><!ENTITY side "5"><!ENTITY both "&side;,&side;">]>'
    body = '<svg xmlns="&ns_svg;" viewBox="0 0 9 9"><path d="M0,0 &both; 0,&side;z"/></svg>'
    (layer,) = parse_drawing(kind + body).layers
    assert layer.contours[0].points.tolist() == [[0, 0], [5, 5], [0, 5]]


def test_a_document_type_without_entities_is_fine_and_not_fetched():
    kind = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'
    assert parse_drawing(f"{kind}{HEAD}{SQUARE}</svg>").layers


def test_scripts_and_what_lies_elsewhere_are_left_out():
    drawing = svg(
        f'<script>while(true){{}}</script><image href="http://x/y.png"/><use href="http://x/y.svg#a"/>{SQUARE}'
    )
    assert len(drawing.layers) == 1
    assert {"scripts are ignored", "what lies in other files is not fetched"} <= set(drawing.notes)


def test_use_of_itself_ends():
    assert len(svg(f'<g id="a"><use href="#a"/>{SQUARE}</g>').layers) == 1
    assert len(svg(f'<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/>{SQUARE}</g>').layers) == 2


@pytest.mark.slow
def test_use_cannot_multiply_without_end():
    groups = "".join(f'<g id="a{k + 1}">' + f'<use href="#a{k}"/>' * 10 + "</g>" for k in range(9))
    with pytest.raises(MalformedFileError, match="repeats elements"):
        svg(f'<defs><g id="a0">{SQUARE}</g>{groups}</defs><use href="#a9"/>')


def test_depth_and_number_of_elements_are_bounded(monkeypatch):
    with pytest.raises(MalformedFileError, match="deep"):
        svg("<g>" * 300 + "</g>" * 300)
    monkeypatch.setattr(svg_xml, "MOST_ELEMENTS", 50)
    with pytest.raises(MalformedFileError, match="more than 50 elements"):
        svg(SQUARE * 60)


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    file = tmp_path / "large.svg"
    file.write_text(f"{HEAD}{SQUARE}</svg>" + " " * 5000)
    monkeypatch.setattr(svg_xml, "MOST_BYTES", 1000)
    with pytest.raises(FileError, match="a drawing of up to 1000 bytes is read"):
        kt.read_drawing(file)


def test_files_that_are_not_there_or_not_files(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        kt.read_drawing(tmp_path / "none.svg")
    with pytest.raises(FileError, match="folder"):
        kt.read_drawing(tmp_path)
    packed = tmp_path / "packed.svgz"
    packed.write_bytes(b"\x1f\x8b\x08rest")
    with pytest.raises(FileError, match="compressed"):
        kt.read_drawing(packed)


@pytest.mark.slow
def test_a_path_of_many_points_is_read():
    count = 200_000
    angle = 2 * np.pi * np.arange(count) / count
    data = " ".join(f"{50 + 40 * np.cos(a):.5f} {50 + 40 * np.sin(a):.5f}" for a in angle)
    drawing = svg(f'<path d="M{data}z"/>')
    contour = drawing.layers[0].contours[0]
    assert len(contour) == count
    assert contour.area == pytest.approx(np.pi * 1600, rel=1e-4)


def test_a_scribble_is_kept_and_said():
    points = np.random.default_rng(0).uniform(0, 100, (3000, 2))
    drawing = svg(f'<path d="M{" ".join(f"{x:.3f} {y:.3f}" for x, y in points)}z"/>')
    assert len(drawing.layers[0].contours[0]) == 3000
    assert any("untangled" in note for note in drawing.notes)


def test_a_path_of_too_many_curves_is_refused(monkeypatch):
    monkeypatch.setattr("kinetune.contours.svg.reader.MOST_CURVES", 100)
    with pytest.raises(MalformedFileError, match="more than 100 lines"):
        svg(f'<path d="M0 0{"h1v1" * 60}z"/>')
