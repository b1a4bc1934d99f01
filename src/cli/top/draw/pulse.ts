/** `:pulse`: how the server has been in the last minutes, one measure a row. Pure. */

import type { Stats } from '../../client/index.js';
import { pad, padStart, segment, type Line, type Style } from '../../rail/index.js';
import { bytes, count, millis, sparkline } from '../format.js';
import type { Model } from '../model/model.js';
import { row, rule } from './frame.js';

type Measure = { name: string; of: (stats: Stats) => number | null; text: (n: number | null) => string; style: Style };

const number = (n: number | null): string => (n === null ? '–' : count(n));

const measures: readonly Measure[] = [
  { name: 'runs/s', of: (stats) => stats.runs_per_s, text: number, style: 'active' },
  { name: 'events/s', of: (stats) => stats.events_per_s, text: number, style: 'active' },
  { name: 'running', of: (stats) => stats.running, text: number, style: 'active' },
  { name: 'waiting', of: (stats) => stats.waiting, text: number, style: 'attention' },
  { name: 'queued', of: (stats) => stats.queued, text: number, style: 'attention' },
  { name: 'dead letters', of: (stats) => stats.dead_letters, text: number, style: 'fault' },
  { name: 'first event p50', of: (stats) => stats.first_event_p50_ms, text: millis, style: 'enabled' },
  { name: 'first event p99', of: (stats) => stats.first_event_p99_ms, text: millis, style: 'enabled' },
  { name: 'commit p99', of: (stats) => stats.commit_p99_ms, text: millis, style: 'enabled' },
  { name: 'loop lag', of: (stats) => stats.loop_lag_ms, text: millis, style: 'enabled' },
  { name: 'heap', of: (stats) => stats.heap_bytes, text: bytes, style: 'id' },
  { name: 'rss', of: (stats) => stats.rss_bytes, text: bytes, style: 'id' },
  { name: 'database', of: (stats) => stats.db_bytes, text: bytes, style: 'id' },
  { name: 'readers', of: (stats) => stats.sse_readers, text: number, style: 'id' },
];

const NAME = 17;
const VALUE = 10;

/** The title and `height` rows; with room enough each measure has a row of air below it. */
export function drawPulse({ pulse, view: { size } }: Model, height: number): Line[] {
  const samples = pulse.items;
  const width = size.columns - 2 - NAME - VALUE * 2 - 5;
  const title = rule(
    'middle',
    [segment('pulse', 'title')],
    [segment(`${count(Math.min(samples.length, width))} s`, 'dim')],
    size.columns,
  );
  const airy = height >= measures.length * 2 + 1;
  const heading: Line = [segment(` ${pad('', NAME)}${padStart('now', VALUE)}${padStart('most', VALUE)}`, 'dim')];
  const lines = measures.flatMap((measure) => [measureLine(measure, samples, width), ...(airy ? [[]] : [])]);
  return [title, ...Array.from({ length: height }, (_, i) => row([heading, ...lines][i] ?? [], size.columns))];
}

function measureLine({ name, of, text, style }: Measure, samples: readonly Stats[], width: number): Line {
  const values = samples.map((sample) => of(sample) ?? 0);
  const last = samples.at(-1);
  const now = last ? of(last) : null;
  const most = values.length > 0 ? Math.max(...values.slice(-width)) : null;
  return [
    segment(` ${pad(name, NAME)}`),
    segment(padStart(text(now), VALUE), 'strong'),
    segment(padStart(text(most), VALUE), 'dim'),
    segment('  '),
    segment(sparkline(values, width), style),
  ];
}
