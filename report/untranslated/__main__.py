"""`python -m report.untranslated`: what has no translation, and what is no longer said.

GEMMLAB_PROGRAM names a built program, which is asked for what it calls implementations.
"""

from commands.program import built_program
from language import LANGUAGES

from .untranslated import english_texts, lacking, unlike, unsaid


def main() -> None:
    if not built_program():
        print("GEMMLAB_PROGRAM names no program: what it calls implementations is left out")
    said = english_texts()
    for language in LANGUAGES[1:]:
        for what, texts in (
            (f"not in {language}, so shown in English", lacking(language, said)),
            (f"in {language}, and said no longer", unsaid(language, said)),
            (f"in {language} with other braces, or empty", unlike(language)),
        ):
            print(f"{what}: {len(texts)}", *(f"    {text}" for text in texts), sep="\n")


if __name__ == "__main__":
    main()
