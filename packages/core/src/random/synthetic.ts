/**
 * The four synthetic sets of Klein, Kamvar, Manning 2002 (figure 7). Each set has two classes in the plane. The classes are easy to see,
 * but methods for round clusters do not find them. The paper shows pictures and no formulas; these are the shapes in the pictures.
 *
 *     circles      a disc, and a ring around it
 *     cellwalls    two cells side by side; the two nuclei are one class, the two walls the other class
 *     xor          four squares; opposite squares are one class
 *     stormclouds  two long, low clouds, one above the other
 *
 * Each class has n/2 rows (the first class has one more if n is odd), in random order, uniformly distributed over its shape.
 */
import { badOption } from "../errors.js";
import { cos, sin } from "../linalg/elementary.js";
import type { Labelling, Points } from "../model/points.js";
import type { Random } from "./random.js";

export const SYNTHETIC_SETS = ["circles", "cellwalls", "xor", "stormclouds"] as const;

export type SyntheticSet = (typeof SYNTHETIC_SETS)[number];

type Place = readonly [x: number, y: number];

interface Shape {
  readonly classes: readonly [string, string];
  readonly place: (code: number, random: Random) => Place;
}

/** Radii: the disc, and the inner and outer edge of the ring. */
const CIRCLES = { disc: 1, inner: 2.1, outer: 2.7 };
/** Two cells of radius `outer`, centred at ±`centre`, so that their walls (from `inner` to `outer`) nearly touch at x = 0. */
const CELL = { nucleus: 0.6, inner: 1.6, outer: 2, centre: 2.1 };
/** Squares of this width around (±1, ±1). */
const SQUARE = 1.4;
/** Five discs per cloud, 1.6 apart, the middle discs higher. The upper cloud is shifted half a disc to the right. */
const PUFFS = { apart: 1.6, rise: [0, 0.25, 0.35, 0.25, 0], radius: 0.95, base: 1.35, shift: 0.8 };

const SHAPES: Readonly<Record<SyntheticSet, Shape>> = {
  circles: {
    classes: ["disc", "ring"],
    place: (code, random) => (code === 0 ? ring(0, CIRCLES.disc, random) : ring(CIRCLES.inner, CIRCLES.outer, random)),
  },
  cellwalls: {
    classes: ["nucleus", "wall"],
    place(code, random) {
      const side = random.int(2) === 0 ? -CELL.centre : CELL.centre;
      const [x, y] = code === 0 ? ring(0, CELL.nucleus, random) : ring(CELL.inner, CELL.outer, random);
      return [x + side, y];
    },
  },
  xor: {
    classes: ["same", "opposite"],
    place(code, random) {
      const right = random.int(2) === 0 ? -1 : 1;
      const up = code === 0 ? right : -right;
      return [right + SQUARE * (random.unit() - 0.5), up + SQUARE * (random.unit() - 0.5)];
    },
  },
  stormclouds: {
    classes: ["lower", "upper"],
    place(code, random) {
      const puff = random.int(PUFFS.rise.length);
      const [x, y] = ring(0, PUFFS.radius, random);
      const side = code === 0 ? -1 : 1;
      return [
        (puff - 2) * PUFFS.apart + x + (side * PUFFS.shift) / 2,
        // Flattened discs over a flat base. The lower cloud is mirrored, so the bulges of both clouds point away from the gap.
        side * (PUFFS.base + PUFFS.rise[puff]! + 0.7 * y),
      ];
    },
  },
};

export function makeSynthetic(
  name: SyntheticSet,
  n: number,
  random: Random,
): { readonly points: Points; readonly truth: Labelling } {
  const shape = SHAPES[name];
  if (!shape) throw badOption("name", name, SYNTHETIC_SETS.join(", "));
  if (!Number.isInteger(n) || n < 2) throw badOption("n", n, "a whole number, 2 or more");
  const codes = Int32Array.from({ length: n }, (_, i) => (2 * i < n ? 0 : 1));
  random.split("order").shuffle(codes);
  const places = random.split("places");
  const x = new Float64Array(2 * n);
  for (let i = 0; i < n; i++) x.set(shape.place(codes[i]!, places), 2 * i);
  return { points: { n, d: 2, x, names: ["x", "y"] }, truth: { codes, names: shape.classes } };
}

const TWO_PI = 6.283185307179586;

/** A random point between two circles around the origin, uniform in area; a disc if the inner radius is 0. */
function ring(inner: number, outer: number, random: Random): Place {
  const radius = Math.sqrt(inner * inner + (outer * outer - inner * inner) * random.unit());
  const angle = TWO_PI * random.unit();
  return [radius * cos(angle), radius * sin(angle)];
}

/*
 * Records about people from several sources, for duplicate detection. Each source contains a person at most once, and not every person.
 * First and last name are in either order, or the first name is an initial; some names are misspelt; e-mail addresses and cities are
 * missing in some records. The true class of a record is the person.
 */

