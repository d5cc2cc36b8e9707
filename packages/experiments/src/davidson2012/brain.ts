/**
 * A brain slice that we make: pixels of an ellipse, each with a series of measurements over time. Four regions, placed like
 * those of the default mode network, share one slow signal; the rest of the slice follows others; all are noisy.
 */
import { type Instances, type Random, randomFrom } from "@coterie/core/internal";

export interface Slice {
  /** One row for each pixel inside the slice; the known classes are 0 outside the network and 1 inside. */
  readonly pixels: Instances;
  readonly width: number;
  readonly height: number;
  /** Where each row lies. */
  readonly x: Int32Array;
  readonly y: Int32Array;
  /** The region of each row, -1 for none. */
  readonly region: Int32Array;
}

const WIDTH = 36;
const HEIGHT = 44;
const TIMES = 40;
/** Size of the noise and of the other signals, where that of the network is 1. */
export const NOISE = 1.6;
const OTHERS = 0.5;
/** Centres and half axes, in pixels: frontal, left and right parietal, posterior. */
const REGIONS = [
  { x: 17.5, y: 9, rx: 4.2, ry: 3.6 },
  { x: 7.5, y: 29, rx: 3, ry: 3.6 },
  { x: 27.5, y: 29, rx: 3, ry: 3.6 },
  { x: 17.5, y: 34, rx: 3.6, ry: 4.4 },
] as const;

export function brainSlice(seed: number): Slice {
  const random = randomFrom(seed).split("brain slice");
  const inside: { x: number; y: number; region: number }[] = [];
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      if (((x - 17.5) / 17.5) ** 2 + ((y - 21.5) / 21.5) ** 2 > 1) continue;
      const region = REGIONS.findIndex((r) => ((x - r.x) / r.rx) ** 2 + ((y - r.y) / r.ry) ** 2 <= 1);
      inside.push({ x, y, region });
    }
  }
  const network = signal(random.split("network"));
  const others = [signal(random.split("others", 0)), signal(random.split("others", 1)), signal(random.split("others", 2))];
  const noise = random.split("noise");
  const values = new Float64Array(inside.length * TIMES);
  inside.forEach(({ x, y, region }, i) => {
    // Outside the network the signals change smoothly over the slice.
    const mix = [0.5 + 0.5 * Math.sin(x / 6), 0.5 + 0.5 * Math.cos(y / 8), 0.5 + 0.5 * Math.sin((x + y) / 10)];
    for (let t = 0; t < TIMES; t++) {
      const own = region >= 0 ? network[t]! : OTHERS * mix.reduce((sum, weight, s) => sum + weight * others[s]![t]!, 0);
      values[i * TIMES + t] = own + NOISE * noise.normal();
    }
  });
  return {
    pixels: {
      n: inside.length,
      d: TIMES,
      x: values,
      truth: { codes: Int32Array.from(inside, ({ region }) => (region >= 0 ? 1 : 0)), names: ["background", "network"] },
    },
    width: WIDTH,
    height: HEIGHT,
    x: Int32Array.from(inside, ({ x }) => x),
    y: Int32Array.from(inside, ({ y }) => y),
    region: Int32Array.from(inside, ({ region }) => region),
  };
}

/** A slow wave of unit size: smoothed noise. */
function signal(random: Random): Float64Array {
  const raw = Float64Array.from({ length: TIMES + 8 }, () => random.normal());
  const smooth = Float64Array.from({ length: TIMES }, (_, t) => raw.subarray(t, t + 8).reduce((sum, value) => sum + value, 0));
  const size = Math.sqrt(smooth.reduce((sum, value) => sum + value * value, 0) / TIMES);
  return smooth.map((value) => value / size);
}
