/** One page of a list, and which one is asked for. */

/** `total` counts all that match, of whatever page. */
export type Page<T> = { items: T[]; total: number; has_more: boolean };

/** Which rows of a list: `limit` of them from the `offset`th on. */
export type Cut = { offset: number; limit: number };
