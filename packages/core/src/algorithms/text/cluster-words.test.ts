import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Instances } from "../../model/points.js";
import { drain } from "../../steps/index.js";
import { clusterWordsSteps, freeTextColumns, freeTextsSteps, textsInClustersSteps } from "./cluster-words.js";
import { slowClusterWords } from "./cluster-words.reference.js";
import { wordsOf } from "./grams.js";

const wordsFor = (texts: readonly (string | null)[], labels: readonly number[], k = Math.max(...labels, -1) + 1) =>
  drain(clusterWordsSteps(texts, Int32Array.from(labels), k));
const termsFor = (...given: Parameters<typeof wordsFor>) => wordsFor(...given).map(({ terms }) => terms.map(({ term }) => term));

describe("worked examples", () => {
  test("weights by hand: share of the texts times log(1 + mean number of words / texts with the word)", () => {
    // Words counted once a text: red 2, car 1, bus 1, blue 2, sky 1. The mean of two clusters is 3.5.
    const found = wordsFor(["red car", "red bus", "blue sky", "blue"], [0, 0, 1, 1]);
    expect(found.map(({ terms }) => terms.map(({ term }) => term))).toEqual([
      ["red", "bus", "car"],
      ["blue", "sky"],
    ]);
    const [red, bus] = found[0]!.terms;
    expect(red!.weight).toBeCloseTo(Math.log(1 + 3.5 / 2), 12);
    expect(bus!.weight).toBeCloseTo(0.5 * Math.log(1 + 3.5), 12);
  });

  test("two words that come together are one term, and no word is listed twice", () => {
    const texts = ["new york hotel", "new york flat", "new york hotel", "old cheap boat", "boat trip old", "old boat"];
    const [first, second] = termsFor(texts, [0, 0, 0, 1, 1, 1]);
    expect(first).toEqual(["new york", "hotel", "flat"]);
    expect(second).toEqual(["boat", "old", "cheap", "trip"]);
  });

  test("a pair does not cross the end of a sentence, and it needs two texts", () => {
    expect(termsFor(["red. car", "red. car", "x"], [0, 0, 1])[0]).toEqual(["car", "red"]);
    expect(termsFor(["red car", "x"], [0, 1])[0]).toEqual(["car", "red"]);
    expect(termsFor(["red car", "red car", "x"], [0, 0, 1])[0]).toEqual(["red car"]);
  });

  test("words are shown in their most frequent spelling, with accents", () => {
    const texts = ["Müller Straße", "müller straße", "Muller strasse", "Красный чай", "красный чай", "дом"];
    expect(termsFor(texts, [0, 0, 0, 1, 1, 2])).toEqual([["müller straße"], ["красный чай"], ["дом"]]);
  });

  test("single letters and numbers are left out", () => {
    expect(termsFor(["a 12 tea 3x", "b 7 cup 𝒳 1️⃣"], [0, 1])).toEqual([["3x", "tea"], ["cup"]]);
  });

  test("words of more than half of the texts of several clusters are left out; a large cluster keeps its own word", () => {
    expect(termsFor(["order tea", "order mug", "order pen", "order ink", "ink"], [0, 0, 1, 1, 1])).toEqual([
      ["mug", "tea"],
      ["ink", "pen"],
    ]);
    expect(termsFor(["phone", "phone", "phone", "mug"], [0, 0, 0, 1])).toEqual([["phone"], ["mug"]]);
    expect(termsFor(["phone", "phone"], [0, 0])).toEqual([["phone"]]);
  });

  test("typical texts have many heavy words and few others; each text once", () => {
    const texts = ["tea and long other stuff here", "green tea", "green tea", "tea", "green tea", "green tea", "pen", "ink pen"];
    const [first, second] = wordsFor(texts, [0, 0, 0, 0, 0, 0, 1, 1]).map(({ typical }) => typical.map((row) => texts[row]));
    expect(first![0]).toBe("green tea");
    expect(first).toHaveLength(3);
    expect(new Set(first).size).toBe(3);
    expect(new Set(second)).toEqual(new Set(["pen", "ink pen"]));
  });

  test("clusters without texts, and no texts at all", () => {
    expect(termsFor([null, "tea", null], [0, 1, -1], 3)).toEqual([[], ["tea"], []]);
    expect(termsFor([], [], 0)).toEqual([]);
    expect(wordsFor(["🎉🎉", "?!", ""], [0, 0, 1])).toEqual([
      { terms: [], typical: [] },
      { terms: [], typical: [] },
    ]);
  });
});

