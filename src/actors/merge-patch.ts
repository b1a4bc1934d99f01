/** JSON merge patch (RFC 7396): how a start's `state` and a metadata patch change an object. Pure; shares nothing it changes. */

import { isObject, type JsonObject, type JsonValue } from '../json.js';

/** The merged value; neither argument is changed. A patch that is no object takes the place of the target. */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const merged: JsonObject = Object.assign(Object.create(null) as JsonObject, isObject(target) ? target : {});
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return { ...merged };
}
