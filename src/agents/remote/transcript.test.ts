import { describe, expect, test } from 'vitest';
import { Rewritten, Transcript } from './transcript.js';

test('pieces are told as they come', () => {
  const transcript = new Transcript();
  expect([transcript.take('a', 'begin', 'one '), transcript.take('a', 'append', 'two')]).toEqual(['one ', 'two']);
  expect(transcript.text).toBe('one two');
});

describe('a stream that is taken up again', () => {
  const begun = () => {
    const transcript = new Transcript();
    transcript.take('a', 'begin', 'one ');
    transcript.take('a', 'append', 'two ');
    return transcript;
  };

  test('with all of it, then goes on', () => {
    const transcript = begun();
    expect(transcript.take('a', 'begin', 'one two three ')).toBe('three ');
    expect(transcript.take('a', 'append', 'four')).toBe('four');
  });

  test('with a part of what was told, then with what followed it', () => {
    const transcript = begun();
    const told = [transcript.take('a', 'begin', 'one ')];
    for (const text of ['two', ' thr', 'ee']) told.push(transcript.take('a', 'append', text));
    expect(told).toEqual(['', '', 'thr', 'ee']);
    expect(transcript.text).toBe('one two three');
  });

  test('from the start, cut elsewhere', () => {
    const transcript = begun();
    const told = [transcript.take('a', 'begin', 'one tw'), transcript.take('a', 'append', 'o three')];
    expect(told).toEqual(['', 'three']);
  });

  test('with other words', () => {
    expect(() => begun().take('a', 'begin', 'one too')).toThrow(Rewritten);
    expect(() => begun().take('a', 'begin', 'zero')).toThrow(Rewritten);
  });
});

test('what earlier steps have told is not told again', () => {
  const transcript = new Transcript({ a: 4 });
  expect(transcript.take('a', 'begin', 'one two')).toBe('two');
  expect(transcript.take('a', 'append', '!')).toBe('!');
  expect(transcript.told).toEqual({ a: 8 });
  expect(transcript.text).toBe('two!');
});

test('goes on behind what earlier steps have told without hearing it', () => {
  const transcript = new Transcript({ a: 4 });
  expect(transcript.take('a', 'append', 'two')).toBe('two');
  expect(transcript.take('a', 'begin', 'one two')).toBe('');
});

test('artifacts are set apart', () => {
  const transcript = new Transcript();
  expect([transcript.take('a', 'begin', 'one'), transcript.take('b', 'begin', 'two')]).toEqual(['one', '\n\ntwo']);
  expect(transcript.told).toEqual({ a: 3, b: 3 });
});
