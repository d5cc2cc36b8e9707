/**
 * The chart "Which method?" as data. An answer leads to methods or to another question. `tries` is what `auto` chooses from in that case,
 * the likeliest first; a test compares it with the candidates of `auto`.
 */
export const QUESTIONS = [
  {
    question: "What do you look for?",
    answers: [
      { answer: "Groups of similar rows", next: 2 },
      {
        answer: "Rows that describe the same person or product",
        methods: ["duplicates"],
        why: "It compares cells, and finds how many things there are.",
      },
      {
        answer: "A rule in words for each group",
        methods: ["clusilc"],
        why: "A decision tree whose leaves are the clusters. For rules of other clusters there is coterie explain.",
      },
    ],
  },
  {
    question: "What do you know about some rows?",
    answers: [
      { answer: "Which pairs belong together or apart, or some labels", next: 3 },
      {
        answer: "Comparisons: a is closer to b than to c",
        methods: ["auto", "recon", "svm-kmeans"],
        why: "recon keeps every comparison in a hierarchy; svm-kmeans learns from them how much each column counts.",
        facts: { table: "numbers", known: "relative" },
        tries: ["mixture", "kmeans", "recon", "pck-means", "rca-kmeans", "ward", "ccl"],
      },
      {
        answer: "Nothing, but how many groups there are",
        methods: ["kmeans"],
        why: "The default without constraints.",
        facts: { table: "numbers", known: "nothing" },
      },
      {
        answer: "Nothing at all",
        methods: ["density", "ward"],
        why: "density finds the number of groups and leaves stray rows out; ward gives a hierarchy to cut anywhere.",
      },
    ],
  },
  {
    question: "What is the table like?",
    answers: [
      {
        answer: "Numbers or categories, with pairs",
        methods: ["auto"],
        why: "It tries several methods on constraints that it holds out.",
        facts: { table: "numbers", known: "pairs" },
        tries: ["mixture", "kmeans", "pck-means", "rca-kmeans", "ward", "ccl"],
      },
      {
        answer: "Numbers or categories, with labels",
        methods: ["auto"],
        why: "It tries rules as well.",
        facts: { table: "numbers", known: "labels" },
        tries: ["mixture", "kmeans", "pck-means", "rca-kmeans", "ward", "ccl", "clusilc"],
      },
      {
        answer: "Distances of your own",
        methods: ["auto", "ccl"],
        why: "Rows that are known by their distances have no means, so only hierarchies can cluster them.",
        facts: { table: "distances", known: "pairs" },
        tries: ["ccl", "complete-link"],
      },
      {
        answer: "Larger than memory",
        methods: ["pck-means", "cop-kmeans", "kmeans"],
        why: "DuckDB or Spark carries them out exactly.",
      },
    ],
  },
  {
    question: "Do you want to name the method yourself?",
    answers: [
      { answer: "Every constraint must hold, or I want the proof that it cannot", methods: ["cop-kmeans"] },
      { answer: "A hierarchy that keeps them", methods: ["ccl"] },
      {
        answer: "Some constraints may be wrong",
        methods: ["mixture", "pck-means"],
        why: "Both weigh a constraint against the rows around it.",
      },
      { answer: "Constraints should teach which columns matter", methods: ["mpck-means", "rca-kmeans"] },
    ],
  },
];
