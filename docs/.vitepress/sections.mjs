/** The sections of the site and the order of their pages. A test checks that every page is listed, and that every listed page is there. */
const page = (text, link) => ({ text, link });

export const LESSONS = [
  page("Penguins: three links", "/learn/penguins"),
  page("Customers: segments from labels", "/learn/customers"),
  page("Duplicates in an address table", "/learn/duplicates"),
  page("Topics from texts", "/learn/topics"),
  page("A taxonomy kept", "/learn/taxonomy"),
  page("When constraints hurt", "/learn/harm"),
  page("From a CSV to a lake", "/learn/lake"),
];

const METHOD_GROUPS = [
  ["Start here", ["auto", "kmeans"]],
  [
    "Around means",
    ["mixture", "cop-kmeans", "pck-means", "mpck-means", "mk-means", "rca-kmeans", "supervised-means", "svm-kmeans"],
  ],
  [
    "Hierarchies",
    [
      "ccl",
      "recon",
      "density",
      "complete-link",
      "average-link",
      "weighted-link",
      "single-link",
      "ward",
      "centroid-link",
      "median-link",
    ],
  ],
  ["Rules and records", ["clusilc", "duplicates"]],
];

const methods = [
  page("Which method?", "/methods/"),
  ...METHOD_GROUPS.map(([text, names]) => ({ text, items: names.map((name) => page(name, `/methods/${name}`)) })),
];

const RECIPES = [
  page("All recipes", "/recipes/"),
  page("Read a table", "/recipes/tables"),
  page("Write constraints", "/recipes/constraints"),
  page("Check constraints", "/recipes/check"),
  page("Choose a method", "/recipes/choose"),
  page("Find the number of clusters", "/recipes/number"),
  page("Find duplicates", "/recipes/duplicates"),
  page("Clusters as rules", "/recipes/rules"),
  page("Answer questions", "/recipes/questions"),
  page("Place new rows", "/recipes/new-rows"),
  page("Files that come out", "/recipes/outputs"),
  page("Use your own distances", "/recipes/distances"),
  page("Embed it in a page", "/recipes/vite"),
];

export const COMMANDS = [
  "cluster",
  "ask",
  "constraints",
  "diagnose",
  "advise",
  "compare",
  "explain",
  "evaluate",
  "predict",
  "studio",
  "data",
  "serve",
  "mcp",
  "reproduce",
  "completion",
];

export const ENTRIES = ["coterie", "data", "diagnose", "measures", "ask", "figures"];

const reference = [
  {
    text: "Command line",
    items: [page("How it behaves", "/command-line/"), ...COMMANDS.map((name) => page(name, `/command-line/${name}`))],
  },
  {
    text: "Library",
    items: [
      page("How to use it", "/library/"),
      ...ENTRIES.map((name) => page(name === "coterie" ? name : `coterie/${name}`, `/library/${name}`)),
    ],
  },
  { text: "Studio", items: [page("The studio", "/studio"), page("Its HTTP API", "/http-api")] },
  {
    text: "Python",
    items: [page("From Python", "/python"), page("From other programs", "/stdio"), page("Language models as users", "/agents")],
  },
  { text: "Engines", items: [page("DuckDB and Spark", "/engines")] },
  { text: "Files", items: [page("Formats and schemas", "/formats"), page("Glossary", "/glossary")] },
];

const evidence = [
  page("What was measured", "/evidence"),
  { text: "Experiments", items: [page("Papers, tested again", "/experiments/"), page("All claims", "/experiments/claims")] },
  {
    text: "Measurements",
    items: [
      ["auto", "The automatic choice"],
      ["methods", "Methods beside others"],
      ["bench", "Speed beside others"],
      ["mpck", "MPCK-means"],
      ["density", "Density"],
      ["relative", "Relative constraints"],
      ["colouring", "Exact colouring"],
      ["duplicates", "Duplicates"],
      ["embeddings", "Embeddings"],
      ["noisy-answers", "Wrong answers"],
      ["choose-k", "The number of clusters"],
      ["engines", "Engines"],
      ["studio", "The studio"],
      ["map", "The map of neighbourhoods"],
      ["site", "This site"],
      ["history", "Speed over releases"],
      ["mutation", "Tests, by mutation"],
      ["reading", "Texts, by readers"],
    ].map(([name, text]) => page(text, `/measurements/${name}`)),
  },
  {
    text: "Behind it",
    items: [
      page("Decisions", "/decisions/"),
      page("Architecture", "/architecture"),
      page("Contribute", "/contribute"),
      page("Status and limits", "/status"),
      page("Papers", "/references"),
      page("Dependencies", "/dependencies"),
    ],
  },
];

/** By the beginning of the address; the reference is for all other pages. */
export const sidebar = {
  "/learn/": [page("All lessons", "/learn/"), ...LESSONS, page("Gallery", "/gallery")],
  "/gallery": [page("All lessons", "/learn/"), ...LESSONS, page("Gallery", "/gallery")],
  "/methods/": methods,
  "/recipes/": RECIPES,
  "/start": [page("Start", "/start"), ...LESSONS],
  ...Object.fromEntries(
    [
      "/evidence",
      "/experiments/",
      "/measurements/",
      "/decisions/",
      "/architecture",
      "/contribute",
      "/status",
      "/references",
      "/dependencies",
    ].map((path) => [path, evidence]),
  ),
  "/": reference,
};

export const nav = [
  page("Start", "/start"),
  { text: "Learn", items: [page("Lessons", "/learn/"), page("Gallery", "/gallery")], activeMatch: "^/(learn|gallery)" },
  { text: "Methods", link: "/methods/", activeMatch: "^/methods/" },
  { text: "Recipes", link: "/recipes/", activeMatch: "^/recipes/" },
  {
    text: "Reference",
    items: [
      page("Studio", "/studio"),
      page("Command line", "/command-line/"),
      page("Library", "/library/"),
      page("Python", "/python"),
      page("Engines", "/engines"),
      page("Formats", "/formats"),
      page("Studio's HTTP API", "/http-api"),
      page("Glossary", "/glossary"),
    ],
    activeMatch: "^/(studio|command-line|library|python|engines|formats|http-api|glossary)",
  },
  {
    text: "Evidence",
    link: "/evidence",
    activeMatch: "^/(evidence|experiments|measurements|decisions|architecture|contribute|status)",
  },
  { text: "Try it", link: "/try/", target: "_self", rel: "" },
];