describe("languages", () => {
  test.each([
    [
      "English",
      "the screen of the phone is broken and it was not on",
      "where is the parcel that i have ordered in the shop",
      "screen",
      "parcel",
    ],
    [
      "German",
      "der Bildschirm ist kaputt und ich habe es nicht bemerkt",
      "wo ist das Paket das ich bei der Firma und für sie bestellte",
      "bildschirm",
      "paket",
    ],
    [
      "French",
      "l'écran de la montre est cassé et je ne sais pas",
      "où est le colis que je veux dans la boîte et sur le quai",
      "écran",
      "colis",
    ],
    [
      "Spanish",
      "la pantalla de mi reloj no funciona y está rota por el golpe",
      "el paquete que pedí no llega a la casa de mi madre",
      "pantalla",
      "paquete",
    ],
    [
      "Italian",
      "lo schermo della radio non funziona e il vetro è rotto",
      "il pacco che aspetto da giorni non arriva e sono la cliente",
      "schermo",
      "pacco",
    ],
    [
      "Portuguese",
      "a tela do meu relógio não funciona e está com um risco",
      "o pacote que comprei não chega para a casa da minha tia",
      "tela",
      "pacote",
    ],
    [
      "Dutch",
      "het scherm van de telefoon is kapot en dat wil ik niet",
      "waar is het pakket dat ik in de winkel heb besteld voor mijn moeder",
      "scherm",
      "pakket",
    ],
    [
      "Polish",
      "ekran w telefonie jest zepsuty i nie działa to już od dawna",
      "gdzie jest paczka która do mnie nie dotarła na czas z winy",
      "ekran",
      "paczka",
    ],
    [
      "Turkish",
      "ekran çok bozuk ve bu telefon için daha iyi bir şey yok",
      "paket nerede ama ben ne kadar bekledim ve bir haber yok gibi",
      "ekran",
      "paket",
    ],
    [
      "Russian",
      "экран у меня не работает и это уже не в первый раз",
      "где же посылка что я заказал на сайте и для кого она",
      "экран",
      "посылка",
    ],
  ])("%s: its stop words are left out, the subject stays", (_, broken, lost, first, second) => {
    const texts = [broken, broken, lost, lost];
    const found = drain(clusterWordsSteps(texts, Int32Array.of(0, 0, 1, 1), 2));
    const listed = found.map(({ terms }) => terms.flatMap(({ term }) => term.split(" ")));
    expect(listed[0]).toContain(first);
    expect(listed[1]).toContain(second);
    const before = [...new Set([broken, lost].flatMap(wordsOf))].length;
    expect(listed.flat().length).toBeLessThan(0.75 * before);
  });

  test("a list is used only in its language: English has the word die, German has the word was", () => {
    const english = ["the plants die in the cold and we do not know why", "young is what the song was about and it is old"];
    expect(termsFor(english, [0, 1]).flat().join(" ")).toContain("die");
    const names = ["die cast", "die cast model", "hand made", "hand made model"];
    expect(termsFor(names, [0, 0, 1, 1])).toEqual([["die cast"], ["hand made"]]);
  });
});

const word = fc.constantFrom("tea", "mug", "pen", "ink", "red", "blue", "Zoë", "7", "x", "zebra.", "box!");
const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(" "));
const table = fc.array(fc.record({ text, label: fc.integer({ min: -1, max: 3 }) }), { minLength: 1, maxLength: 14 });

describe("properties", () => {
  test("equal to the slow reference", () => {
    fc.assert(
      fc.property(table, (rows) => {
        const [texts, labels] = [rows.map((row) => row.text), rows.map(({ label }) => label)];
        const slow = slowClusterWords(texts, labels, 4);
        const fast = wordsFor(texts, labels, 4);
        expect(fast.map(({ terms }) => terms.map(({ term }) => wordsOf(term).join(" ")))).toEqual(
          slow.map((terms) => terms.map(([term]) => term)),
        );
        fast.forEach(({ terms }, c) => {
          for (const [at, { weight }] of terms.entries()) expect(weight).toBeCloseTo(slow[c]![at]![1], 10);
        });
      }),
      { numRuns: 300 },
    );
  });

  test("the order of rows does not matter, and other names of clusters permute the lists", () => {
    fc.assert(
      fc.property(
        table.chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length }))),
        ([rows, shuffled]) => {
          const seen = (list: typeof rows, name = (label: number) => label) => {
            const texts = list.map((row) => row.text);
            return wordsFor(
              texts,
              list.map(({ label }) => name(label)),
              4,
            ).map(({ terms, typical }) => ({
              terms,
              typical: typical.map((row) => texts[row]),
            }));
          };
          const found = seen(rows);
          expect(seen(shuffled)).toEqual(found);
          expect(seen(rows, (label) => (label < 0 ? -1 : 3 - label))).toEqual(found.toReversed());
        },
      ),
      { numRuns: 200 },
    );
  });

  test("every word occurs in its cluster, at most ten terms, heaviest first, no word twice; typical rows are of the cluster", () => {
    const any = fc.oneof(text, fc.string({ unit: "grapheme", maxLength: 60 }), fc.constant(null));
    fc.assert(
      fc.property(fc.array(fc.tuple(any, fc.integer({ min: 0, max: 2 })), { minLength: 1, maxLength: 20 }), (rows) => {
        const labels = rows.map(([, label]) => label);
        wordsFor(
          rows.map(([given]) => given),
          labels,
          3,
        ).forEach(({ terms, typical }, c) => {
          const own = new Set(rows.flatMap(([given, label]) => (label === c && given !== null ? wordsOf(given) : [])));
          const used = terms.flatMap(({ term }) => wordsOf(term));
          for (const each of used) expect(own).toContain(each);
          expect(new Set(used).size).toBe(used.length);
          expect(terms.length).toBeLessThanOrEqual(10);
          const weights = terms.map(({ weight }) => weight);
          expect(weights).toEqual(weights.toSorted((a, b) => b - a));
          for (const row of typical) expect(labels[row]).toBe(c);
        });
      }),
      { numRuns: 300 },
    );
  });
});

