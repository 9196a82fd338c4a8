"""Makes vectors/validation/vocabulary.jsonl: statistics of natural_language_domain with a vocabulary.

    TF_CPP_MIN_LOG_LEVEL=3 python vocabulary.py OUT        (TFDV 1.16.1; about a minute)

OUT is a folder, of which unreal.py makes what is in ../vectors/validation. A case has the tokens of a vocabulary, which become the lines of a file.
"""
import validation
from validation import F, I, NO_KIND, S, ex

WORDS = ["a", "bb", "[UNK]", "dddd", "é", "bb"]


def domain(type, text, more=""):
    return 'feature { name: "t" type: %s natural_language_domain { vocabulary: "words" %s } }' % (type, text) + more


def cases(v):
    def s(name, records, schema, note, words=WORDS, **options):
        v.statistics("vocabulary/" + name, records, options={"schema": schema, "vocabularies": {"words": words}, **options}, file="vocabulary", note=note)

    numbers = [ex(t=I(0, 1, 2, 7)), ex(t=I(3, 3, 4, -1)), ex(t=I()), ex(), ex(t=NO_KIND), ex(t=I(5))]
    texts = [ex(t=S("a", "bb", "zz")), ex(t=S("[UNK]", "é", "a", "a")), ex(t=S()), ex(), ex(t=S("zz"))]
    s("numbers", numbers, domain("INT", ""), "numbers count as the words that they stand for; those that stand for none are in no vocabulary")
    s("numbers_outside", numbers, domain("INT", 'coverage { oov_string_tokens: "[UNK]" oov_string_tokens: "é" }'), "words that stand for what no vocabulary has")
    s("numbers_excluded", numbers, domain("INT", 'coverage { excluded_int_tokens: 3 excluded_int_tokens: 7 excluded_string_tokens: "a" }'), "by number and by word")
    s("numbers_constrained", numbers, domain("INT", 'token_constraints { int_value: 3 } token_constraints { string_value: "bb" } token_constraints { string_value: "nobody" } '
                                                    'token_constraints { int_value: 7 }'), "tokens are followed by number and by word")
    s("numbers_lengths", numbers, domain("INT", 'sequence_length_constraints { excluded_int_value: 3 excluded_string_value: "a" }'), "by number and by word")
    s("texts", texts, domain("BYTES", ""), "all words count as known, whether the vocabulary has them or not")
    s("texts_outside", texts, domain("BYTES", 'coverage { oov_string_tokens: "[UNK]" oov_string_tokens: "zz" }'), "words that stand for what no vocabulary has")
    s("texts_excluded", texts, domain("BYTES", 'coverage { excluded_int_tokens: 0 excluded_int_tokens: 1 excluded_string_tokens: "zz" }'),
      "by word and by number; a word that is there twice has the last of its numbers")
    s("texts_constrained", texts, domain("BYTES", 'token_constraints { int_value: 0 } token_constraints { int_value: 2 } token_constraints { string_value: "a" } token_constraints { int_value: 77 }'),
      "tokens are followed by number and by word")
    s("texts_lengths", texts, domain("BYTES", 'sequence_length_constraints { excluded_int_value: 0 excluded_string_value: "zz" }'), "by word and by number")
    s("floats", [ex(t=F(1, 2))], domain("FLOAT", ""), "are no tokens")
    s("empty", numbers, domain("INT", 'coverage { excluded_string_tokens: "a" } token_constraints { string_value: "a" }'), "a vocabulary without words", words=[])
    s("other", texts, 'feature { name: "t" type: BYTES natural_language_domain { coverage { oov_string_tokens: "a" } } }', "the domain names none, and there is one")
    s("many", [ex(t=I(*range(n % 7, n % 7 + 5))) for n in range(40)], domain("INT", 'coverage { min_coverage: 0.5 } token_constraints { string_value: "w3" }'), "several records",
      words=["w%d" % i for i in range(9)])


def main():
    validation.INLINE = 1 << 20                     # one file holds it all
    v = validation.Vectors(validation.OUT, "make/vocabulary.py")
    cases(v)
    v.save()


if __name__ == "__main__":
    main()
