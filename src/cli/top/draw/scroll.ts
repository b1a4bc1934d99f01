/** Which rows are seen: the cursor keeps to the middle, except near the ends. Pure, so nothing has to be remembered. */

export const firstVisible = (cursor: number, height: number, total: number): number =>
  Math.max(0, Math.min(cursor - Math.floor(height / 2), total - height));
