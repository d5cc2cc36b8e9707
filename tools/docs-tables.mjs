/** The tables of the lessons, made from a seed: `node tools/docs-tables.mjs` writes them to docs/public/data. A test makes them again. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeSynthetic, randomFrom } from "../packages/core/dist/internal.js";

const folder = fileURLToPath(new URL("../docs/public/data/", import.meta.url));

const csv = (header, rows) => `${header.join(",")}\n${rows.map((row) => row.join(",")).join("\n")}\n`;

/** A number around `mean`: the sum of uniform numbers is nearly normal. */
function around(random, mean, spread) {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += random.unit();
  return mean + spread * sum;
}

const pick = (random, list) => list[random.int(list.length)];

/* Customers of a shop. Four segments differ in how they buy. How they browse (app or web) is plain to see as well, and independent of it. */

const SEGMENTS = [
  // name, orders a year, basket in euros, days since the last order, share bought on sale, share returned
  ["regular", 14, 62, 20, 0.15, 0.05],
  ["bargain", 12, 48, 24, 0.72, 0.07],
  ["tries-on", 11, 95, 26, 0.3, 0.5],
  ["lapsed", 4, 66, 190, 0.25, 0.08],
];

const browsing = (isApp, random) => ({
  visits: Math.max(1, Math.round(around(random, isApp ? 42 : 9, isApp ? 7 : 3))),
  pages: Math.max(1, around(random, isApp ? 3 : 14, isApp ? 1 : 3)),
  night: Math.min(0.98, Math.max(0.01, around(random, isApp ? 0.6 : 0.2, 0.08))),
});

function customers() {
  const random = randomFrom(34).split("customers");
  const rows = Array.from({ length: 400 }, (_, i) => {
    const [, orders, basket, days, sale, back] = SEGMENTS[random.int(SEGMENTS.length)];
    const share = (mean) => Math.min(0.95, Math.max(0, around(random, mean, 0.11)));
    return {
      id: `c${String(i + 1).padStart(3, "0")}`,
      orders: Math.max(1, Math.round(around(random, orders, 4))),
      basket: Math.max(9, around(random, basket, 24)),
      days: Math.max(0, Math.round(around(random, days, days / 3))),
      sale: share(sale),
      back: share(back),
      age: Math.max(18, Math.round(around(random, 44, 13))),
      ...browsing(random.unit() < 0.45, random),
    };
  });
  return csv(
    [
      "customer_id",
      "orders_per_year",
      "basket",
      "days_since_order",
      "bought_on_sale",
      "returned",
      "age",
      "visits_per_month",
      "pages_per_visit",
      "visits_at_night",
    ],
    rows.map(({ id, orders, basket, days, sale, back, age, visits, pages, night }) => [
      id,
      orders,
      `€${basket.toFixed(2)}`,
      days,
      `${Math.round(sale * 100)}%`,
      `${Math.round(back * 100)}%`,
      age,
      visits,
      pages.toFixed(1),
      `${Math.round(night * 100)}%`,
    ]),
  );
}

/* Messages to a shop. A message is about one thing and mentions things that do not matter. */

const TOPICS = {
  delivery: [
    ["my parcel", "the package", "my order", "the delivery"],
    ["has not arrived", "is three days late", "was left at the wrong address", "is stuck in the depot", "still shows as shipped"],
    [
      "the courier never rang",
      "tracking has not moved since monday",
      "the carrier lost it",
      "the driver came when nobody was home",
    ],
  ],
  payment: [
    ["my card", "the payment", "the invoice", "my bank account"],
    ["was charged twice", "was declined", "shows the wrong amount", "was debited too early", "lacks the discount code"],
    [
      "please refund the difference",
      "the receipt has another total",
      "the credit card company confirms the charge",
      "the voucher was not applied",
    ],
  ],
  login: [
    ["the password reset", "my account", "the login page", "the confirmation email"],
    ["does not work", "keeps me signed out", "never comes", "says the link has expired", "locked me out"],
    [
      "i tried another browser",
      "the two factor code is rejected",
      "my user name is unknown",
      "the app asks for the password again",
    ],
  ],
  returns: [
    ["the shoes", "the jacket", "the trousers", "the dress"],
    ["do not fit", "are the wrong size", "came in another colour", "have a torn seam", "look different from the photo"],
    [
      "how do i send them back",
      "i need a return label",
      "can i exchange them for a larger size",
      "where do i drop off the return",
    ],
  ],
};

