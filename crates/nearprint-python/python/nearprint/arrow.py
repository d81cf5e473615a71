"""The extension type ``nearprint.fingerprint`` of pyarrow: ``import nearprint.arrow`` registers it.

A column of fingerprints then keeps its width and the description of its recipe in tables of pyarrow
and in files of Parquet. Without the import, the column is one of fixed-size binary.

>>> import nearprint as nr, nearprint.arrow, pyarrow
>>> column = pyarrow.array(nr.Fingerprinter(bits=64).fingerprints(["one text", None]))
>>> column.type.extension_name, column.type.storage_type, column.null_count
('nearprint.fingerprint', FixedSizeBinaryType(fixed_size_binary[8]), 1)
>>> nr.Fingerprints(column).description == nr.Fingerprinter(bits=64).description
True
"""

from __future__ import annotations

import pyarrow

__all__ = ["FingerprintType"]


class FingerprintType(pyarrow.ExtensionType):  # type: ignore[misc]
    """Fingerprints of ``bits`` bits (32, 64, 128 or 256), stored as fixed-size binary of bits / 8
    bytes, bit 0 the highest of the first byte. ``description`` names their recipe; it is empty if
    that is unknown."""

    def __init__(self, bits: int, description: str = "") -> None:
        self.description = description
        super().__init__(pyarrow.binary(bits // 8), "nearprint.fingerprint")

    @property
    def bits(self) -> int:
        """Their width in bits."""
        return int(self.storage_type.byte_width) * 8

    def __arrow_ext_serialize__(self) -> bytes:
        return self.description.encode()

    @classmethod
    def __arrow_ext_deserialize__(
        cls, storage_type: pyarrow.DataType, serialized: bytes
    ) -> FingerprintType:
        return cls(storage_type.byte_width * 8, serialized.decode())


pyarrow.register_extension_type(FingerprintType(64))
