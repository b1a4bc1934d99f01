/** The two rows on top: which server and how fast it goes; how much of what there is. Or that it is gone. Pure. */

import { segment, span, type Line, type Segment } from '../../rail/index.js';
import { bytes, count, millis } from '../format.js';
import { isOn, type Model } from '../model/model.js';
import { row, rule } from './frame.js';

export function drawHeader(model: Model): Line[] {
  const { columns } = model.view.size;
  return [rule('top', serverLine(model), ratesLine(model), columns), row(secondLine(model), columns)];
}

function serverLine({ setup, stats, connection }: Model): Line {
  const parts: Segment[] = [
    segment('agent-server', 'title'),
    segment(' · ', 'dim'),
    segment(setup.url.replace(/^http:\/\//, '')),
  ];
  if (stats) parts.push(segment(` · v${stats.version} · up ${span(stats.uptime_ms)}`, 'dim'));
  if (setup.access === 'look') parts.push(segment(' · read only', 'attention'));
  if (connection.is === 'connecting') parts.push(segment(' · connecting…', 'attention'));
  return parts;
}

function ratesLine(model: Model): Line {
  if (isOn(model, 'pause')) return [segment('HELD · p goes on', 'attention')];
  const { stats } = model;
  if (!stats) return [];
  return [
    segment(count(stats.runs_per_s), 'strong'),
    segment(' runs/s · ', 'dim'),
    segment(count(stats.events_per_s), 'strong'),
    segment(' ev/s · p99 ', 'dim'),
    segment(millis(stats.first_event_p99_ms), 'strong'),
  ];
}

function secondLine(model: Model): Line {
  return model.connection.is === 'lost' ? lostLine(model, model.connection) : countersLine(model);
}

/** The picture stays: it is old, and says how old. One that is held knows no time. */
function lostLine(model: Model, lost: Extract<Model['connection'], { is: 'lost' }>): Line {
  const { now, stats } = model;
  const isHeld = isOn(model, 'pause');
  const wait = Math.max(0, Math.ceil((lost.next - now) / 1_000));
  const when = wait > 0 ? ` in ${wait}s` : ' now';
  return [
    segment(` SERVER GONE `, 'fault'),
    segment(` ${lost.reason}`, 'fault'),
    segment(` · try ${lost.attempt}${isHeld ? '' : when}`, 'attention'),
    ...(stats && !isHeld ? [segment(` · what you see is ${span(now - lost.since)} old`, 'dim')] : []),
  ];
}

function countersLine({ stats, view: { size } }: Model): Line {
  if (!stats) return [segment(' …', 'dim')];
  const gap = segment(size.columns < 100 ? '  ' : '   ');
  const counter = (name: string, n: number, isUrgent: boolean): Segment[] => [
    segment(`${name} `, 'dim'),
    segment(`${count(n)}${isUrgent && n > 0 ? '!' : ''}`, isUrgent && n > 0 ? 'attention' : 'strong'),
    gap,
  ];
  const meter = (name: string, text: string): Segment[] => [gap, segment(`${name} `, 'dim'), segment(text)];
  const left: Line = [
    segment(' '),
    ...counter('threads', stats.threads, false),
    ...counter('running', stats.running, false),
    ...counter('waiting', stats.waiting, true),
    ...counter('queued', stats.queued, false),
    ...counter('dead', stats.dead_letters, true),
  ];
  const right: Line = [
    ...meter('heap', bytes(stats.heap_bytes)),
    ...meter('loop', millis(stats.loop_lag_ms)),
    ...meter('db', bytes(stats.db_bytes)),
  ];
  return spread(left, right, size.columns - 3);
}

/** One text at each side; the right one goes first when there is no room for both. */
function spread(left: Line, right: Line, width: number): Line {
  const used = [...left, ...right].reduce((sum, { text }) => sum + text.length, 0);
  return used > width ? left : [...left, segment(' '.repeat(width - used)), ...right];
}
