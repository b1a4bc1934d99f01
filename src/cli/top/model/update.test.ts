/** What keys do, without a terminal: the questions before a change, and that nothing happens without them. */

import { describe, expect, it } from 'vitest';
import fc from '../../../../test/support/property.js';
import { actor, agent, approval, asking, feed, modelOf, NOW, page } from '../../../../test/support/top-model.js';
import { toPlain, widthOf } from '../../rail/index.js';
import { drawScreen } from '../draw/screen.js';
import { keyTable } from '../keys.js';
import type { Model } from './model.js';
import { onKey, type Effect } from './update.js';

/** Presses keys one after the other; the effects of all of them. */
function press(model: Model, ...names: string[]): Effect[] {
  return names.flatMap((name) => {
    const { view, effects } = onKey(model, name);
    model.view = view;
    return effects;
  });
}
const type = (model: Model, text: string): Effect[] => press(model, ...[...text].map((c) => (c === ' ' ? 'space' : c)));
const picture = (model: Model): string => drawScreen(model).map(toPlain).join('\n');
const performed = (effects: Effect[]) => effects.flatMap((effect) => (effect.effect === 'perform' ? [effect] : []));

const fleet = () =>
  modelOf([
    asking('run-0001', { since: NOW - 3_000 }),
    asking('run-0002', { since: NOW - 2_000 }),
    actor({ run_id: 'run-0003', since: NOW - 1_000 }),
  ]);

