"""Makes the small files that the README shows: ../recipes.tfrecord, ../sessions.tfrecord and ../ranking.tfrecord.

    TF_CPP_MIN_LOG_LEVEL=3 python sample.py [OUT]

  recipes.tfrecord    Examples, not compressed. The words of a recipe are one flat list, `steps/words`; `steps/lengths`
                      cuts it into steps, `sections/splits` groups the steps into sections. `allergens/words` with
                      `allergens/lengths` is a list for every ingredient, mostly empty.
  sessions.tfrecord   SequenceExamples, gzip (the name does not say so, and need not).
  ranking.tfrecord    ExampleListWithContext, not compressed: a query, and one Example for every page that was shown.

The .jsonl beside each is what TensorFlow's own protocol buffers hold for it, in the order of the names.
Everything is written down here: running this twice gives the same bytes. Needs tensorflow.
"""
import base64
import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import numpy as np
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
NO_KIND = tf.train.Feature()     # what TensorFlow Extended writes for a missing value


def ints(*v):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=v))


def floats(*v):
    return tf.train.Feature(float_list=tf.train.FloatList(value=v))


def texts(*v):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[x if isinstance(x, bytes) else x.encode() for x in v]))


def example(features):
    return tf.train.Example(features=tf.train.Features(feature=features))


# ---------------------------------------------------------------- recipes

# title, servings, minutes, rating (None: not rated yet), tags, ingredients, sections;
# an ingredient is (name, amount, unit, allergens), a section (name, steps), a step a line of words.
RECIPES = [
    ("Pancakes", 4, 25, 4.6, ["breakfast", "sweet"],
     [("flour", 250, "g", ["gluten"]), ("milk", 0.5, "l", ["milk"]), ("egg", 3, "", ["egg"]), ("salt", 0.25, "tsp", [])],
     [("batter", ["whisk flour milk eggs and salt", "rest 15 minutes"]), ("pan", ["fry thin on both sides"])]),
    ("Crème brûlée", 4, 300, 4.8, ["dessert", "sweet", "french"],
     [("cream", 400, "ml", ["milk"]), ("egg yolk", 5, "", ["egg"]), ("sugar", 80, "g", []), ("vanilla pod", 1, "", [])],
     [("custard", ["warm cream with vanilla", "stir in yolks and sugar", "bake at 150 °C for 40 minutes"]),
      ("crust", ["cool", "caramelise sugar on top"])]),
    ("Miso soup (味噌汁)", 2, 15, 4.4, ["soup", "japanese"],
     [("dashi", 600, "ml", ["fish"]), ("miso", 2.5, "tbsp", ["soy"]), ("tofu", 150, "g", ["soy"]), ("wakame", 5, "g", [])],
     [("", ["heat dashi", "add tofu and wakame", "stir in miso off the heat"])]),
    ("Käsespätzle", 3, 50, 4.7, ["main", "vegetarian", "swabian"],
     [("flour", 400, "g", ["gluten"]), ("egg", 4, "", ["egg"]), ("Emmental", 250, "g", ["milk"]), ("onion", 2, "", [])],
     [("dough", ["beat flour eggs and water", "press into boiling water"]),
      ("onions", ["fry slowly until brown"]),
      ("", ["layer with cheese", "bake 10 minutes"])]),
    ("Tomato salad", 2, 10, None, ["salad", "vegan"],
     [("tomato", 500, "g", []), ("olive oil", 2, "tbsp", []), ("basil", 0.5, "bunch", [])],
     [("", ["slice", "dress and serve"])]),
    ("Borscht (борщ)", 6, 120, 4.5, ["soup", "ukrainian"],
     [("beetroot", 600, "g", []), ("cabbage", 300, "g", []), ("celery", 2, "stalks", ["celery"]), ("soured cream", 200, "g", ["milk"])],
     [("", ["simmer the vegetables for 90 minutes", "season"]), ("to serve", ["add cream"])]),
    ("Chilli con carne", 5, 90, 4.3, ["main", "spicy"],
     [("beef", 500, "g", []), ("kidney beans", 480, "g", []), ("jalapeño", 2, "", []), ("dark chocolate", 20, "g", ["milk", "soy"])],
     [("", ["brown the beef", "add everything else", "simmer for an hour"])]),
    ("Toast", 1, 3, 3.1, [],
     [("bread", 2, "slices", ["gluten"])],
     [("", ["toast"])]),
    ("Pesto", 4, 10, 4.6, ["sauce", "italian"],
     [("basil", 2, "bunches", []), ("pine nuts", 40, "g", ["nuts"]), ("Parmesan", 60, "g", ["milk", "egg"]), ("olive oil", 120, "ml", [])],
     [("", ["grind nuts and basil", "stir in cheese and oil"])]),
    ("Hummus", 6, 15, 4.2, ["dip", "vegan"],
     [("chickpeas", 400, "g", []), ("tahini", 80, "g", ["sesame"]), ("lemon", 1.5, "", [])],
     [("", ["blend until smooth"]), ("to serve", [])]),
    ("Boiled egg", 1, 7, 3.9, ["breakfast"],
     [("egg", 1, "", ["egg"])],
     [("", ["boil for 6 minutes", "cool"])]),
    ("Apple crumble", 6, 55, 4.75, ["dessert", "sweet", "british"],
     [("apple", 6, "", []), ("butter", 120, "g", ["milk"]), ("flour", 180, "g", ["gluten"]), ("sugar", 100, "g", []), ("cinnamon", 0.1, "tsp", [])],
     [("filling", ["peel and slice apples", "toss with cinnamon"]),
      ("crumble", ["rub butter into flour and sugar", "scatter over"]),
      ("", ["bake 40 minutes"])]),
]