const SMALL_TALK = ["hello", "good morning", "hi there", "dear team", "i am a customer since 2019", "i like your shop"];
const ENDS = ["thank you", "please answer soon", "kind regards", "i wait for your reply", "thanks in advance"];

function messages() {
  const random = randomFrom(34).split("messages");
  const names = Object.keys(TOPICS);
  const rows = Array.from({ length: 240 }, (_, i) => {
    const topic = names[random.int(names.length)];
    const [what, problem, more] = TOPICS[topic];
    const text = [
      pick(random, SMALL_TALK),
      `${pick(random, what)} ${pick(random, problem)}`,
      pick(random, more),
      pick(random, ENDS),
    ].join(". ");
    return [`m${i + 1}`, `"${text}"`, pick(random, ["app", "web", "email"]), topic];
  });
  return csv(["message_id", "text", "channel", "topic"], rows);
}

/* Addresses from three lists: the same household is written in different ways. */

const FIRST = [
  "Anna",
  "Bernd",
  "Carla",
  "David",
  "Elena",
  "Farid",
  "Greta",
  "Hugo",
  "Ines",
  "Jonas",
  "Karin",
  "Leo",
  "Maria",
  "Nils",
  "Olga",
  "Paul",
  "Rosa",
  "Sven",
  "Tara",
  "Udo",
];
const LAST = [
  "Meyer",
  "Schulz",
  "Okafor",
  "Lindgren",
  "Novak",
  "Costa",
  "Haddad",
  "Petrov",
  "Weber",
  "Fischer",
  "Romano",
  "Dubois",
  "Kaya",
  "Jensen",
  "Moreau",
  "Silva",
];
const STREETS = [
  "Station Road",
  "Mill Lane",
  "Church Street",
  "Park Avenue",
  "Harbour Way",
  "Oak Drive",
  "School Lane",
  "Victoria Street",
  "Bridge Road",
  "Garden Close",
];
const TOWNS = [
  ["Leeds", "LS1 4DY"],
  ["York", "YO1 7HH"],
  ["Bath", "BA1 1LT"],
  ["Derby", "DE1 2QW"],
  ["Exeter", "EX4 3SB"],
  ["Norwich", "NR2 1TF"],
];

function typo(random, text) {
  const at = 1 + random.int(Math.max(1, text.length - 2));
  const way = random.int(3);
  if (way === 0) return text.slice(0, at) + text.slice(at + 1);
  if (way === 1) return text.slice(0, at) + text[at] + text.slice(at);
  return text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2);
}

const SHORTER = [
  ["Road", "Rd"],
  ["Street", "St"],
  ["Lane", "Ln"],
  ["Avenue", "Ave"],
  ["Drive", "Dr"],
];

function addresses() {
  const random = randomFrom(34).split("addresses");
  const lists = ["newsletter", "orders", "shop"];
  const households = Array.from({ length: 110 }, () => {
    const [town, code] = pick(random, TOWNS);
    return {
      first: pick(random, FIRST),
      last: pick(random, LAST),
      street: `${1 + random.int(120)} ${pick(random, STREETS)}`,
      town,
      code,
      phone: `0${1_000 + random.int(9_000)} ${100_000 + random.int(900_000)}`,
    };
  });
  const rows = households.flatMap((household, person) =>
    lists.flatMap((list) => {
      if (random.unit() < 0.3) return [];
      const { first, last, town, code } = household;
      let { street, phone } = household;
      let name = random.unit() < 0.25 ? `${last} ${first}` : random.unit() < 0.2 ? `${first[0]}. ${last}` : `${first} ${last}`;
      if (random.unit() < 0.25) name = typo(random, name);
      if (random.unit() < 0.4) for (const [long, short] of SHORTER) street = street.replace(long, short);
      if (random.unit() < 0.15) street = typo(random, street);
      if (random.unit() < 0.3) phone = "";
      return [[list, name, street, town, random.unit() < 0.2 ? "" : code, phone, `h${person}`]];
    }),
  );
  const mixed = rows.map((row) => [random.unit(), row]).sort(([a], [b]) => a - b);
  return csv(
    ["record_id", "list", "name", "street", "town", "postcode", "phone", "household"],
    mixed.map(([, row], i) => [`r${i + 1}`, ...row]),
  );
}

