/**
 * What is a plain yes and what a plain no, where a question may be answered with anything (CONTRACT-PROTOCOLS 6.2, 8.3).
 * Pure. Whatever is neither is for the caller to judge: it must never let a tool run.
 */

import { isObject, type JsonValue } from '../json.js';

const YES = /^(approved?|accepted?|allow(ed)?|confirm(ed)?|grant(ed)?|yes|ok|okay|true)[.!]?$/i;
const NO = /^(den(y|ied)|reject(ed)?|refused?|declined?|disallow(ed)?|cancel(led|ed)?|abort(ed)?|no|false)[.!]?$/i;

/** `true`, a word that says so, or `{"approved": true}`. */
export const isYes = (value: JsonValue): boolean => says(value, true, YES);

/** `false`, a word that says so, or `{"approved": false}`. */
export const isNo = (value: JsonValue): boolean => says(value, false, NO);

const says = (value: JsonValue, wanted: boolean, word: RegExp): boolean =>
  value === wanted ||
  (isObject(value) && value.approved === wanted) ||
  (typeof value === 'string' && word.test(value.trim()));
