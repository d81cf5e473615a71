"""Packs the command for one target, as a release has it, in the layout of cargo-dist.

    python3 packaging/archive.py x86_64-unknown-linux-gnu target/x86_64-unknown-linux-gnu/dist/nearprint dist

It writes `nearprint-cli-TARGET.tar.xz` with one folder of that name, for Windows `nearprint-cli-TARGET.zip` without a folder, and
beside it `….sha256` for `sha256sum --check`. `cargo binstall` reads the same names from crates/nearprint-cli/Cargo.toml. Same
files make the same bytes.
"""

import hashlib
import io
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BESIDE = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "LICENSE-MIT",
    ROOT / "LICENSE-APACHE",
    ROOT / "crates/nearprint-python/THIRD-PARTY.txt",
]


def pack(target: str, program: Path, folder: Path) -> Path:
    name = f"nearprint-cli-{target}"
    files = [program, *BESIDE]
    if "windows" in target:
        archive = folder / f"{name}.zip"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for path in files:
                # The first moment that this format knows.
                info = zipfile.ZipInfo(path.name, (1980, 1, 1, 0, 0, 0))
                packed.writestr(info, path.read_bytes(), zipfile.ZIP_DEFLATED)
    else:
        archive = folder / f"{name}.tar.xz"
        with tarfile.open(archive, "w:xz", preset=9) as packed:
            for path in files:
                data = path.read_bytes()
                info = tarfile.TarInfo(f"{name}/{path.name}")
                info.size, info.mode = len(data), 0o755 if path == program else 0o644
                packed.addfile(info, io.BytesIO(data))
    sum_ = hashlib.sha256(archive.read_bytes()).hexdigest()
    Path(f"{archive}.sha256").write_text(
        f"{sum_} *{archive.name}\n", encoding="utf-8", newline="\n"
    )
    return archive


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    folder = Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    archive = pack(sys.argv[1], Path(sys.argv[2]), folder)
    print(f"{archive}: {archive.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