def recipe(title, servings, minutes, rating, tags, ingredients, sections):
    names, amounts, units, allergens = zip(*ingredients)
    steps = [line.split() for _, lines in sections for line in lines]
    splits = [0]
    for _, lines in sections:
        splits.append(splits[-1] + len(lines))
    f = {
        "title": texts(title), "servings": ints(servings), "minutes": ints(minutes), "tags": texts(*tags),
        "ingredients/name": texts(*names), "ingredients/amount": floats(*amounts), "ingredients/unit": texts(*units),
        "allergens/words": texts(*[a for some in allergens for a in some]), "allergens/lengths": ints(*map(len, allergens)),
        "sections/name": texts(*[name for name, _ in sections]), "sections/splits": ints(*splits),
        "steps/words": texts(*[w for step in steps for w in step]), "steps/lengths": ints(*map(len, steps)),
        "source": NO_KIND if title == "Toast" else texts("kitchen notebook"),
    }
    if rating is not None:
        f["rating"] = floats(rating)
    return example(f)


# ---------------------------------------------------------------- sessions

# user, country, start (seconds since 1970), steps of (page, seconds, words searched for)
SESSIONS = [
    ("ada", "GB", 1753100000, [("home", 4.5, []), ("search", 12.25, ["pancakes"]), ("Pancakes", 310, [])]),
    ("bo", "SE", 1753100060, [("search", 3, ["quick", "soup"]), ("search", 8.75, ["miso", "soup"]), ("Miso soup (味噌汁)", 95.5, [])]),
    ("chloé", "FR", 1753100300, [("home", 2, []), ("Crème brûlée", 640.125, [])]),
    ("dai", "JP", 1753100301, []),
    ("emre", "TR", 1753101000, [("search", 6.1, ["hummus"]), ("Hummus", 120, []), ("home", 1, [])]),
    ("fay", "US", 1753101500, [("Toast", 0.5, [])]),
]


