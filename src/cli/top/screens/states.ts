/** How a state looks in a list: its mark, its words, its colour. Pure. */

import { segment, type Segment, type Style } from '../../rail/index.js';

const styles: readonly (readonly [RegExp, Style])[] = [
  [/in_doubt|dead_letter|^error|failed|exceeded|loop_detected/, 'fault'],
  [/waiting|suspended/, 'attention'],
  [/cancelling|cancelled|superseded|timeout/, 'last'],
  [/running|resuming|accepted|natural|succeeded/, 'active'],
];

export const styleOf = (state: string): Style => styles.find(([pattern]) => pattern.test(state))?.[1] ?? 'dim';

export const stateCell = (state: string): Segment =>
  segment(`${styleOf(state) === 'dim' ? '○' : '●'} ${state}`, styleOf(state));