test("long texts are cut, and long words too", () => {
  const long = `tea ${"ab".repeat(50)} ${"filler ".repeat(20_000)} never`;
  const [first] = termsFor([long, "mug"], [0, 1]);
  expect(first).toContain("tea");
  expect(first).toContain("ab".repeat(32));
  expect(first).not.toContain("never");
});

test("many texts: pauses after little work", () => {
  const subjects = ["screen phone glass", "parcel courier street", "invoice price refund"];
  const texts = Array.from({ length: 30_000 }, (_, i) => `${subjects[i % 3]} number${i % 997} customer${i % 89} text${i}`);
  const labels = Int32Array.from(texts, (_, i) => i % 3);
  const steps = clusterWordsSteps(texts, labels, 3);
  let pauses = 0;
  let next = steps.next();
  for (; !next.done; next = steps.next()) pauses++;
  expect(pauses).toBeGreaterThan(20);
  // Words that always come together are shown as a pair.
  expect(next.value.map(({ terms }) => terms[0]!.term)).toEqual(["phone glass", "courier street", "invoice price"]);
});

describe("free text in a table", () => {
  const comments = ["the tea is good", "a mug with crack", "pen leaks some ink", "red box is empty", "blue box is full"];
  const instancesOf = (columns: readonly (readonly (string | number | null)[])[]): Instances => {
    const n = columns[0]!.length;
    const d = columns.length;
    const levels = columns.map((cells) =>
      cells.some((cell) => typeof cell === "string") ? [...new Set(cells.filter((cell) => typeof cell === "string"))] : null,
    );
    const x = new Float64Array(n * d);
    columns.forEach((cells, j) => {
      cells.forEach((cell, row) => {
        x[row * d + j] = cell === null ? Number.NaN : typeof cell === "number" ? cell : levels[j]!.indexOf(cell);
      });
    });
    return { n, d, x, levels, nominal: Uint8Array.from(levels, (names) => (names ? 1 : 0)) };
  };

  test("texts that hardly repeat with three words; not numbers, names or categories", () => {
    const names = ["Anna", "Bernd", "Cara Dahl", "Dan", "Eva"];
    const few = ["one of two kinds", "one of two kinds", "one of two kinds", "another of two kinds", "another of two kinds"];
    expect(freeTextColumns(instancesOf([[1, 2, 3, 4, 5], comments, names, few]))).toEqual([1]);
  });

  test("several columns are joined; missing and filled cells are no text", () => {
    const other = ["it came in time", null, "three days of rain", null, null];
    const instances = instancesOf([comments, other]);
    const filledRows = [Int32Array.of(3), Int32Array.of()];
    expect(drain(freeTextsSteps({ ...instances, filledRows }))).toEqual([
      "the tea is good · it came in time",
      "a mug with crack",
      "pen leaks some ink · three days of rain",
      null,
      "blue box is full",
    ]);
  });

  test("nothing without text columns, or without words", () => {
    const labels = Int32Array.of(0, 0, 1, 1, 1);
    expect(drain(textsInClustersSteps(instancesOf([[1, 2, 3, 4, 5]]), labels, 2))).toBeNull();
    expect(drain(textsInClustersSteps({ n: 5, d: 0, x: new Float64Array(0) }, labels, 2))).toBeNull();
    const found = drain(textsInClustersSteps(instancesOf([comments]), labels, 2))!;
    expect(found.clusters.map(({ terms }) => terms.length > 0)).toEqual([true, true]);
    expect(found.texts[0]).toBe("the tea is good");
  });
});
