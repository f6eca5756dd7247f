"""Counts the words of sentences in pages for readers, in Markdown.

    prose.py [PAGE...]      each page's mean and its longest sentences; without pages, all of them

What is read from beginning to end counts: paragraphs, items of lists, quotations. Headings, blocks of code and
pictures do not. Items that end in no full stop are one sentence, together with what leads to their list. A cell of a
table counts on its own, and only towards the longest sentence: cells are seldom sentences, and their few words would make
a page's mean small.
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LONGEST = 35  # words of a sentence
MEAN = 17     # words, over a page

# None of these ends a sentence, whatever follows.
ABBREVIATIONS = {"e.g.", "i.e.", "cf.", "vs.", "approx.", "resp.", "incl.", "fig.", "al."}
# What ends one: a mark, with what closes behind it, before a space and a word that can begin a sentence, as cuDNN can.
END = re.compile(r"[.!?][\"'”’)\]]*(?=\s+[\"'“‘(\[]*([^\sa-z]|[a-z]+[A-Z0-9]))|[.!?][\"'”’)\]]*$")
ITEM = re.compile(r"^\s*([-*+]|\d+[.)])\s+")


def plain(text):
    """Text as it is read: a link is its words, code is one word, and emphasis has no marks."""
    text = re.sub(r"(`+)(.+?)\1", "Code", text)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[^>\s][^>]*>", "", text)
    return re.sub(r"\*\*|__|(?<![\w*])[*_](?=\S)|(?<=[^\s*])[*_](?![\w*])", "", text)


def sentences(text):
    """The sentences of one paragraph, item or cell. Colons, semicolons and decimal points end none."""
    text = " ".join(plain(text).split())
    found, begin = [], 0
    for end in END.finditer(text):
        words = text[begin:end.end()].split()
        if words and words[-1].strip("\"'“”()[]").lower() in ABBREVIATIONS and end.end() < len(text):
            continue
        found.append(text[begin:end.end()].strip())
        begin = end.end()
    return [sentence for sentence in [*found, text[begin:].strip()] if words_of(sentence)]


def words_of(sentence):
    """A word has a letter or a digit: dots and dashes between figures are none."""
    return [word for word in sentence.split() if any(letter.isalnum() for letter in word)]


def is_whole(text):
    """Whether it ends in a full stop, with what closes behind it."""
    return re.search(END.pattern.rpartition("|")[2], plain(text).strip()) is not None


def blocks(page):
    """Paragraphs and items on the one hand, cells on the other."""
    prose, cells, open_block, fence = [], [], [], None
    item = leads_on = False  # the open block is one; the one before it is no whole sentence, with no heading or table since

    def close():
        nonlocal leads_on
        if open_block:
            text = " ".join(open_block)
            prose.append(f"{prose.pop()} {text}" if item and leads_on else text)
            leads_on = not is_whole(text)
            open_block.clear()

    for line in page.splitlines():
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark:
            close()
            leads_on = False
            fence = mark[1] if fence is None else None if mark[1].startswith(fence) else fence
        elif fence:
            continue
        elif not line.strip():
            close()
        elif re.match(r"#{1,6} |<!--|\s*(---+|===+)\s*$", line):
            close()
            leads_on = False
        elif line.lstrip().startswith("|"):
            close()
            leads_on = False
            row = re.split(r"(?<!\\)\|", re.sub(r"(`+)(.+?)\1", "`code`", line.strip()))
            cells += [cell.strip() for cell in row if words_of(cell)]
        else:
            if ITEM.match(line):
                close()
            if not open_block:
                item = ITEM.match(line) is not None
            open_block.append(re.sub(r"^\s*>\s?", "", ITEM.sub("", line)).strip())
    close()
    return prose, cells


def counted(page):
    """The mean of the sentences that are read in a row, and every sentence with its number of words."""
    prose, cells = blocks(page)
    read, apart = ([(len(words_of(each)), each) for block in some for each in sentences(block)] for some in (prose, cells))
    mean = sum(words for words, _ in read) / len(read) if read else 0
    return mean, read + apart


def faults(name, page):
    mean, found = counted(page)
    wrong = [f"{name}: {words} words: {sentence}" for words, sentence in found if words > LONGEST]
    return wrong + ([f"{name}: {mean:.1f} words a sentence on average"] if mean > MEAN else [])


def pages():
    return sorted(os.path.relpath(path, ROOT) for path in [os.path.join(ROOT, "README.md"), *glob.glob(os.path.join(ROOT, "docs", "*.md"))])


def main():
    for name in sys.argv[1:] or pages():
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            page = file.read()
        mean, found = counted(page)
        print(f"{name}: {len(found)} sentences, {mean:.1f} words on average, {sum(words > LONGEST for words, _ in found)} too long")
        if sys.argv[1:]:
            for words, sentence in sorted(found, reverse=True):
                if words > LONGEST:
                    print(f"  {words}: {sentence}")


if __name__ == "__main__":
    main()
