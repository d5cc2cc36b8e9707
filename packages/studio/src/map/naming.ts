/** Where a group's name goes: at the edge of its rows, on the side away from all others. */
import type { Groups } from "../state/groups.js";

/** A place for each group, in data units, in the order of the groups. */
export function namePlaces({ groups, slots }: Groups, xy: Float32Array): readonly (readonly [number, number])[] {
  if (groups.length === 0) return [];
  const byGroup = new Map(
    groups.map(({ slot }) => [slot, { x: 0, y: 0, n: 0, vx: 0, vy: 0, box: [Infinity, -Infinity, Infinity, -Infinity] }]),
  );
  let [allX, allY, all] = [0, 0, 0];
  for (let row = 0; row < slots.length; row++) {
    const sum = byGroup.get(slots[row]!);
    if (!sum) continue;
    sum.x += xy[2 * row]!;
    sum.y += xy[2 * row + 1]!;
    sum.n++;
    allX += xy[2 * row]!;
    allY += xy[2 * row + 1]!;
    all++;
  }
  for (const sum of byGroup.values()) {
    sum.x /= sum.n || 1;
    sum.y /= sum.n || 1;
  }
  for (let row = 0; row < slots.length; row++) {
    const sum = byGroup.get(slots[row]!);
    if (!sum) continue;
    const [x, y] = [xy[2 * row]!, xy[2 * row + 1]!];
    sum.vx += (x - sum.x) ** 2;
    sum.vy += (y - sum.y) ** 2;
    const [left, right, bottom, top] = sum.box as [number, number, number, number];
    sum.box = [Math.min(left, x), Math.max(right, x), Math.min(bottom, y), Math.max(top, y)];
  }
  return groups.map(({ slot }) => {
    const { x, y, n, vx, vy, box } = byGroup.get(slot)!;
    const [dx, dy] = [x - allX / (all || 1), y - allY / (all || 1)];
    const length = Math.hypot(dx, dy) || 1;
    const [sx, sy] = [Math.sqrt(vx / (n || 1)), Math.sqrt(vy / (n || 1))];
    const [left, right, bottom, top] = box as [number, number, number, number];
    const within = (value: number, low: number, high: number) => Math.max(low, Math.min(value, high));
    return [within(x + (dx / length) * 2.3 * sx, left, right), within(y + (dy / length) * 2.3 * sy, bottom, top)] as const;
  });
}