def session(user, country, start, steps):
    lists = {
        "page": [texts(page) for page, _, _ in steps],
        "seconds": [floats(seconds) for _, seconds, _ in steps],
        "query": [texts(*words) for _, _, words in steps],
    }
    return tf.train.SequenceExample(
        context=tf.train.Features(feature={"user": texts(user), "country": texts(country), "start": ints(start)}),
        feature_lists=tf.train.FeatureLists(feature_list={k: tf.train.FeatureList(feature=v) for k, v in lists.items()}))


# ---------------------------------------------------------------- ranking

# words searched for, pages shown: (page, score, clicked, key: bytes that are no text)
QUERIES = [
    (["pancakes"], [("Pancakes", 0.97, 1, b"\x00\xffpc"), ("Crème brûlée", 0.21, 0, b"\x01\xfecb"), ("Toast", 0.18, 0, b"\x02\xfdto")]),
    (["quick", "soup"], [("Miso soup (味噌汁)", 0.88, 1, b"\x03\xfcms"), ("Borscht (борщ)", 0.64, 0, b"\x04\xfbbo")]),
    (["zanzibar"], []),
    (["egg"], [("Boiled egg", 0.93, 1, b"\x05\xfabe"), ("Pancakes", 0.4, 0, b"\x00\xffpc"), ("Käsespätzle", 0.35, 1, b"\x06\xf9ks"), ("Pesto", 1e-07, 0, b"\x07\xf8pe")]),
]


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def query(words, pages):
    """(the Examples, their context); tensorflow.serving's ExampleListWithContext is not part of tensorflow."""
    examples = [example({"page": texts(page), "score": floats(score), "clicked": ints(clicked), "key": texts(key)}) for page, score, clicked, key in pages]
    return examples, example({"query": texts(*words), "shown": ints(len(pages))})


# ---------------------------------------------------------------- JSON of what the messages hold

def text_or_base64(b):
    try:
        return b.decode()
    except UnicodeDecodeError:
        return {"b64": base64.b64encode(b).decode()}


def values(f):
    kind = f.WhichOneof("kind")
    if kind is None:
        return None
    v = getattr(f, kind).value
    if kind == "bytes_list":
        return [text_or_base64(b) for b in v]
    if kind == "float_list":
        return [float(str(np.float32(x))) for x in v]    # the shortest decimal that reads back as this float32
    return list(v)


def flat(features):
    return {k: values(f) for k, f in sorted(features.feature.items())}


def line(m):
    if isinstance(m, tuple):
        return {"context": flat(m[1].features), "examples": [flat(e.features) for e in m[0]]}
    if isinstance(m, tf.train.SequenceExample):
        lists = {k: [values(f) for f in fl.feature] for k, fl in sorted(m.feature_lists.feature_list.items())}
        return {"context": flat(m.context), "feature_lists": lists}
    return flat(m.features)


def encode(m):
    if isinstance(m, tuple):
        return b"".join(field(1, encode(e)) for e in m[0]) + field(2, encode(m[1]))
    return m.SerializeToString(deterministic=True)


def write(out, name, messages, compression=""):
    path = os.path.join(out, name)
    with tf.io.TFRecordWriter(path + ".tfrecord", tf.io.TFRecordOptions(compression_type=compression)) as w:
        for m in messages:
            w.write(encode(m))
    with open(path + ".jsonl", "w", encoding="utf-8", newline="\n") as f:
        for m in messages:
            f.write(json.dumps(line(m), ensure_ascii=False, separators=(",", ":")) + "\n")
    again = [r.numpy() for r in tf.data.TFRecordDataset(path + ".tfrecord", compression)]
    assert again == [encode(m) for m in messages], name
    print("%s.tfrecord: %d records, %d bytes" % (name, len(again), os.path.getsize(path + ".tfrecord")))


def main(out):
    write(out, "recipes", [recipe(*r) for r in RECIPES])
    write(out, "sessions", [session(*s) for s in SESSIONS], "GZIP")
    write(out, "ranking", [query(*q) for q in QUERIES])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, ".."))
