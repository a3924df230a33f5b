"""`python -m report.untranslated`: what has no translation, and what is no longer said."""

from language import LANGUAGES

from .untranslated import english_texts, lacking, unlike, unsaid


def main() -> None:
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
