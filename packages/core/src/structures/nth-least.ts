/** The number that would stand at a place if all were sorted: Hoare's selection on a copy, the middle of three as pivot. */
export function nthLeast(values: Float64Array, place: number): number {
  const v = values.slice();
  let from = 0;
  let to = v.length - 1;
  while (from < to) {
    const pivot = middleOf(v[from]!, v[(from + to) >> 1]!, v[to]!);
    let [i, j] = [from, to];
    while (i <= j) {
      while (v[i]! < pivot) i++;
      while (v[j]! > pivot) j--;
      if (i > j) break;
      const swapped = v[i]!;
      v[i++] = v[j]!;
      v[j--] = swapped;
    }
    if (place <= j) to = j;
    else if (place >= i) from = i;
    else break;
  }
  return v[place]!;
}

function middleOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
