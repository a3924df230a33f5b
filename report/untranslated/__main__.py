"""`python -m report.untranslated`: what has no translation, and what is no longer said.

GEMMLAB_PROGRAM names a built program, which is asked for what it says.
"""

from collections.abc import Sequence

from commands.program import built_program
from language import LANGUAGES

from .untranslated import english_texts, lacking, unlike, unsaid


def main() -> None:
    program = built_program()
    if not program:
        print("GEMMLAB_PROGRAM names no program: what it says is left out")
    said = english_texts(program)
    for language in LANGUAGES[1:]:
        print_texts(f"not in {language}, so shown in English", lacking(language, said))
        if program:
            print_texts(f"in {language}, and said no longer", unsaid(language, said, program))
        print_texts(f"in {language} with other braces, or empty", unlike(language))


def print_texts(what: str, texts: Sequence[str]) -> None:
    print(f"{what}: {len(texts)}", *(f"    {text}" for text in texts), sep="\n")


if __name__ == "__main__":
    main()
