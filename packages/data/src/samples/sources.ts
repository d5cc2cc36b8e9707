/**
 * Where the sets that do not come with the package are published, and how each raw file is laid out.
 *
 * `verified` is false for a place that could not be tried when this list was written. Whatever a place delivers, the normalised
 * content must have the SHA-256 of the catalogue, so a moved or changed file is noticed, never used.
 */
import type { Layout } from "./normalise.js";

export interface SourceFile {
  readonly url: string;
  /** The file inside a zip archive. */
  readonly entry?: string;
  /** Leading fields of each line that are dropped: ids and names. */
  readonly lead?: number;
}

export interface Source {
  readonly title: string;
  /** The raw files, whose rows follow one another. */
  readonly files: readonly SourceFile[];
  readonly layout: Layout;
  readonly verified: boolean;
}

interface Published {
  /** Number and archive of the set at its present address. */
  readonly archive: readonly [number: number, name: string];
  /** Folder of the set at the older address, where the files lie unpacked. */
  readonly folder: string;
  readonly files: readonly { readonly name: string; readonly lead?: number }[];
  readonly layout: Layout;
}

const repository = "https://archive.ics.uci.edu";
const RDATASETS = "https://vincentarelbundock.github.io/Rdatasets/csv";

/** The hosts that a download may come from: a redirect to another one is not followed. */
export const listedHosts: readonly string[] = [new URL(repository).host, new URL(RDATASETS).host];

/** The places of a set, in the order in which they are tried; none for a set that is packaged, derived or not published. */
export function sourcesOf(name: string): readonly Source[] {
  const entry = published.get(name);
  if (!entry) return crabsSources(name);
  const { archive, folder, files, layout } = entry;
  const zip = `${repository}/static/public/${archive[0]}/${archive[1]}.zip`;
  const lead = (file: { readonly lead?: number }) => (file.lead === undefined ? {} : { lead: file.lead });
  return [
    {
      title: "UCI Machine Learning Repository",
      files: files.map((file) => ({ url: zip, entry: file.name, ...lead(file) })),
      layout,
      verified: false,
    },
    {
      title: "UCI Machine Learning Repository, older address",
      files: files.map((file) => ({ url: `${repository}/ml/machine-learning-databases/${folder}/${file.name}`, ...lead(file) })),
      layout,
      verified: false,
    },
  ];
}

/** The names of the sets that can be downloaded. */
export function downloadableNames(): readonly string[] {
  return [...published.keys(), ...CRABS.keys()];
}

/** The fields of a line of the crabs: number, species, sex, number in its group, five measures. */
const SPECIES = 1;
const SEX = 2;

/** One table, three ways to see its classes. It comes from a package under the GPL, so it is never shipped. */
const CRABS: ReadonlyMap<string, Pick<Layout, "classAt" | "classes">> = new Map([
  ["crabs", { classAt: [SPECIES], classes: { B: "blue", O: "orange" } }],
  ["crabs-sex", { classAt: [SEX], classes: { M: "male", F: "female" } }],
  [
    "crabs-species-sex",
    {
      classAt: [SPECIES, SEX],
      classes: { "B M": "blue-male", "B F": "blue-female", "O M": "orange-male", "O F": "orange-female" },
    },
  ],
]);

function crabsSources(name: string): readonly Source[] {
  const seen = CRABS.get(name);
  if (!seen) return [];
  return [
    {
      title: "Rdatasets, the table crabs of the R package MASS",
      files: [{ url: `${RDATASETS}/MASS/crabs.csv`, lead: 4 }],
      layout: { columns: ["FL", "RW", "CL", "CW", "BD"], separator: "comma", ...seen },
      verified: false,
    },
  ];
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);
/** Classes that keep their raw names. */
const asIs = (text: string): Readonly<Record<string, string>> => Object.fromEntries(words(text).map((word) => [word, word]));