/** Sales of many shops, in three files: a small stand-in for files that do not fit into memory. */
function sales(part) {
  const random = randomFrom(34).split(`sales-${part}`);
  const kinds = [
    [8, 30, 0.2],
    [25, 12, 0.5],
    [60, 55, 0.8],
  ];
  const rows = Array.from({ length: 2_000 }, (_, i) => {
    const [visits, basket, weekend] = kinds[random.int(3)];
    return [
      `s${part}-${i}`,
      Math.max(0, around(random, visits, 6)).toFixed(1),
      Math.max(1, around(random, basket, 5)).toFixed(2),
      Math.min(1, Math.max(0, around(random, weekend, 0.12))).toFixed(3),
    ];
  });
  return csv(["shop", "visits", "basket", "weekend"], rows);
}

/* Products of a grocer with a tree of categories, in which only some of the products have a place. */

const GROCERIES = {
  dairy: {
    milk: ["Whole milk", "Skimmed milk", "Oat drink", "Buttermilk", "Kefir", "Goat milk"],
    cheese: ["Gouda", "Cheddar", "Feta", "Brie", "Parmesan", "Emmental"],
  },
  fruit: {
    citrus: ["Orange", "Lemon", "Lime", "Grapefruit", "Mandarin", "Pomelo"],
    berries: ["Strawberry", "Raspberry", "Blueberry", "Currant", "Blackberry", "Gooseberry"],
  },
  bakery: {
    bread: ["Rye bread", "White bread", "Ciabatta", "Bagel", "Baguette", "Pumpernickel"],
    cake: ["Muffin", "Brownie", "Cheesecake", "Donut", "Carrot cake", "Shortbread"],
  },
};

// kcal, protein, sugar, fat (per 100 g), days it keeps
const MEANS = {
  milk: [56, 3.6, 4.6, 2.2, 9],
  cheese: [350, 23, 1, 28, 40],
  citrus: [44, 0.9, 7, 0.2, 24],
  berries: [46, 1, 6, 0.4, 4],
  bread: [255, 8.6, 3.6, 2.2, 5],
  cake: [395, 5, 31, 20, 6],
};

function products() {
  const random = randomFrom(34).split("products");
  const rows = Object.values(GROCERIES).flatMap((groups) =>
    Object.entries(groups).flatMap(([group, names]) =>
      names.map((name) => [name, ...MEANS[group].map((mean) => Math.max(0, around(random, mean, mean * 0.3)).toFixed(1))]),
    ),
  );
  return csv(["product_name", "kcal", "protein", "sugar", "fat", "keeps_days"], rows);
}

/** The tree of the first four products of each category; the last two are new. */
function productTree() {
  const leaf = (id) => ({ id });
  const children = Object.entries(GROCERIES).map(([name, groups]) => ({
    name,
    children: Object.entries(groups).map(([group, names]) => ({ name: group, children: names.slice(0, 4).map(leaf) })),
  }));
  return `${JSON.stringify({ children }, null, 1)}\n`;
}

/** The sets in the plane, as `coterie data make` draws them. */
function plane(name) {
  const {
    points: { x },
    truth,
  } = makeSynthetic(name, 300, randomFrom(1));
  return csv(
    ["x", "y", "class"],
    Array.from({ length: 300 }, (_, i) => [x[2 * i], x[2 * i + 1], truth.names[truth.codes[i]]]),
  );
}

/** File in docs/public/data → its text. */
export const TABLES = {
  "customers.csv": customers,
  "messages.csv": messages,
  "addresses.csv": addresses,
  "products.csv": products,
  "categories.json": productTree,
  ...Object.fromEntries(["circles", "cellwalls", "xor", "stormclouds"].map((name) => [`${name}.csv`, () => plane(name)])),
  "sales-1.csv": () => sales(1),
  "sales-2.csv": () => sales(2),
  "sales-3.csv": () => sales(3),
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(folder, { recursive: true });
  for (const [name, textOf] of Object.entries(TABLES)) writeFileSync(join(folder, name), textOf());
}
