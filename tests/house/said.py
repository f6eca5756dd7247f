"""The texts that the program says, as they stand in its code: what the window shows, messages, errors, help.

A text is what is put together in one expression: literals side by side or with + between them. Whatever else stands between
them is one word, and of alternatives (c ? a : b) the one with the most words counts.
"""
import re

import prose

RAW = r'R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"'
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|^\s*#[^\n]*|' + RAW + r'|"(?P<text>(?:\\.|[^"\\\n])*)"|' r"'(?:\\.|[^'\\\n])+'|\w+|::|\s+|.", re.S | re.M)
SHOWN = {"string", "string_view"}  # what is in their parentheses stays a part of the text
ASSEMBLY = "volatile"  # before parentheses: asm volatile(...) says nothing
OPEN, CLOSED = "([{", ")]}"
ESCAPES = {"n": "\n", "t": " ", '"': '"', "\\": "\\", "'": "'"}
WORD = "Something"  # for what is no literal


def tokens(code):
    """Each as (kind, text, line), without comments, includes and blanks."""
    line = 1
    for found in TOKEN.finditer(code):
        text, at = found[0], line
        line += text.count("\n")
        if found["raw"] is not None:
            yield "literal", found["raw"], at
        elif found["text"] is not None:
            yield "literal", re.sub(r"\\(.)", lambda escape: ESCAPES.get(escape[1], ""), found["text"]), at
        elif not text.isspace() and not text.startswith(("//", "/*")) and not text.lstrip().startswith("#"):
            yield "name" if text[0].isalnum() or text[0] == "_" else "sign", text, at


class Expression:
    """What stands between two commas or semicolons: alternatives, each a text and the line where that begins."""

    def __init__(self):
        self.alternatives, self.text, self.line, self.operand = [], "", None, False

    def add(self, text, line):
        if self.line is None and text.strip():
            self.line = line
        self.text += text

    def other(self):
        """Something that is no literal, and one word however long it is."""
        if not self.operand and self.text:
            self.text += WORD
        self.operand = True

    def split(self, condition):
        """Before ? what was said is compared, not shown."""
        if not condition:
            self.alternatives.append((self.text, self.line))
        self.text, self.line, self.operand = "", None, False

    def longest(self):
        self.split(False)
        return max(self.alternatives, key=lambda each: len(prose.words_of(each[0])))


def read(stream, found):
    """Up to what closes: the longest of its last expression; those before it go to `found`."""
    here, before, name = Expression(), None, ""
    for kind, text, line in stream:
        if kind == "literal":
            here.add(text, line)
            here.operand = False
        elif text in OPEN:
            inner = read(stream, found if name != ASSEMBLY else [])
            if text == "(" and (before != "name" or name in SHOWN):
                here.add(*inner)
                here.operand = False
            else:
                if name != ASSEMBLY:
                    found.append(inner)
                here.other()
        elif text in CLOSED:
            return here.longest()
        elif text in ",;":
            found.append(here.longest())
            here = Expression()
        elif text in "?:":
            here.split(text == "?")
        elif text == "+":
            here.operand = False
        else:
            here.other()
        name = text if kind == "name" else ""
        before = "name" if kind == "name" or text in ")]" else kind
    return here.longest()


def texts(code):
    """Every text of a file with the line where it begins."""
    found = []
    found.append(read(tokens(code), found))
    return [(text, line) for text, line in found if text.strip()]


def sentences(code):
    """Every sentence of four words and more: its number of words, itself, the line of its text. A line ends one, as a full stop
    does, where the next is blank or set further in, as rows of a table are."""
    return [(len(words), sentence, line) for text, line in texts(code) for part in re.split(r"\n(?=\s)", text) for sentence in prose.sentences(part)
            if len(words := prose.words_of(sentence)) > 3]
