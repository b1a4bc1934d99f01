/** The versioned shape of `-o json`. Fields are added within a version, none renamed or removed. Pure. */

export const VERSION = 1;

export type ListEnvelope<T> = {
  v: typeof VERSION;
  kind: `${string}List`;
  items: readonly T[];
  /** All that match; null when only those that were looked at are known. */
  total: number | null;
  has_more: boolean;
};

export type ItemEnvelope<T> = { v: typeof VERSION; kind: string; item: T };

export const itemEnvelope = <T>(kind: string, item: T): ItemEnvelope<T> => ({ v: VERSION, kind, item });

export const listEnvelope = <T>(
  kind: string,
  { items, total, has_more }: Omit<ListEnvelope<T>, 'v' | 'kind'>,
): ListEnvelope<T> => ({ v: VERSION, kind: `${kind}List`, items, total, has_more });