export interface PersonRecord {
  readonly id: string;
  readonly source: string;
  readonly name: string;
  /** Empty if missing; `city` can be empty too. */
  readonly email: string;
  readonly city: string;
  readonly born: number;
  readonly person: string;
}

/** The probability that a source contains a person. */
const KNOWN = 0.65;

export function makePeople(rows: number, sources: number, random: Random): PersonRecord[] {
  const made: Omit<PersonRecord, "id">[] = [];
  for (let person = 0; made.length < rows; person++) {
    const draw = random.split("person", person);
    const identity = identityOf(draw, person);
    const certainSource = draw.int(sources);
    for (let source = 0; source < sources && made.length < rows; source++)
      if (source === certainSource || draw.unit() < KNOWN) made.push(recordOf(identity, `source ${source + 1}`, draw));
  }
  const order = Int32Array.from(made.keys());
  random.split("order").shuffle(order);
  return Array.from(order, (place, row) => ({ id: `r${row}`, ...made[place]! }));
}

interface Identity extends Pick<PersonRecord, "email" | "city" | "born" | "person"> {
  readonly first: string;
  readonly last: string;
}

const FIRST =
  "Anna Ben Clara David Elena Felix Greta Hugo Ida Jonas Karin Lukas Maria Nils Olga Paul Rosa Simon Tina Viktor Wanda Yusuf Zoe Amir Britta Carlos Dilek Emil Fatima Georg Hanna Ivan Julia Kofi Laura Mehmet Nora Oskar Petra Quentin Ravi Sofia Theo Ulla Vera Walter Xenia Yara".split(
    " ",
  );
const LAST =
  "Meyer Schmidt Okafor Nguyen Rossi Garcia Kowalski Novak Larsen Berg Fischer Weber Wagner Becker Hoffmann Schulz Koch Bauer Richter Klein Wolf Neumann Schwarz Zimmermann Braun Hartmann Lange Werner Krause Lehmann Maier Huber Kaiser Fuchs Peters Scholz Lang Jung Hahn Keller Vogel Friedrich Beck Winkler Roth Haas Sommer Graf Seidel Heinrich Brandt Schreiber Dietrich Engel Kuhn Pohl Horn Busch Bergmann Voigt Sauer Arnold Pfeiffer Yilmaz Demir Kaya Petrov Ivanov Silva Costa Moreau Dubois Laurent Jansen Visser Nielsen Hansen Andersen Virtanen Nagy".split(
    " ",
  );
const CITIES = "Berlin Hamburg Munich Cologne Leipzig Vienna Zurich Basel Graz Bremen Dresden Essen".split(" ");
const MAILS = ["mail.example", "post.example", "web.example"];

function identityOf(draw: Random, person: number): Identity {
  const [first, last] = [pick(FIRST, draw), pick(LAST, draw)];
  const number = draw.int(100);
  const email = `${first}.${last}${number < 60 ? "" : number}@${pick(MAILS, draw)}`.toLowerCase();
  return { first, last, email, city: pick(CITIES, draw), born: 1940 + draw.int(65), person: `p${person}` };
}

const SWAPPED = 0.25;
const INITIAL = 0.08;
const MISSPELT = 0.25;
const NO_MAIL = 0.3;
const NO_CITY = 0.1;
const MAIL_MISSPELT = 0.05;

function recordOf({ first, last, email, city, born, person }: Identity, source: string, draw: Random): Omit<PersonRecord, "id"> {
  const given = draw.unit() < INITIAL ? `${first[0]}.` : misspelt(first, draw, MISSPELT / 2);
  const family = misspelt(last, draw, MISSPELT / 2);
  const name = draw.unit() < SWAPPED ? `${family}, ${given}` : `${given} ${family}`;
  const mail = draw.unit() < NO_MAIL ? "" : misspelt(email, draw, MAIL_MISSPELT);
  return { source, name, email: mail, city: draw.unit() < NO_CITY ? "" : city, born, person };
}

function pick(items: readonly string[], draw: Random): string {
  return items[draw.int(items.length)]!;
}

/** Makes one typing error with this probability: a letter omitted, doubled or replaced, or two letters swapped. */
function misspelt(text: string, draw: Random, chance: number): string {
  if (draw.unit() >= chance || text.length < 3) return text;
  const at = 1 + draw.int(text.length - 2);
  const [before, sign, after] = [text.slice(0, at), text[at]!, text.slice(at + 1)];
  switch (draw.int(4)) {
    case 0:
      return before + after;
    case 1:
      return before + sign + sign + after;
    case 2:
      return before + "aeinrst"[draw.int(7)]! + after;
    default:
      return before + after[0]! + sign + after.slice(1);
  }
}
