"""Changes of a text that know nothing of what it says."""

from random import Random

from tests.fuzz import nasty


def mutate(data: bytes, rng: Random) -> bytes:
    """The bytes after one change."""
    match rng.randrange(12):
        case 0:
            return data[: rng.randint(0, len(data))]
        case 1:
            return _at(data, rng, rng.choice(nasty.BYTES))
        case 2 | 3 | 4:
            return _at(data, rng, rng.choice(nasty.TEXTS).encode(errors="surrogatepass"))
        case 5:
            return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"\n\t", b"\n ")))
        case 6:
            return rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\n", b"---\n", b"\t")) + data
        case 7:
            return data.decode(errors="replace").encode(
                rng.choice(("utf-16", "utf-32", "latin-1")), "replace"
            )
        case 8:
            return data.replace(b"  ", rng.choice((b"\t", b" ", b"    ", b"\xc2\xa0")))
        case 9:
            return _lines(data, rng)
        case 10:
            return data.replace(b":", rng.choice((b" :", b"=", b"::", b"")), rng.randint(1, 3))
        case _:
            return _word(data, rng)


def cells(data: bytes, rng: Random) -> bytes:
    """A table in which one cell is another."""
    rows = [line.split(b",") for line in data.split(b"\n")]
    row = rng.choice(rows)
    texts = (*nasty.WORDS, *nasty.NUMBERS)
    unit = rng.choice(nasty.UNITS) if rng.random() < 0.3 else ""
    row[rng.randrange(len(row))] = (rng.choice(texts) + unit).encode(errors="surrogatepass")
    return b"\n".join(b",".join(each) for each in rows)


def _at(data: bytes, rng: Random, piece: bytes) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + piece + data[at:]


def _lines(data: bytes, rng: Random) -> bytes:
    """Lines that change places, are gone, come twice or stand further in."""
    lines = data.split(b"\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            lines[at], lines[other] = lines[other], lines[at]
        case 1:
            del lines[min(at, other) : max(at, other)]
        case 2:
            lines[at:at] = lines[other : other + 5]
        case _:
            lines[at] = rng.choice((b" ", b"  ", b"\t", b"- ", b"# ")) + lines[at]
    return b"\n".join(lines)


def _word(data: bytes, rng: Random) -> bytes:
    """A word that is another."""
    words = data.split(b" ")
    words[rng.randrange(len(words))] = rng.choice(nasty.WORDS).encode(errors="surrogatepass")
    return b" ".join(words)