const published: ReadonlyMap<string, Published> = new Map<string, Published>([
  [
    "iris",
    {
      archive: [53, "iris"],
      folder: "iris",
      files: [{ name: "iris.data" }],
      layout: {
        columns: words("sepal_length sepal_width petal_length petal_width"),
        separator: "comma",
        classAt: "last",
        classes: { "Iris-setosa": "setosa", "Iris-versicolor": "versicolor", "Iris-virginica": "virginica" },
      },
    },
  ],
  [
    "hayes-roth",
    {
      archive: [44, "hayes+roth"],
      folder: "hayes-roth",
      files: [{ name: "hayes-roth.data", lead: 1 }, { name: "hayes-roth.test" }],
      layout: {
        columns: words("hobby age educational_level marital_status"),
        separator: "comma",
        classAt: "last",
        classes: asIs("1 2 3"),
      },
    },
  ],
  [
    "heart-statlog",
    {
      archive: [145, "statlog+heart"],
      folder: "statlog/heart",
      files: [{ name: "heart.dat" }],
      layout: {
        columns: words(`age sex chest_pain_type resting_blood_pressure serum_cholesterol fasting_blood_sugar resting_ecg
          max_heart_rate exercise_induced_angina oldpeak slope major_vessels thal`),
        separator: "blank",
        classAt: "last",
        classes: { "1": "absent", "2": "present" },
      },
    },
  ],
  [
    "ecoli",
    {
      archive: [39, "ecoli"],
      folder: "ecoli",
      files: [{ name: "ecoli.data", lead: 1 }],
      layout: {
        columns: words("mcg gvh lip chg aac alm1 alm2"),
        separator: "blank",
        classAt: "last",
        classes: asIs("cp im imL imS imU om omL pp"),
      },
    },
  ],
  [
    "liver-disorders",
    {
      archive: [60, "liver+disorders"],
      folder: "liver-disorders",
      files: [{ name: "bupa.data" }],
      layout: {
        columns: words("mcv alkphos sgpt sgot gammagt drinks"),
        separator: "comma",
        classAt: "last",
        classes: asIs("1 2"),
      },
    },
  ],
  [
    "yeast",
    {
      archive: [110, "yeast"],
      folder: "yeast",
      files: [{ name: "yeast.data", lead: 1 }],
      layout: {
        columns: words("mcg gvh alm mit erl pox vac nuc"),
        separator: "blank",
        classAt: "last",
        classes: asIs("CYT ERL EXC ME1 ME2 ME3 MIT NUC POX VAC"),
      },
    },
  ],
  [
    "image",
    {
      archive: [50, "image+segmentation"],
      folder: "image",
      files: [{ name: "segmentation.data" }, { name: "segmentation.test" }],
      layout: {
        columns: words(`region_centroid_col region_centroid_row region_pixel_count short_line_density_5 short_line_density_2
          vedge_mean vedge_sd hedge_mean hedge_sd intensity_mean rawred_mean rawblue_mean rawgreen_mean exred_mean exblue_mean
          exgreen_mean value_mean saturation_mean hue_mean`),
        separator: "comma",
        classAt: "first",
        classes: Object.fromEntries(
          words("BRICKFACE CEMENT FOLIAGE GRASS PATH SKY WINDOW").map((word) => [word, word.toLowerCase()]),
        ),
      },
    },
  ],
  [
    "pendigits-full",
    {
      archive: [81, "pen+based+recognition+of+handwritten+digits"],
      folder: "pendigits",
      files: [{ name: "pendigits.tra" }, { name: "pendigits.tes" }],
      layout: {
        columns: words("x1 y1 x2 y2 x3 y3 x4 y4 x5 y5 x6 y6 x7 y7 x8 y8"),
        separator: "comma",
        classAt: "last",
        classes: asIs("0 1 2 3 4 5 6 7 8 9"),
      },
    },
  ],
  [
    "soybean",
    {
      archive: [90, "soybean+large"],
      folder: "soybean",
      files: [{ name: "soybean-large.data" }, { name: "soybean-large.test" }],
      layout: {
        columns: words(`date plant_stand precip temp hail crop_hist area_damaged severity seed_tmt germination plant_growth leaves
          leafspots_halo leafspots_marg leafspot_size leaf_shread leaf_malf leaf_mild stem lodging stem_cankers canker_lesion
          fruiting_bodies external_decay mycelium int_discolor sclerotia fruit_pods fruit_spots seed mold_growth seed_discolor
          seed_size shriveling roots`),
        separator: "comma",
        classAt: "first",
        classes: asIs(`diaporthe-stem-canker charcoal-rot rhizoctonia-root-rot phytophthora-rot brown-stem-rot powdery-mildew
          downy-mildew brown-spot bacterial-blight bacterial-pustule purple-seed-stain anthracnose phyllosticta-leaf-spot
          alternarialeaf-spot frog-eye-leaf-spot diaporthe-pod-&-stem-blight cyst-nematode 2-4-d-injury herbicide-injury`),
        levels: [
          "april may june july august september october",
          "normal lt-normal",
          "lt-norm norm gt-norm",
          "lt-norm norm gt-norm",
          "yes no",
          "diff-lst-year same-lst-yr same-lst-two-yrs same-lst-sev-yrs",
          "scattered low-areas upper-areas whole-field",
          "minor pot-severe severe",
          "none fungicide other",
          "90-100 80-89 lt-80",
          "norm abnorm",
          "norm abnorm",
          "absent yellow-halos no-yellow-halos",
          "w-s-marg no-w-s-marg dna",
          "lt-1/8 gt-1/8 dna",
          "absent present",
          "absent present",
          "absent upper-surf lower-surf",
          "norm abnorm",
          "yes no",
          "absent below-soil above-soil above-sec-nde",
          "dna brown dk-brown-blk tan",
          "absent present",
          "absent firm-and-dry watery",
          "absent present",
          "none brown black",
          "absent present",
          "norm diseased few-present dna",
          "absent colored brown-w/blk-specks distort dna",
          "norm abnorm",
          "absent present",
          "absent present",
          "norm lt-norm",
          "absent present",
          "norm rotted galls-cysts",
        ].map(words),
      },
    },
  ],
  [
    "transfusion",
    {
      archive: [176, "blood+transfusion+service+center"],
      folder: "blood-transfusion",
      files: [{ name: "transfusion.data" }],
      layout: {
        columns: words("recency_months frequency_times monetary_cc time_months"),
        separator: "comma",
        classAt: "last",
        classes: asIs("0 1"),
      },
    },
  ],
  [
    "seeds",
    {
      archive: [236, "seeds"],
      folder: "00236",
      files: [{ name: "seeds_dataset.txt" }],
      layout: {
        columns: words("area perimeter compactness kernel_length kernel_width asymmetry groove_length"),
        separator: "blank",
        classAt: "last",
        classes: { "1": "Kama", "2": "Rosa", "3": "Canadian" },
      },
    },
  ],
  [
    "banknote",
    {
      archive: [267, "banknote+authentication"],
      folder: "00267",
      files: [{ name: "data_banknote_authentication.txt" }],
      layout: {
        columns: words("variance skewness curtosis entropy"),
        separator: "comma",
        classAt: "last",
        classes: asIs("0 1"),
      },
    },
  ],
  [
    "mushroom",
    {
      archive: [73, "mushroom"],
      folder: "mushroom",
      files: [{ name: "agaricus-lepiota.data" }],
      layout: {
        columns: words(`cap_shape cap_surface cap_color bruises odor gill_attachment gill_spacing gill_size gill_color stalk_shape
          stalk_root stalk_surface_above_ring stalk_surface_below_ring stalk_color_above_ring stalk_color_below_ring veil_type
          veil_color ring_number ring_type spore_print_color population habitat`),
        separator: "comma",
        classAt: "first",
        classes: { e: "edible", p: "poisonous" },
      },
    },
  ],
]);
