import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { OutputClosed } from './io.js';
import { sinkOf } from './process-io.js';

const stream = (more: object = {}): PassThrough => Object.assign(new PassThrough(), more);

describe('a stream of the process', () => {
  it('has a size when it is a terminal that knows it', () => {
    expect(sinkOf(stream({ isTTY: true, columns: 80, rows: 24 }))).toMatchObject({
      isTTY: true,
      columns: 80,
      rows: 24,
    });
    expect(sinkOf(stream({ isTTY: true, columns: 0, rows: 0 }))).toMatchObject({ isTTY: true, columns: undefined });
    expect(sinkOf(stream())).toMatchObject({ isTTY: false, columns: undefined, rows: undefined });
  });

  it('says when its reader has gone, each time', async () => {
    const output = stream();
    const sink = sinkOf(output);
    await sink.write('x');
    output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await expect(sink.write('y')).rejects.toBeInstanceOf(OutputClosed);
    await expect(sink.write('z')).rejects.toBeInstanceOf(OutputClosed);
  });
});
