"""Makes vectors/validation/batches.jsonl: statistics that depend on which records TensorFlow Data Validation reads together.

    TF_CPP_MIN_LOG_LEVEL=3 python batches.py OUT        (TFDV 1.16.1; about a minute)

OUT is a folder, of which unreal.py makes what is in ../vectors/validation. The cases are what was left of random ones after all that did not matter was
taken away from them: the type of a column, the order of columns, and what a slice has of columns are those of a batch.
"""
import sys

import validation
from validation import F, I, INF, NAN, NO_KIND, S, ex, seq

NESTED = 'feature { name: "##SEQUENCE##" type: STRUCT struct_domain { feature { name: "x" type: INT } feature { name: "y" type: FLOAT } } }'
PAIR = 'weighted_feature { name: "pair" feature { step: "##SEQUENCE##" step: "x" } weight_feature { step: "##SEQUENCE##" step: "y" } }'
TOKENS = 'feature { name: "t" type: BYTES natural_language_domain { %s } }'


def cases(v):
    def s(name, records, note, record_type="example", **options):
        v.statistics("batches/" + name, records, options=options, record_type=record_type, file="batches", note=note)

    # slices by a column without a type
    s("slice_without_kind", [ex(a=NO_KIND, b=I(1)), ex(b=I(2))], slices=[{"a": None}], note="every record of the batch has the value None")
    s("slice_without_kind_and_another", [ex(a=NO_KIND, b=I(1)), ex(b=I(2, 3)), ex(a=NO_KIND)], slices=[{"a": None, "b": None}], note="joined with the values of another feature")
    s("slice_without_kind_in_one_batch", [ex(a=NO_KIND), ex(a=I(1)), ex(), ex(a=I(2))], slices=[{"a": None}], desired_batch_size=1, note="a batch without the feature is in no slice")
    s("slice_without_kind_by_value", [ex(a=NO_KIND), ex(a=NO_KIND)], slices=[{"a": ["None"]}], note="no value that is asked for is None")
    s("slice_without_kind_sequence", [seq({"a": NO_KIND}, {"x": [I(1)]}), seq({"a": I(3)}, {"x": [I(2)]})], slices=[{"a": None}], desired_batch_size=1, record_type="sequence_example",
      note="the feature has no type in the slice, although it has one elsewhere")
    s("slice_by_zeros", [ex(a=F(0.0, -0.0, 1)), ex(a=F(-0.0, 0.0)), ex(a=F(0.0))], slices=[{"a": None}], note="zeros of both signs in a record are one value, called as the first")

    # the order of features
    s("listed", [ex(a=I(1), b=I(2), c=I(3))], feature_allowlist=["c", "a"], note="in the order of the list")
    s("listed_in_batches", [ex(a=I(1)), ex(c=I(1)), ex(b=I(2), c=I(3))], feature_allowlist=["c", "nobody", "a", "b"], desired_batch_size=1, note="as they are met, each batch in the order of the list")
    s("listed_struct", [seq({"a": I(1), "b": I(2)}, {"x": [I(1)], "y": [F(1)]})], feature_allowlist=["b", "##SEQUENCE##", "a"], record_type="sequence_example", note="with the children behind it")
    s("struct_before_later_features", [seq({"b": I(1)}, {"y": [F(1)]}), seq({"a": I(1)}, {"x": [I(1)]}), seq({"b": I(1)})], desired_batch_size=1, record_type="sequence_example",
      note="what a later batch brings stands behind, also children")
    s("slice_met_late", [ex(b=I(1), k=S("u")), ex(a=I(1), b=I(2), k=S("v"))], slices=[{"k": None}], desired_batch_size=1, note="the order of a slice is that of its own batches")

    # what a slice has of columns of its batches
    s("slice_without_lists", [seq({"k": S("u")}, {"x": [I(1, 2), I(3)], "y": [F(1)]}), seq({"k": S("v")})], slices=[{"k": None}], record_type="sequence_example",
      note="levels of nesting are there, and a histogram from the greatest length to the least")
    s("slice_without_lists_weighted", [seq({"k": S("u"), "w": F(2)}, {"x": [I(1, 2), I(3)]}), seq({"k": S("v"), "w": F(.5)}, {"x": []})], slices=[{"k": None}], weight_feature="w",
      record_type="sequence_example", num_values_histogram_buckets=4, note="the same with weights")
    s("slice_of_frames_without_kind", [seq({"k": S("u")}, {"x": [I(1)]}), seq({"k": S("v")}, {"x": [NO_KIND, NO_KIND]})], slices=[{"k": None}], record_type="sequence_example", note="frames without lists in one slice")

    # labels of features without weights, where others have one
    other = [ex(a=S("u"), b=S("x", "x", "y"), c=I(7, 7), w=F(2)), ex(b=S("x"), c=I(8), w=F(3)), ex(a=S("u"), b=S("z", "x"), w=F(.5))]
    CATEGORY = 'feature { name: "c" type: INT int_domain { is_categorical: true } }'
    s("labels_without_weight", other, per_feature_weight_override={"a": "w"}, schema=CATEGORY, note="each label weighs 1")
    s("labels_without_weight_in_batches", other, per_feature_weight_override={"a": "w"}, schema=CATEGORY, desired_batch_size=1, note="1 in each batch that has it")
    s("labels_without_weight_in_slices", other, per_feature_weight_override={"a": "w"}, slices=[{"a": None}], desired_batch_size=2, note="1 in each batch that has it in the slice")
    s("labels_without_weight_in_a_sketch", other, per_feature_weight_override={"a": "w"}, use_sketch_based_topk_uniques=True, note="the sketch weighs nothing")

    # features that are made of others, of the name of one
    weighted = 'weighted_feature { name: "a" feature { step: "v" } weight_feature { step: "w" } }'
    sparse = 'sparse_feature { name: "a" value_feature { name: "v" } index_feature { name: "w" } }'
    both = [ex(a=I(1), v=I(2, 3), w=F(1, 2)), ex(a=I(5), v=I(2), w=F(1)), ex(v=I(2))]
    s("weighted_of_a_name", both, schema=weighted, note="one entry has the statistics of both")
    s("sparse_of_a_name", both, schema=sparse, desired_batch_size=1, note="the same")
    s("sparse_and_weighted_of_a_name", both, schema=weighted + sparse, note="those of sparse features first")
    s("sparse_and_weighted_of_a_name_not_listed", both, schema=weighted + sparse, feature_allowlist=["v", "w"], note="one entry that has custom statistics only")
    s("weighted_of_a_name_with_a_domain", [ex(a=S("2020-01-02"), v=I(2), w=F(1))] * 120, schema=weighted, enable_semantic_domain_stats=True, note="behind what is known of the domain")

    # what a schema says of a feature twice, by another type, or by the domain that it names
    two = [ex(a=I(1), b=S("x", "y"), c=F(1, 2)), ex(a=I(5), b=S("x", "l" * 2000)), ex(a=NO_KIND, b=NO_KIND)]
    image, category, domain = "image_domain { } }", "int_domain { is_categorical: true } }", ' string_domain { name: "d" is_categorical: %s }'
    s("image_of_integers", two, schema='feature { name: "b" type: INT ' + image, note="strings are bytes all the same")
    s("image_behind", two, schema='feature { name: "b" type: BYTES } feature { name: "b" type: INT ' + image, note="an image if it says so once")
    s("category_behind", two, schema='feature { name: "a" type: BYTES } feature { name: "a" type: INT ' + category, note="a category if it says so once")
    s("category_and_another_type", two, schema='feature { name: "a" type: INT ' + category + 'feature { name: "a" type: FLOAT }', note="the run fails")
    for c in ("CATEGORICAL_NO", "CATEGORICAL_YES"):
        s("domain_" + c, two, schema='feature { name: "b" type: BYTES domain: "d" }' + domain % c, use_sketch_based_topk_uniques=True, note="the domain that it names says how it is counted")
    s("uncounted_twice", two, schema='feature { name: "b" type: BYTES string_domain { is_categorical: CATEGORICAL_NO } } feature { name: "b" type: BYTES }', use_sketch_based_topk_uniques=True,
      note="the last one counts")

    # others
    s("pair_not_listed", [seq({"a": I(1)}, {"x": [I(1), I(2)], "y": [F(1)]})], feature_allowlist=["a"], schema=NESTED + PAIR, record_type="sequence_example", note="neither part is seen")
    s("infinities_without_weight", [ex(x=F(INF, 1), w=F(0)), ex(x=F(2), w=F(3)), ex(x=F(-INF), w=F(0)), ex(x=F(NAN, 4), w=F(1))], weight_feature="w", desired_batch_size=1,
      note="a batch without weight adds nothing to the weighted mean")
    s("no_vocabulary", [ex(t=S("a", "b"))], schema=TOKENS % 'vocabulary: "v"', note="the schema names a vocabulary that nobody gave")
    s("no_vocabulary_and_no_tokens", [ex(t=NO_KIND), ex()], schema=TOKENS % 'vocabulary: "v"', note="nobody looks for the vocabulary")
    s("tokens_and_one_quantile", [ex(t=S("a", "b"))], schema=TOKENS % 'coverage { excluded_string_tokens: "a" }', num_quantiles_histogram_buckets=1, note="the run fails")


def main():
    validation.INLINE = 1 << 20                     # one file holds it all
    v = validation.Vectors(validation.OUT, "make/batches.py")
    cases(v)
    v.save()


if __name__ == "__main__":
    main()
