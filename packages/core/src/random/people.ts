/**
 * Records about people from several sources, to find duplicates in: each source knows a person at most once, and not all of them. Names
 * come in either order or with an initial, some misspelt; e-mail addresses and cities are missing here and there. Who is meant is the truth.
 */
import type { Random } from "./random.js";

export interface PersonRecord {
  readonly id: string;
  readonly source: string;
  readonly name: string;
  /** Empty where it is missing, as the city. */
  readonly email: string;
  readonly city: string;
  readonly born: number;
  /** Who it is. */
  readonly person: string;
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

/** How often a source knows a person, and how often what goes wrong. */
const KNOWN = 0.65;
const SWAPPED = 0.25;
const INITIAL = 0.08;
const MISSPELT = 0.25;
const NO_MAIL = 0.3;
const NO_CITY = 0.1;
const MAIL_MISSPELT = 0.05;

export function makePeople(rows: number, sources: number, random: Random): PersonRecord[] {
  const made: Omit<PersonRecord, "id">[] = [];
  for (let person = 0; made.length < rows; person++) {
    const draw = random.split("person", person);
    const identity = identityOf(draw, person);
    const surely = draw.int(sources);
    for (let source = 0; source < sources && made.length < rows; source++)
      if (source === surely || draw.unit() < KNOWN) made.push(seenBy(identity, `source ${source + 1}`, draw));
  }
  const order = Int32Array.from(made.keys());
  random.split("order").shuffle(order);
  return Array.from(order, (place, row) => ({ id: `r${row}`, ...made[place]! }));
}

interface Identity {
  readonly first: string;
  readonly last: string;
  readonly email: string;
  readonly city: string;
  readonly born: number;
  readonly person: string;
}

function identityOf(draw: Random, person: number): Identity {
  const [first, last] = [pick(FIRST, draw), pick(LAST, draw)];
  const number = draw.int(100);
  const email = `${first}.${last}${number < 60 ? "" : number}@${pick(MAILS, draw)}`.toLowerCase();
  return { first, last, email, city: pick(CITIES, draw), born: 1940 + draw.int(65), person: `p${person}` };
}

function seenBy({ first, last, email, city, born, person }: Identity, source: string, draw: Random): Omit<PersonRecord, "id"> {
  const given = draw.unit() < INITIAL ? `${first[0]}.` : misspelt(first, draw, MISSPELT / 2);
  const family = misspelt(last, draw, MISSPELT / 2);
  const name = draw.unit() < SWAPPED ? `${family}, ${given}` : `${given} ${family}`;
  const mail = draw.unit() < NO_MAIL ? "" : misspelt(email, draw, MAIL_MISSPELT);
  return { source, name, email: mail, city: draw.unit() < NO_CITY ? "" : city, born, person };
}

function pick(items: readonly string[], draw: Random): string {
  return items[draw.int(items.length)]!;
}

/** With this chance one slip: a letter left out, doubled, changed for another, or two in the wrong order. */
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
