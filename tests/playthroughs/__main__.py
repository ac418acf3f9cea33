"""``python -m tests.playthroughs`` updates all golden playthroughs."""

from tests.playthroughs.variants import FOLDER, variants, written


def main() -> None:
    for file in FOLDER.glob("*.txt"):
        if file.stem not in variants():
            file.unlink()
            print(f"removed {file.name}")
    for name, variant in variants().items():
        file = FOLDER / f"{name}.txt"
        text = written(variant)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            print(f"wrote {file.name}")


if __name__ == "__main__":
    main()
