/** JSON values as types: what may enter a record, an event or a message. */

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

/** A text is itself, anything else is its JSON: how the thread keeps a result, and clients and models are told it. */
export const jsonText = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** An object, as against a list, null and everything that has no fields. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
