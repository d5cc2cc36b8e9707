/** Returns the numbers of the clusters in the order in which they first appear in the rows. Rows without a cluster are skipped. */
export function orderOf(labels: ArrayLike<number>): number[] {
  const order: number[] = [];
  const seen: boolean[] = [];
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i]!;
    if (label < 0 || seen[label]) continue;
    seen[label] = true;
    order.push(label);
  }
  return order;
}
