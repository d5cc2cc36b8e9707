/** The numbers 0 … n-1. It uses a loop, because `Int32Array.from` takes fifteen times as long. */
export function upTo(n: number): Int32Array<ArrayBuffer> {
  const numbers = new Int32Array(n);
  for (let i = 0; i < n; i++) numbers[i] = i;
  return numbers;
}

/** Returns `most` numbers from 0 to n-1, evenly spread. */
export function evenly(n: number, most: number): Int32Array<ArrayBuffer> {
  const numbers = new Int32Array(most);
  for (let s = 0; s < most; s++) numbers[s] = Math.floor((s * n) / most);
  return numbers;
}
