"""Sealed boxes: anybody seals to the operator's public key, only the holder of the secret half opens (X25519, PyNaCl).

A sealed box does not say who sealed it: whoever may change the checkout may put another box there, which is why a
sealed file's head stands inside its box too (webds.seal.content) and why a release is made from a reviewed checkout.
"""

import gzip
import zlib
from pathlib import Path

from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox

from webds.errors import InputFault

BLOCK = 16384
"""Sealed content is filled up to a multiple of this many bytes, so that the length tells little of a reference."""
_MOST = 64 << 20
_OVERHEAD = 48
_HEX = 64


def public_key(file: Path) -> PublicKey:
    """The public half, from a file of 64 hexadecimal digits. InputFault: missing or something else."""
    return PublicKey(_hex(file))


def private_key(file: Path) -> PrivateKey:
    """The secret half, from a file of 64 hexadecimal digits. InputFault never repeats what the file holds."""
    return PrivateKey(_hex(file))


def _hex(file: Path) -> bytes:
    try:
        text = file.read_text(encoding="ascii").strip()
        raw = bytes.fromhex(text)
    except OSError as error:
        raise InputFault(f"{file}: cannot be read: {error.strerror}") from error
    except ValueError:
        raise InputFault(f"{file}: no key; wanted {_HEX} hexadecimal digits") from None
    if len(text) != _HEX:
        raise InputFault(f"{file}: no key; wanted {_HEX} hexadecimal digits")
    return raw


def shut(data: bytes, to: PublicKey) -> bytes:
    """`data` compressed, filled up and sealed."""
    packed = gzip.compress(data, mtime=0)
    room = -(len(packed) + 4) % BLOCK
    return SealedBox(to).encrypt(len(packed).to_bytes(4, "big") + packed + bytes(room))


def opened(box: bytes, key: PrivateKey) -> bytes:
    """What `shut` was given. InputFault: sealed to another key, or damaged."""
    try:
        inside = SealedBox(key).decrypt(box)
    except CryptoError as error:
        raise InputFault("the box does not open: sealed to another key, or damaged") from error
    size = int.from_bytes(inside[:4], "big")
    inflate = zlib.decompressobj(wbits=31)
    try:
        data = inflate.decompress(inside[4 : 4 + size], _MOST)
    except zlib.error as error:
        raise InputFault("the box holds something else than sealed content") from error
    if not inflate.eof:
        raise InputFault(f"the box holds more than {_MOST >> 20} MB")
    return data


def looks_sealed(box: bytes) -> bool:
    """Whether these bytes can be a sealed box: right length, and no order that a compressor or a reader would see."""
    if len(box) <= _OVERHEAD or (len(box) - _OVERHEAD) % BLOCK or box[:2] in (b"\x1f\x8b", b"PK"):
        return False
    return len(zlib.compress(box, 6)) >= len(box)