describe('a question', () => {
  it('names what one key will change, and waits for y', () => {
    const model = fleet();
    expect(press(model, 'a')).toEqual([]);
    expect(picture(model)).toMatch(
      /approve 1 call[\s\S]*runs refund \{"eur":1200\} for run run-0001[\s\S]*agent-server decide run-0001 call-run-0001 approve/,
    );
    expect(press(model, 'x', 'enter', 'Y')).toEqual([]);
    expect(press(model, 'y')).toEqual([
      {
        effect: 'perform',
        reason: null,
        deeds: [{ do: 'approve', run_id: 'run-0001', tool_call_id: 'call-run-0001' }],
      },
    ]);
    expect(model.view.mode).toEqual({ is: 'browse' });
  });

  it('of several things wants their number as well', () => {
    const model = fleet();
    press(model, 'space', 'space', 'x');
    expect(picture(model)).toContain('2 things change: type y2 and enter');
    expect([...press(model, 'y', 'enter'), ...type(model, 'y3'), ...press(model, 'enter')]).toEqual([]);
    const [effect] = performed([...type(model, 'y2'), ...press(model, 'enter')]);
    expect(effect!.deeds.map((deed) => deed.do)).toEqual(['deny', 'deny']);
    expect(model.view.lists.runs.marks.size).toBe(0);
  });

  it('about a tool that may have taken effect wants the id', () => {
    const tool = { name: 'pay', arguments: {}, progress: null, message: null };
    const model = modelOf([
      actor({ run_id: 'run-8QKM', path: ['running', 'acting'], value: { running: 'acting' }, tool }),
    ]);
    feed(model, { agents: page([agent('billing', { pay: 'once' })]) });
    press(model, 'c');
    expect(picture(model)).toMatch(/pay is running and may have taken effect[\s\S]*type the end of the run's id, 8QKM/);
    expect([...press(model, 'y', 'enter'), ...type(model, '8qkm'), ...press(model, 'enter')]).toEqual([]);
    expect(performed([...type(model, '8QKM'), ...press(model, 'enter')])).toHaveLength(1);
  });

  it('about one that may be repeated does not', () => {
    const tool = { name: 'look', arguments: {}, progress: null, message: null };
    const model = modelOf([
      actor({ run_id: 'run-8QKM', path: ['running', 'acting'], value: { running: 'acting' }, tool }),
    ]);
    feed(model, { agents: page([agent('billing', { look: 'readOnly' })]) });
    press(model, 'c');
    expect(performed(press(model, 'y'))).toHaveLength(1);
  });

  it('before an interrupt counts what is queued', () => {
    const model = modelOf([actor({ run_id: 'run-0001', thread_id: 'th', queued: 3 })]);
    press(model, 'i');
    expect(picture(model)).toMatch(
      /interrupts thread th[\s\S]*cancels run run-0001[\s\S]*supersedes 3 queued entries[\s\S]*type y4/,
    );
    const [effect] = performed([
      ...press(model, 'tab'),
      ...type(model, 'too slow'),
      ...press(model, 'tab'),
      ...type(model, 'y4'),
      ...press(model, 'enter'),
    ]);
    expect(effect).toEqual({ effect: 'perform', reason: 'too slow', deeds: [{ do: 'interrupt', thread_id: 'th' }] });
  });

  it('goes by the newest count, not by that of the reset', () => {
    const model = modelOf([actor({ run_id: 'run-0001', thread_id: 'th', queued: 3 })]);
    model.fleet.apply({ type: 'queued', at: NOW, thread_id: 'th', queued: 1 });
    press(model, 'i');
    expect(picture(model)).toContain('supersedes 1 queued entry');
  });

  it('is left by esc and by n, and nothing was done', () => {
    for (const leave of ['esc', 'n']) {
      const model = fleet();
      expect(press(model, 'c', leave, 'y')).toEqual([{ effect: 'copy', text: 'run-0001' }]);
      expect(model.view.mode.is).toBe('browse');
    }
  });
});

describe('an answer to a question that is no approval', () => {
  const input = () =>
    modelOf([asking('run-0001', { waiting_for: { kind: 'input', message: 'which?', tool_call_ids: ['c1'] } })]);

  it('is JSON, and is sent with enter', () => {
    const model = input();
    press(model, 'a');
    expect([...type(model, 'red'), ...press(model, 'enter')]).toEqual([]);
    expect(picture(model)).toContain('this is no JSON');
    const [effect] = performed([
      ...press(model, 'ctrl-u'),
      ...type(model, '{"color":"red"}'),
      ...press(model, 'enter'),
    ]);
    expect(effect!.deeds).toEqual([{ do: 'answer', run_id: 'run-0001', tool_call_id: 'c1', result: { color: 'red' } }]);
  });

  it('of a call in doubt may be to try again', () => {
    const model = modelOf([
      asking('run-8QKM', { waiting_for: { kind: 'in_doubt', message: 'did it?', tool_call_ids: ['c1'] } }),
    ]);
    press(model, 'r');
    const [effect] = performed([...type(model, '8QKM'), ...press(model, 'enter')]);
    expect(effect!.deeds).toEqual([{ do: 'retry_call', run_id: 'run-8QKM', tool_call_id: 'c1' }]);
  });
});

describe('looking', () => {
  it('filters by what is typed, and says what it does not understand', () => {
    const model = fleet();
    press(model, '/');
    type(model, 'color=red');
    press(model, 'enter');
    expect(picture(model)).toMatch(/unknown key color; known are status, state/);
    press(model, 'ctrl-u');
    type(model, 'state=running age<10m');
    press(model, 'enter');
    expect(picture(model)).toMatch(/state=running age<10m .* 1\/1 ┤/);
    expect(picture(model)).toContain('run-0003');
    expect(picture(model)).not.toContain('run-0001');
    press(model, 'esc');
    expect(picture(model)).toContain('run-0001');
  });

  it('goes to screens by the beginning of their names', () => {
    const model = fleet();
    for (const [typed, screen] of [
      ['ap', 'approvals'],
      ['pulse', 'pulse'],
      ['th', 'threads'],
      ['d', 'dead'],
    ] as const) {
      press(model, ':');
      type(model, typed);
      press(model, 'enter');
      expect(model.view.screen).toBe(screen);
    }
    press(model, ':');
    type(model, 'nowhere');
    press(model, 'enter');
    expect(picture(model)).toContain('there are runs, threads, approvals');
  });

  it('keeps the cursor on its row while others come and go', () => {
    const model = fleet();
    press(model, 'j');
    expect(model.view.lists.runs.cursor.id).toBe('run-0002');
    model.now += 1_000;
    model.fleet.apply({
      type: 'ended',
      at: NOW,
      id: 'run:run-0001',
      kind: 'run',
      run_id: 'run-0001',
      thread_id: 'th',
      agent_id: null,
      outcome: 'natural',
      detail: null,
    });
    expect(picture(model)).toMatch(/▶ +run-0002/);
    expect(press(model, 'y')).toEqual([{ effect: 'copy', text: 'run-0002' }]);
  });

  it('decides on the screen of approvals with one key', () => {
    const [first, second] = [asking('run-0001'), asking('run-0002')];
    const model = modelOf([first, second]);
    press(model, ':', 'a', 'p', 'enter');
    feed(model, { approvals: page([approval(first), approval(second)]) });
    press(model, '*', 'a');
    expect(picture(model)).toContain('approve 2 calls');
    expect(performed([...type(model, 'y2'), ...press(model, 'enter')])[0]!.deeds).toHaveLength(2);
  });

  it('decides what is behind the first page of approvals, and says how many are behind what it has', () => {
    const runs = Array.from({ length: 250 }, (_, i) => asking(`run-${i}`));
    const model = modelOf(runs);
    press(model, ':', 'a', 'p', 'enter');
    const waiting = runs.map(approval);
    feed(model, { approvals: { ...page(waiting.slice(0, 200)), total: 260, has_more: true } });
    expect(picture(model)).toMatch(/60 still to come .* 1\/200/);
    // One of the first page has moved up from behind it meanwhile.
    feed(model, { 'more approvals': waiting.slice(199) });
    expect(picture(model)).toMatch(/10 still to come .* 1\/250/);
    type(model, '/run=run-249 arguments~eur');
    press(model, 'enter', 'a');
    expect(performed(press(model, 'y'))[0]!.deeds).toMatchObject([{ run_id: 'run-249' }]);
  });

  it('shows with z what is wrong, and ended runs among it', () => {
    const model = fleet();
    model.fleet.apply({
      type: 'ended',
      at: NOW,
      id: 'run:x',
      kind: 'run',
      run_id: 'run-bad',
      thread_id: 'th',
      agent_id: 'a',
      outcome: 'error',
      detail: 'no model',
    });
    model.fleet.apply({
      type: 'ended',
      at: NOW,
      id: 'run:y',
      kind: 'run',
      run_id: 'run-good',
      thread_id: 'th',
      agent_id: 'a',
      outcome: 'natural',
      detail: null,
    });
    press(model, 'z');
    expect(picture(model)).toMatch(/run-bad[\s\S]*no model/);
    expect(picture(model)).not.toMatch(/run-good|run-0001/);
  });

  it('tells the command for what it shows', () => {
    const model = modelOf([asking('run-0001')], { where: ['--server', 'http://far'] });
    press(model, 'enter', 'o');
    expect(picture(model)).toContain('agent-server runs machine run-0001 --watch --server http://far');
  });
});

describe('whatever is pressed', () => {
  const names = [
    ...new Set([...keyTable.flatMap((row) => row.names), ...'yn01e:', 'backspace', 'tab', 'enter', 'esc']),
  ].filter((name) => name !== 'ctrl-c');
  const items = () => [
    asking('run-0001'),
    actor({ run_id: 'run-0002', thread_id: 'th', queued: 2 }),
    asking('run-0003', { waiting_for: { kind: 'in_doubt', message: '?', tool_call_ids: ['c'] } }),
  ];
  const sizes = fc.constantFrom(
    { columns: 80, rows: 24 },
    { columns: 120, rows: 40 },
    { columns: 200, rows: 60 },
    { columns: 40, rows: 10 },
  );

  it('the picture fills the screen exactly', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...names), { maxLength: 30 }),
        sizes,
        fc.constantFrom('unicode', 'ascii'),
        (pressed, size, glyphs) => {
          const model = modelOf(items(), { glyphs }, size);
          for (const name of pressed) {
            press(model, name);
            const lines = drawScreen(model);
            expect(lines).toHaveLength(size.rows);
            for (const line of lines) expect(widthOf(line), toPlain(line)).toBe(size.columns);
            if (glyphs === 'ascii') expect(lines.map(toPlain).join('')).toMatch(/^[\x20-\x7e]*$/);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('nothing changes on the server but by the right answer to a question that was shown', () => {
    let changes = 0;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names), { maxLength: 40 }), (pressed) => {
        const model = modelOf(items());
        for (const name of pressed) {
          const before = model.view.mode;
          const done = performed(press(model, name));
          if (done.length === 0) continue;
          changes++;
          expect(['y', 'enter']).toContain(name);
          if (before.is === 'compose') continue;
          if (before.is !== 'confirm') throw new Error(`done out of ${before.is}`);
          const { plan, typed } = before;
          expect(plan.tier === 'key' ? name : typed).toBe(plan.expects);
        }
      }),
      { numRuns: 300 },
    );
    expect(changes).toBeGreaterThan(0);
  });

  it('esc changes nothing, in any place', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names), { maxLength: 20 }), (pressed) => {
        const model = modelOf(items());
        press(model, ...pressed);
        expect(press(model, 'esc')).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('nothing at all can be changed when it only looks', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names), { maxLength: 40 }), (pressed) => {
        const model = modelOf(items(), { access: 'look' });
        expect(performed(press(model, ...pressed))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
