/** What reaches the terminal of a frame: the rows that changed, at their places, in one write. */

import { expect, it } from 'vitest';
import { FrameWriter, PLACEHOLDER } from './frame-writer.js';

function writer(picture: string[]) {
  const written: string[] = [];
  const terminal = { write: (text: string) => (written.push(text), true), rows: 5 };
  const frames = new FrameWriter(terminal, () => picture);
  const frame = (): string[] => {
    written.length = 0;
    frames.write(PLACEHOLDER);
    return [...written];
  };
  return { frames, frame, written };
}

it('writes every row at first, then those that differ, then nothing', () => {
  const picture = ['one', 'two', 'three'];
  const { frame } = writer(picture);
  expect(frame()).toEqual([
    '\x1b[?2026h\x1b[1;1H\x1b[Kone\x1b[0m\x1b[2;1H\x1b[Ktwo\x1b[0m\x1b[3;1H\x1b[Kthree\x1b[0m\x1b[?2026l',
  ]);
  picture[1] = 'zwei';
  expect(frame()).toEqual(['\x1b[?2026h\x1b[2;1H\x1b[Kzwei\x1b[0m\x1b[?2026l']);
  expect(frame()).toEqual([]);
});

it('clears rows that are no more, and draws all again when told to forget', () => {
  const picture = ['one', 'two'];
  const { frame, frames } = writer(picture);
  frame();
  picture.pop();
  expect(frame()[0]).toContain('\x1b[2;1H\x1b[K\x1b[0m');
  frames.forget();
  expect(frame()[0]).toContain('one');
});

it('draws no more rows than there are, and leaves the cursor to others', () => {
  const { frame, frames, written } = writer(['1', '2', '3', '4', '5', '6', '7']);
  expect(frame()[0]).not.toContain('\x1b[6;1H');
  written.length = 0;
  frames.write('\x1b[?25h');
  expect(written).toEqual([]);
});

it('writes nothing any more when the terminal has been given back', () => {
  const picture = ['one'];
  const { frame, frames } = writer(picture);
  frame();
  frames.close();
  picture[0] = 'two';
  expect(frame()).toEqual([]);
  frames.forget();
  expect(frame()).toEqual([]);
});
